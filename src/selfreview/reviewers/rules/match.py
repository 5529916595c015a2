"""Apply ast-grep rules to one parsed file, and their fixes."""

from __future__ import annotations

import functools
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from enum import IntEnum
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from msgspec import structs

from selfreview.model.change import LineRange
from selfreview.model.issue import Edit, Finding, Severity
from selfreview.reviewers.rules.statements import following, removal, statement_of
from selfreview.rules.rule import Rule
from selfreview.syntax.grammar import BLOCKS

if TYPE_CHECKING:
    from ast_grep_py import Config, SgNode


class Found(Finding, frozen=True, kw_only=True):
    """A finding of a rule.

    Attributes:
        body: Those of its lines that hold nothing but the statements inside it, if any.
    """

    body: LineRange | None = None


def matches(root: SgNode, rules: Sequence[Rule], path: str, lines: Sequence[str]) -> Iterator[Finding]:
    """Yield what the rules find under a node.

    Args:
        root: Root of the parsed file.
        rules: Rules for the file's language, found by pattern.
        path: The file's path.
        lines: The file's lines, of which the parser may have seen some as blank.
    """
    variables: _ShellVariables | None = None
    ascii_only = bool(rules) and root.text().isascii()
    for rule in rules:
        config = cast("Config", {"rule": rule.match, "constraints": rule.constraints})
        if ascii_only:
            config = in_ascii(config)
        for match in root.find_all(config):
            made = edit(rule, match, lines) if rule.fix is not None else None
            found = finding(rule, match, path, edits=(made,) if made is not None else ())
            if rule.id == _REMOVES_UNSET:
                variables = variables or _ShellVariables(root)
                if (judged := variables.judged(found, match)) is not None:
                    yield judged
                continue
            around = _whole_body_of(match) if rule.fix == "" else None
            yield found if around is None else structs.replace(found, suggested_fix=f"Remove it with its `{around}`.")


_ASCII = {
    "w": "[0-9A-Za-z_]", "W": "[^0-9A-Za-z_]", "d": "[0-9]", "D": "[^0-9]", "s": r"[\t-\r\x20]", "S": r"[^\t-\r\x20]",
}  # fmt: skip
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)


def in_ascii(part: Any) -> Any:
    """Return a rule, or a part of one, that finds the same in ASCII.

    The parser compiles expressions anew for each file, and classes of the letters of all scripts take it longer than
    to go through the file.
    """
    if isinstance(part, Mapping):
        return {key: _ascii_classes(value) if key == "regex" else in_ascii(value) for key, value in part.items()}
    return [in_ascii(inner) for inner in part] if isinstance(part, list) else part


@functools.cache
def _ascii_classes(expression: str) -> str:
    return _ESCAPE.sub(lambda escape: _ASCII.get(escape[1], escape[0]), expression)


_UNBRACED = {
    "if_statement": "if", "else_clause": "else", "for_statement": "for", "for_in_statement": "for",
    "while_statement": "while", "do_statement": "do", "with_statement": "with",
}  # fmt: skip


def _whole_body_of(match: SgNode) -> str | None:
    """Return the node whose whole body a statement is, without brackets: the next one would take its place."""
    parent = match.parent()
    statement = parent if parent is not None and parent.kind() == "expression_statement" else match
    holder = statement.parent()
    return None if holder is None else _UNBRACED.get(holder.kind())


def finding(rule: Rule, node: SgNode, path: str, *, edits: tuple[Edit, ...] = ()) -> Finding:
    """Make a finding at a node."""
    span = node.range()
    ends_before = span.end.column == 0 and span.end.line > span.start.line
    return Found(
        file=path,
        line_start=span.start.line + 1,
        line_end=span.end.line + (0 if ends_before else 1),
        body=_body(node) if span.end.line > span.start.line else None,
        column=span.start.column + 1,
        severity=rule.severity,
        category=rule.category,
        description=rule.message,
        suggested_fix=rule.suggestion or None,
        rule=rule.id,
        edits=edits,
    )


def _body(node: SgNode) -> LineRange | None:
    block = _first_block(node)
    if block is None:
        return None
    before, after, span = block.prev(), block.next(), block.range()
    opens = block.text().startswith("{") or (before is not None and before.range().end.line == span.start.line)
    closes = block.text().endswith("}") or (after is not None and after.range().start.line == span.end.line)
    first, last = span.start.line + 1 + opens, span.end.line + 1 - closes
    return LineRange(first, last) if first <= last else None


def _first_block(node: SgNode) -> SgNode | None:
    inside = (block if block.kind() in BLOCKS else _first_block(block) for block in node.named_children())
    return next((block for block in inside if block is not None), None)


_VARIABLE = re.compile(r"\$([A-Z][A-Z0-9_]*)")
_NEED_PARENTHESES = frozenset({"named_expression", "list_splat", "yield"})
_FUNCTIONS = frozenset({"function_definition", "lambda", "class_definition"})


def edit(rule: Rule, match: SgNode, lines: Sequence[str]) -> Edit | None:
    """Return the edit of a rule's fix at a match, or None where it would change or break anything else.

    Args:
        rule: A rule with a fix.
        match: What it found.
        lines: The file's lines. A page's hold its markup, which the parser does not see.
    """
    span = match.range()
    if _between(lines, span.start.line, span.start.column, span.end.line, span.end.column) != match.text():
        return None
    if not rule.fix:
        return removal(match, lines, rule.languages)
    text = _replacement(rule.fix, match)
    if text is None:
        return None
    return Edit(
        line_start=span.start.line + 1,
        column_start=span.start.column,
        line_end=span.end.line + 1,
        column_end=span.end.column,
        replacement=text,
    )


def _replacement(template: str, match: SgNode) -> str | None:
    statement = statement_of(match)
    if statement is None:
        return None
    if template.startswith(("raise ", "throw ")) and following(statement) is not None:
        return None  # nothing would reach what follows, and Java does not compile that
    if template.startswith("await ") and not _is_async(match):
        return None
    values = {name: _matched_value(match, name) for name in _VARIABLE.findall(template)}
    if any(value is None for value in values.values()):
        return None
    return _VARIABLE.sub(lambda name: values[name[1]] or "", template)


def _matched_value(match: SgNode, name: str) -> str | None:
    """Return the code that a variable matched; None where it cannot be used without the brackets around it."""
    if name == "MATCH":
        return match.text()
    node = match.get_match(name)
    if node is None or node.kind() in _NEED_PARENTHESES or "\n" in node.text():
        return None
    return node.text()


def _is_async(node: SgNode) -> bool:
    function = next((outer for outer in _ancestors(node) if outer.kind() in _FUNCTIONS), None)
    return function is not None and function.text().startswith("async")


def _ancestors(node: SgNode) -> Iterator[SgNode]:
    while (parent := node.parent()) is not None:
        yield parent
        node = parent


def _between(lines: Sequence[str], first: int, start: int, last: int, end: int) -> str:
    taken = list(lines[first : last + 1]) + [""] * (last + 1 - len(lines))
    taken[-1] = taken[-1][:end]
    taken[0] = taken[0][start:]
    return "\n".join(taken)


_REMOVES_UNSET = "bash-remove-unset"
"""Rule on the removal of a path below a variable."""

_BELOW = re.compile(r'"?\$\{?(?P<name>\w+)\}?"?/(?P<rest>\*|\w*"?\*?)?"?')
_SYSTEM = frozenset(
    "bin boot dev etc home lib lib64 media mnt opt proc root run sbin srv sys tmp usr var".split()  # noqa: SIM905
)
_SHEBANG = re.compile(r"#!\S*sh\s+(?P<options>[-+].*)")
_NEVER_EMPTY = re.compile(r"\$\{\w+:[?]|\$\{\w+:?[-=][^}$`]*\w")
_EXPANSION = re.compile(r"\$\{[^}]*\}|\$\w+|\$[@*#?$!-]")
_HELD_BY = frozenset({"declaration_command", "redirected_statement", "list"})
_OPTIONS = {"e": "errexit", "u": "nounset"}
_FILLS = re.compile(r"(?:(?:builtin|command)\s+)?(?:read|mapfile|readarray|getopts|printf\s+-v)\s")
"""A command that gives the variables it names values that are not known."""
_SETTING = ("variable_assignment", "command", "unset_command", "for_statement", "declaration_command")

_Place = tuple[int, int, str]
"""Identity of a node in its file: its start, its end, and its kind."""


class _Empty(IntEnum):
    """Likelihood that a value is empty."""

    NEVER = 0
    HARDLY = 1
    MAYBE = 2


class _Setting(NamedTuple):
    """Something that gives a variable a value, or takes it away.

    Attributes:
        node: The syntax node.
        place: Where it is.
        ends: Where it is done.
        holder: What it is sure to have run in, once something behind it runs there.
        is_local: Whether it makes a variable of a function's own, which no other function sees.
    """

    node: SgNode
    place: _Place
    ends: int
    holder: _Place | None
    is_local: bool = False


class _ShellVariables:
    """Facts about the variables of a script, read once.

    Args:
        root: Root of the parsed file.
    """

    def __init__(self, root: SgNode) -> None:
        self._settings: dict[str, list[_Setting]] = defaultdict(list)
        self._switches: list[tuple[int, _Place | None, list[str]]] = []
        self._known: dict[tuple[_Place, bool, bool], _Empty] = {}
        shebang = _SHEBANG.match(root.text())
        self._first = shebang["options"].split() if shebang is not None else []
        for node in root.find_all(any=[{"kind": kind} for kind in _SETTING]):
            for name, setting in _settings(node):
                self._settings[name].append(setting)
            if node.kind() == "command" and re.match(r"set\s", text := node.text()):
                self._switches.append((node.range().end.index, _holder(node), text.split()[1:]))

    def judged(self, found: Finding, command: SgNode) -> Finding | None:
        """Return the finding with its severity and message, or None where the variable cannot be empty.

        Args:
            found: What the rule says of the command.
            command: The ``rm``.
        """
        around = [_place(node) for node in command.ancestors()]
        options = self._in_force(command, around)
        places = [place for word in command.children() if (place := _BELOW.fullmatch(word.text())) is not None]
        open_to = [(self._emptiness(place["name"], command, around, options), place) for place in places]
        if not open_to:
            return found
        worst, place = max(open_to, key=lambda item: item[0])
        if worst is _Empty.NEVER:
            return None
        rest = (place["rest"] or "").strip('"*')
        what = "from the root of the file system" if not rest or rest in _SYSTEM else f"/{rest} instead"
        when = "empty" if "nounset" in options else "empty or unset"
        severity = Severity.LOW if worst is _Empty.HARDLY else found.severity
        return structs.replace(
            found, severity=severity, description=f"When the variable is {when} this deletes {what}."
        )

    def _in_force(self, command: SgNode, around: list[_Place]) -> set[str]:
        """Return the names of the options that are on where a command runs."""
        options: set[str] = set()
        _switch(options, self._first)
        begins = command.range().start.index
        for ends, holder, words in self._switches:
            if ends > begins:
                break
            if holder in around:
                _switch(options, words)
        return options

    def _emptiness(self, name: str, command: SgNode, around: list[_Place], options: set[str]) -> _Empty:
        """Return how likely a variable is empty, by what sets it and can reach a command."""
        every = self._settings[name]
        begins = command.range().start.index
        worst = _Empty.NEVER
        for setting in reversed(every):
            if setting.ends <= begins and (setting.holder in around or not setting.is_local):
                worst = max(worst, self._value(setting, options))
                if setting.holder in around or worst is _Empty.MAYBE:
                    return worst
        wide = [setting for setting in every if not setting.is_local]
        if wide and any(kind == "function_definition" for _, _, kind in around):
            # A function runs after what is written below it.
            return max(self._value(setting, options) for setting in wide)
        return _Empty.MAYBE

    def _value(self, setting: _Setting, options: set[str]) -> _Empty:
        known = setting.place, "errexit" in options, "nounset" in options
        if known not in self._known:
            self._known[known] = _value(setting.node, options)
        return self._known[known]


def _settings(node: SgNode) -> Iterator[tuple[str, _Setting]]:
    """Yield the variables that a node sets, or unsets."""
    place = _, ends, kind = _place(node)
    if kind == "variable_assignment":
        name = node.field("name")
        yield name.text() if name is not None else "", _Setting(node, place, ends, _holder(node))
    elif kind == "for_statement":
        variable = node.field("variable")
        if variable is not None:  # what stands behind the loop has its last value, or, without one, that from before
            yield variable.text(), _Setting(node, place, variable.range().end.index, place)
    elif kind == "command":
        words = [word.text() for word in node.children() if word.kind() != "variable_assignment"]
        if _FILLS.match(" ".join(words)) is not None:
            for named in words:
                yield named.strip("\"'"), _Setting(node, place, ends, _holder(node))
    else:
        of_function = node.text().startswith("local")
        if kind == "unset_command" or of_function:
            for word in node.children():
                if word.kind() != "variable_assignment":
                    yield word.text().strip("\"'"), _Setting(node, place, ends, _holder(node), of_function)


def _switch(options: set[str], words: list[str]) -> None:
    """Apply the arguments of ``set``."""
    sign = "-"
    for word in words:
        if word == "--":
            return
        if word[0] in "-+":
            sign, names = word[0], [_OPTIONS[letter] for letter in word[1:] if letter in _OPTIONS]
        else:
            names = [word]
        for name in names:
            options.add(name) if sign == "-" else options.discard(name)


def _value(node: SgNode, options: set[str]) -> _Empty:
    """Return how likely the value that a variable is given is empty."""
    kind = node.kind()
    if kind in ("unset_command", "declaration_command"):
        return _Empty.NEVER if "nounset" in options else _Empty.MAYBE
    if kind == "for_statement":
        given = node.field_children("value")
        return max((_text(value) for value in given), default=_Empty.MAYBE)
    return _assigned(node, options) if kind == "variable_assignment" else _Empty.MAYBE


def _text(value: SgNode) -> _Empty:
    """Return how likely a text is empty, whatever its variables are."""
    text = value.text()
    for inner in _commands(value):
        text = text.replace(inner.text(), "")
    sure = _NEVER_EMPTY.search(text) or re.search(r"\w", _EXPANSION.sub("", text))
    return _Empty.NEVER if sure else _Empty.MAYBE


def _commands(value: SgNode) -> list[SgNode]:
    return [value] if value.kind() == "command_substitution" else value.find_all(kind="command_substitution")


def _assigned(node: SgNode, options: set[str]) -> _Empty:
    """Return how likely an assigned value is empty."""
    value = node.field("value")
    if value is None or node.text().partition("=")[0].endswith("+"):
        return _Empty.MAYBE
    sure = _text(value)
    if sure is _Empty.NEVER or not _commands(value):
        return sure
    parent = node.parent()
    kind = parent.kind() if parent is not None else ""
    handled = kind == "list" and parent is not None and re.search(r"\|\|\s*(?:exit|return|die)\b", parent.text())
    if handled or ("errexit" in options and kind not in ("declaration_command", "list") and "|" not in value.text()):
        return _Empty.NEVER
    return _Empty.HARDLY if "nounset" in options else _Empty.MAYBE


def _place(node: SgNode) -> _Place:
    span = node.range()
    return span.start.index, span.end.index, node.kind()


def _holder(node: SgNode) -> _Place | None:
    """Return what a statement is sure to have run in, once something behind it runs there."""
    parent = node.parent()
    while parent is not None and parent.kind() in _HELD_BY:
        if parent.kind() == "list" and parent.range().start.index != node.range().start.index:
            break  # it may be what && or || leaves out
        node, parent = parent, parent.parent()
    return _place(parent) if parent is not None else None
