"""One rule of the pack as a table of plain values, the data flow that it may describe, patterns that rules share."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Mapping
from typing import Any

import msgspec

from selfreview.api.reviewer import RuleExample, RuleInfo, Where
from selfreview.model.issue import Category, Finding, Severity, Side
from selfreview.syntax.languages import EXTENSIONS

MARK = re.compile(r"[ \t]*<--$", re.MULTILINE)
"""Mark of a line of an example that is reported."""

HOLE = "\0"
"""Stands in a template for a part that is neither constant nor harmless."""

NUMBER = "\x02"
"""Stands in a template for a part that is formatted as a number."""


class Flow(msgspec.Struct, frozen=True, kw_only=True):
    """A value that must not reach a call, found by following variables backwards within one function.

    Every argument of a call is resolved to a template: the text of its constant parts, with ``HOLE`` for each part that
    matters and ``0`` for one that does not. Patterns are Python's, searched anywhere unless anchored.

    Attributes:
        sink: What is called: the text before the arguments (``cursor.execute``), ``return`` or
            ``echo`` for such a statement, the target and ``=`` for an assignment (``node.innerHTML=``).
        text: What the template must look like; ``\\0`` stands for a hole.
        argument: Position of the only argument that counts, from 0; -1: any.
        source: Text of an expression that makes a part matter (``request.args``). Empty: every part that is not
            constant matters, unless it is harmless.
        safe: Text of an expression that is harmless (``int(…)``, ``escape(…)``).
        when: What the text of the whole call must hold besides (``shell=True``). Empty: anything.
        unless: What the function must not hold anywhere: a check of the value. Empty: nothing.
    """

    sink: str
    text: str
    argument: int = -1
    source: str = ""
    safe: str = ""
    when: str = ""
    unless: str = ""


"""Files that a rule looks at: all, only tests, or everything but tests."""


class Removal(msgspec.Struct, frozen=True):
    """An example of a rule that compares both sides: a file before and after the change, None where it is deleted."""

    language: str
    before: str | None
    after: str | None


class Rule(msgspec.Struct, frozen=True, kw_only=True):
    """One rule; see :mod:`selfreview.rules` for how to write one.

    Attributes:
        id: Unique and stable; people write it into suppression comments. ``LANGUAGE-what-is-wrong``.
        severity: ``MEDIUM`` and above block by default: only what a maintainer would want mended before merging.
        category: What kind of issue it is.
        message: What happens because of this code, in one or two sentences.
        suggestion: What to do instead, in one sentence.
        needs: Literals of which the file must hold at least one for the rule to run at all, however their words and
            signs are spaced: ``eval(`` is in ``eval /* */ (``. Case-sensitive.
        languages: Languages it applies to, by the names of :mod:`selfreview.syntax.languages`, where they are not all
            that its file or folder is for.
        hint: Python pattern that the file must match somewhere besides, where the literals are common; it may find more
            than the rule, never less, so it allows white space and line breaks wherever the language does.
        match: An ast-grep rule object; empty for a rule that is found otherwise.
        constraints: ast-grep constraints on the single meta variables of ``match``.
        where: Which files it looks at.
        fix: Replacement of what was matched; ``$NAME`` stands for a meta variable's text, ``$MATCH`` for the whole. An
            empty one removes the statement; where that, or any fix, would change the rest, the finding brings no edit.
            None: there is no obvious repair.
        flow: The way of a value that it looks for, instead of ``match``.
        coded: Whether code of the reviewer finds it, such as the comparison of both sides; ``{name}`` in the message
            is then the function's.
        bad: Code that it must report; the lines concerned end with ``<--`` (the first line when none does).
        good: Code that looks alike and that it must not report.
        also: Other rules that may report on its examples.
    """

    id: str
    severity: Severity
    category: Category
    message: str
    suggestion: str
    needs: tuple[str, ...]
    bad: tuple[str | Removal, ...]
    good: tuple[str | Removal, ...]
    languages: tuple[str, ...] = ()
    hint: str = ""
    match: Mapping[str, Any] = {}
    constraints: Mapping[str, Any] = {}
    where: Where = "everywhere"
    fix: str | None = None
    flow: Flow | None = None
    coded: bool = False
    also: tuple[str, ...] = ()

    def finding(self, path: str, first: int, last: int | None = None, **fields: Any) -> Finding:
        """Return a finding of the rule.

        Args:
            path: The file.
            first, last: Its lines, from 1; the first alone by default.
            fields: Other fields of the finding, or ones that differ from what the rule has.
        """
        own = {"severity": self.severity, "description": self.message, **fields}
        return Finding(
            file=path,
            line_start=first,
            line_end=first if last is None else last,
            category=self.category,
            suggested_fix=self.suggestion or None,
            rule=self.id,
            **own,
        )

    def info(self) -> RuleInfo:
        """Return the rule as a reviewer lists it."""
        return RuleInfo(
            id=self.id,
            severity=self.severity,
            category=self.category,
            summary=self.message.replace("{name}", "…") if self.coded else self.message,
            advice=self.suggestion,
            languages=self.languages,
            where=self.where,
            bad=tuple(self._example(example, reported=True) for example in self.bad),
            good=tuple(self._example(example, reported=False) for example in self.good),
            has_fix=self.fix is not None,
        )

    def _example(self, example: str | Removal, *, reported: bool) -> RuleExample:
        both = example if isinstance(example, Removal) else Removal(self.languages[0], None, example)
        in_tests = self.where == "tests" or (self.coded and self.category is Category.TESTING)
        extension = next(extension for extension, name in EXTENSIONS.items() if name == both.language)
        before, code = _dedented(both.before), _dedented(both.after)
        side = Side.OLD if code is None or (before is not None and MARK.search(before)) else Side.NEW
        marked = before if side is Side.OLD else code
        numbers = [n for n, line in enumerate((marked or "").split("\n"), 1) if MARK.search(line)]
        return RuleExample(
            path=f"tests/test_example{extension}" if in_tests else f"src/example{extension}",
            code=None if code is None else MARK.sub("", code),
            before=None if before is None else MARK.sub("", before),
            lines=((0,) if code is None else tuple(numbers) or (1,)) if reported else (),
            side=side,
        )


def _dedented(text: str | None) -> str | None:
    return None if text is None else textwrap.dedent(text).lstrip("\n")


_STATEMENT = (
    r"\b(?:select\b(?=.*\bfrom\b)|update\b(?=.*\bset\b)|insert\s+(?:or\s+\w+\s+|ignore\s+)?into|replace\s+into"
    r"|delete\s+from|where|having|call|exec(?:ute)?)\b"
)
_BEFORE_VALUE = r"(?:=|<|>|\blike|\bin\s*\(|\bbetween|\blimit|\boffset|\band|\bagainst\s*\()\s*['\"%(]*"

# anchored, so that the search for a statement and that for a value do not multiply
SQL = rf"(?is)\A(?=.*?{_STATEMENT}).*?(?:{_BEFORE_VALUE}\0|['\"%]\0|\bvalues\s*\(\s*(?:[^)]*,\s*)?\0\s*,)"
"""A statement with a hole where a value stands, as opposed to the name of a table or column."""

SQL_NUMBER = rf"(?is)\A(?=.*?{_STATEMENT}).*?(?:{_BEFORE_VALUE}\x02|['\"%]\x02|\bvalues\s*\([^)]*\x02)"
"""The same with a part that is formatted as a number."""

SQL_HINT = r"(?i)['\"`]\s*(?:select|insert|update|delete|replace|where|having|call|exec|execute|and)\s"
"""A text that starts as a statement or as a part of one."""

SQL_SAFE = r"^[A-Z][A-Z0-9_]*$|(?i:quote|escape|placeholder)|^\s*\d+\s*$"
"""An expression that is a constant by its name, or made harmless."""

COMMAND = r"(?s)^\s*(?!(?:select|insert|update|delete|create|alter|drop|with|pragma|begin)\b)[a-z./~$][\w./-]*"
"""The first word of a command line."""

BUILT = r"[^\0]\0|\0[^\0]"
"""A text of constant and other parts."""

HTML = r"(?s)<\w[^>]*>?.*\0|\0.*</\w"
"""Markup with a part that is not constant."""


def node(kind: str, *rules: dict[str, Any], **fields: str) -> dict[str, Any]:
    """Return the rule for a node.

    Args:
        kind: Its kind in the grammar.
        rules: What it must match besides.
        fields: Regular expressions for the texts of its fields: ``function="^eval$"``.
    """
    return {"kind": kind, "all": [*({"has": {"field": name, "regex": fields[name]}} for name in fields), *rules]}


def call(function: str, *arguments: dict[str, Any], kind: str = "call_expression") -> dict[str, Any]:
    """Return the rule for a call.

    Args:
        function: Regular expression for what is called, such as ``^(fs\\.)?readFile$``.
        arguments: What the first, second, … argument must be; ``{}`` for anything.
        kind: Kind of the node in the grammar; those of object creations have another field for what is called.
    """
    field = "constructor" if kind == "new_expression" else "function"
    wanted = [
        {"has": {"field": "arguments", "has": {"nthChild": position, **argument}}}
        for position, argument in enumerate(arguments, 1)
        if argument
    ]
    return node(kind, *wanted, **{field: function})


def repeated(*patterns: str) -> dict[str, Any]:
    """Return the rule for patterns that name a meta variable twice.

    ast-grep compares both places by recursion, which ends the process on code that is nested ten thousand deep: such
    patterns are tried on short code only.
    """
    return {"all": [{"regex": r"^[\t\n\r -~]{3,200}$"}, {"any": [{"pattern": pattern} for pattern in patterns]}]}


def in_condition() -> dict[str, Any]:
    """Return the pattern for the whole condition of an ``if`` in brackets, around an expression."""
    return {"regex": r"^\(", "inside": {"kind": "if_statement", "field": "condition"}}  # its kind has several names


def chosen(field: str) -> dict[str, Any]:
    """Return what matches where a value is one of a list that is named after what it holds, as ``tokens`` of a text.

    Such a one was made elsewhere; what is added to it, or joined, is made here.

    Args:
        field: The field that the value is in.
    """
    many = r"[@$\w.\[\"'>-]*(token|secret|password|passwd|otp|nonce|csrf|salt|api_?key|session_?id)s\b"
    drawn = (
        rf"random\.(choices?|sample)\(\s*((list|sorted|tuple)\(\s*)?{many}|{many}(\[|\.get\(|\.sample\b|\.shuffle\b)"
    )
    return {"has": {"field": field, "regex": rf"(?i)^({drawn})[^+%]*$"}}
