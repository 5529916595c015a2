"""One rule of the pack, as a table of plain values, and the data flow that it may describe."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import msgspec

from selfreview.model.issue import Category, Finding, Severity

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


Where = Literal["everywhere", "tests", "product"]
"""Files that a rule looks at: all, only tests, or everything but tests."""


class Removal(msgspec.Struct, frozen=True):
    """An example of a rule that compares both sides: a file before and after the change, None where it is deleted."""

    language: str
    before: str
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
            suggested_fix=self.suggestion,
            rule=self.id,
            **own,
        )
