"""A Python file under judgement: its code without comments, the names that it defines dynamically, its syntax tree."""

from __future__ import annotations

import bisect
import functools
import re
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from selfreview.api import SourceText
from selfreview.syntax.parsing import parse
from selfreview.syntax.pytext import code_lines, parts

if TYPE_CHECKING:
    from ast_grep_py import SgNode

_TAG = re.compile(r"\{%[-+]?\s+\w")


class PythonFile:
    """One file's text; there may be as many findings in it as it has lines.

    Args:
        text: The file.
    """

    def __init__(self, text: SourceText) -> None:
        self._text = text
        self.line: Callable[[int], str] = text.line

    @functools.cached_property
    def code(self) -> list[str]:
        """The lines without strings and comments."""
        return code_lines(self._text.text)

    @functools.cached_property
    def comments(self) -> dict[int, str]:
        """The comments, by line from 1."""
        text, found = self._text.text, {}
        number, at = 1, 0
        for part in parts(text):
            if part.is_comment:
                number, at = number + text.count("\n", at, part.start), part.start
                found[number] = text[part.start : part.end]
        return found

    @functools.cached_property
    def dynamic(self) -> Dynamic:
        """The names that are defined dynamically, by no visible definition."""
        return defined_by(self.code, self._text.text.split("\n"))

    @functools.cached_property
    def is_template(self) -> bool:
        """Return whether the text is a template that generates Python."""
        return any(map(_has_tag, self.code))

    @functools.cached_property
    def root(self) -> SgNode:
        """The root of its syntax tree."""
        return parse(self._text.text, "python")

    @functools.cached_property
    def shape(self) -> Shape:
        """The shape of its code."""
        return Shape(self.root)


def _has_tag(line: str) -> bool:
    """Return whether a line of code has a template's ``{{ name }}`` or ``{% tag %}``.

    It is looked for by single strings, not by a pattern with two ends, which would read on from each beginning anew.
    """
    start = line.find("{{")
    if start >= 0 and line.find("}}", start + 2) >= 0:
        return True
    tag = _TAG.search(line) if "%}" in line else None
    return tag is not None and line.find("%}", tag.end()) >= 0


_MUTATORS = frozenset(
    {
        "append", "extend", "insert", "add", "update", "setdefault", "pop", "popitem", "remove", "discard", "clear",
        "sort", "reverse",
    }
)  # fmt: skip
_KEEPERS = frozenset(
    {
        "append", "appendleft", "add", "insert", "put", "put_nowait", "setdefault", "partial", "connect", "bind", "on",
        "subscribe", "register", "submit", "schedule", "after", "call_soon", "call_later", "add_done_callback",
        "add_listener", "add_handler", "add_command", "Thread", "Timer", "Process", "Task", "create_task",
    }
)  # fmt: skip
"""Functions that keep what they are given for later."""

_CALLBACK = re.compile(r"command|target|(.*_)?(callback|handler|listener|hook|factory)|on_?[a-z_]+|cb")
"""Keywords whose argument is kept for later."""

_CLOSURES = frozenset({"lambda", "function_definition"})
_LOOPS = frozenset(
    {"for_statement", "while_statement", "list_comprehension", "set_comprehension", "dictionary_comprehension",
     "generator_expression"}
)  # fmt: skip
_TRANSPARENT = frozenset({"parenthesized_expression", "conditional_expression", "list", "tuple", "dictionary", "set"})


class Shape:
    """One file's syntax tree; lines and columns count from 1 as a finding's do.

    Args:
        root: The tree's root.
    """

    def __init__(self, root: SgNode) -> None:
        self._root = root

    def default_is_kept(self, line: int, column: int) -> bool:
        """Return whether the function with a mutable default at this place changes it or passes it on.

        A parameter that starts with an underscore is a cache that its author meant. What is not found is kept.
        """
        parameter = self._defaults.get((line, column))
        name = parameter.field("name") if parameter is not None else None
        if parameter is None or name is None:
            return True
        function = next((a for a in parameter.ancestors() if a.kind() in _CLOSURES), None)
        body = function.field("body") if function is not None else None
        return not name.text().startswith("_") and (
            body is None or any(map(_changes_or_hands_out, self._uses(body, name.text())))
        )

    def closure_is_kept(self, line: int, column: int) -> bool:
        """Return whether a function that uses a loop variable at this place may be called after its iteration."""
        use = self._names.get((line, column))
        if use is None:
            return True
        for node in use.ancestors():
            kind = node.kind()
            if kind in _LOOPS:
                return False
            if kind == "lambda" and _is_kept(node):
                return True
            if kind == "function_definition" and self._definition_is_kept(node):
                return True
        return False

    @functools.cached_property
    def _defaults(self) -> dict[tuple[int, int], SgNode]:
        """The parameters that have a default, by the place of that; there may be a finding in each."""
        found: dict[tuple[int, int], SgNode] = {}
        for kind in ("default_parameter", "typed_default_parameter"):
            for parameter in self._root.find_all(kind=kind):
                value = parameter.field("value")
                if value is not None:
                    found[_place(value)] = parameter
        return found

    @functools.cached_property
    def _names(self) -> dict[tuple[int, int], SgNode]:
        """All names by place, in the order of the text."""
        return {_place(node): node for node in self._root.find_all(kind="identifier")}

    @functools.cached_property
    def _places(self) -> dict[str, tuple[list[int], list[SgNode]]]:
        """Positions and nodes of each name, in the order of the text."""
        found: dict[str, tuple[list[int], list[SgNode]]] = {}
        for node in self._names.values():
            starts, nodes = found.setdefault(node.text(), ([], []))
            starts.append(node.range().start.index)
            nodes.append(node)
        return found

    def _uses(self, scope: SgNode, name: str) -> Iterator[SgNode]:
        starts, nodes = self._places.get(name, ([], []))
        around = scope.range()
        first = bisect.bisect_left(starts, around.start.index)
        last = bisect.bisect_left(starts, around.end.index)
        return (nodes[at] for at in range(first, last))

    def _definition_is_kept(self, definition: SgNode) -> bool:
        parent, name = definition.parent(), definition.field("name")
        kinds = ("function_definition", "class_definition")
        around = next((a for a in definition.ancestors() if a.kind() in kinds), None)
        if name is None or (parent is not None and parent.kind() == "decorated_definition"):
            return True
        if around is not None and around.kind() == "class_definition":
            return True
        scope = around if around is not None else self._root
        return any(_is_kept(use) for use in self._uses(scope, name.text()) if not _same(name, use))


def _place(node: SgNode) -> tuple[int, int]:
    start = node.range().start
    return start.line + 1, start.column + 1


def _same(one: SgNode | None, other: SgNode) -> bool:
    return one is not None and one.range() == other.range()


def _changes_or_hands_out(use: SgNode) -> bool:
    parent = use.parent()
    if parent is None:
        return False
    kind = parent.kind()
    if kind == "attribute":
        attribute, call = parent.field("attribute"), parent.parent()
        called = call is not None and call.kind() == "call" and _same(call.field("function"), parent)
        return called and _same(parent.field("object"), use) and attribute is not None and attribute.text() in _MUTATORS
    if kind == "subscript" and _same(parent.field("value"), use):
        return _is_changed(parent)
    if kind == "augmented_assignment":
        return _same(parent.field("left"), use)
    return kind in ("return_statement", "yield") or (kind == "assignment" and _same(parent.field("right"), use))


def _is_changed(item: SgNode) -> bool:
    """Return whether an item is assigned to or deleted."""
    around = item.parent()
    if around is None:
        return False
    if around.kind() in ("assignment", "augmented_assignment"):
        return _same(around.field("left"), item)
    above = around.parent() if around.kind() == "expression_list" else around
    return above is not None and above.kind() == "delete_statement"


def _is_kept(node: SgNode) -> bool:
    """Return whether a function value at this place is stored for later."""
    parent = node.parent()
    while parent is not None and parent.kind() in _TRANSPARENT:
        node, parent = parent, parent.parent()
    if parent is None:
        return False
    kind = parent.kind()
    if kind == "keyword_argument":
        name = parent.field("name")
        if name is not None and _CALLBACK.fullmatch(name.text()):
            return True
        parent = parent.parent()
    if kind in ("argument_list", "keyword_argument"):
        call = parent.parent() if parent is not None else None
        function = call.field("function") if call is not None else None
        return function is not None and function.text().rpartition(".")[2] in _KEEPERS
    return kind not in ("call", "attribute", "expression_statement")


_ANY = re.compile(r"(?:(?<![\w.])(?<!def )|\bbuiltins\.)exec\(|\bsetattr\(\s*sys\.modules")
_SPACE = re.compile(r"\b(?:globals|vars)\(\)")
_METHOD = re.compile(r"\s*(?:\.\s*(?:update|setdefault|__setitem__)\b|\|=)")
_ITEM = re.compile(r"\s*\[(?!\s*\])")
"""An item; that of a literal key is empty once the text of strings is gone."""
_ASSIGNED = re.compile(r"\]\s*[-+*/%@&|^]?=(?!=)")
_ENDS = re.compile(r"\s*(?:[,)]|$)")
_CALLED = re.compile(r"(\w+)\s*\($")
_GIVEN = re.compile(r"(?P<start>^\s*+|(?=\w++\s*+:))?(?P<name>\w++)\s*+(?::[^:=]*)?=$")
_READERS = frozenset(
    {"all", "any", "bool", "copy", "deepcopy", "dict", "dir", "enumerate", "eval", "filter", "frozenset", "id", "iter",
     "len", "list", "map", "pprint", "print", "repr", "reversed", "set", "sorted", "str", "tuple", "type"}
)  # fmt: skip
_LONGEST = 20_000
"""Characters of a line that are still read: code that people write has none as long."""
_NEAR = 80
_MAX_ALIASES = 20


class Dynamic(NamedTuple):
    """Names that a module may define dynamically.

    Attributes:
        anything: Whether that may be any name.
        names: The names that are for sure.
    """

    anything: bool
    names: frozenset[str]

    def may_define(self, name: str | None) -> bool:
        """Return whether the module may define a name."""
        return self.anything or name in self.names


def defined_by(code: Sequence[str], raw: Sequence[str]) -> Dynamic:
    """Return the names that a module may define dynamically.

    Args:
        code: Its lines without what stands in strings and comments.
        raw: Its lines.
    """
    lines = [line[:_LONGEST] for line in code]
    if any(map(_ANY.search, lines)):
        return Dynamic(True, frozenset())
    aliases = {name: None for line in lines for name in _aliases(line)}
    names = list(aliases)[:_MAX_ALIASES]
    space = re.compile("|".join([_SPACE.pattern, *(rf"(?<![\w.]){re.escape(name)}\b(?!\()" for name in names)]))
    if any(_is_written(line, space) for line in lines):
        return Dynamic(True, frozenset())
    return Dynamic(False, frozenset(_literal(space, lines, raw)))


def _aliases(line: str) -> Iterator[str]:
    for found in _SPACE.finditer(line):
        given = _given(_before(line, found))
        if given is not None and given["start"] is not None and _ENDS.match(line, found.end()):
            yield given["name"]


def _is_written(line: str, space: re.Pattern[str]) -> bool:
    """Return whether a line writes, or may write, to the module's namespace under a name that is not known."""
    assigned = 0
    for found in space.finditer(line):
        assigned = assigned or max((item.end() for item in _ASSIGNED.finditer(line)), default=-1)
        if _METHOD.match(line, found.end()):
            return True
        if _ITEM.match(line, found.end()) and found.end() < assigned:
            return True
        if _ENDS.match(line, found.end()) and _is_handed_over(_before(line, found), line[found.end() :][:_NEAR]):
            return True
    return False


def _is_handed_over(before: str, after: str) -> bool:
    """Return whether the namespace between two texts is passed to a function that may write to it."""
    if before.endswith("("):
        called = _CALLED.search(before)
        return called is not None and called[1] not in _READERS
    if not before:
        return after.strip() != ""
    if before.endswith(","):
        return re.search(r"\beval\(", before) is None
    given = _given(before)
    return given is not None and given["start"] is None and given["name"] != "globals"


def _before(line: str, found: re.Match[str]) -> str:
    return line[max(0, found.start() - _NEAR) : found.start()].rstrip()


def _given(before: str) -> re.Match[str] | None:
    return _GIVEN.search(before) if before.endswith("=") else None


def _literal(space: re.Pattern[str], code: Sequence[str], raw: Sequence[str]) -> Iterator[str]:
    written = rf"(?:{space.pattern})\s*\[\s*(?:[\"'](\w+)[\"']\s*)?\]\s*=(?!=)"
    for line, text in zip(code, raw, strict=False):
        there = len(re.findall(written, line)) if "]" in line else 0
        found = re.findall(written, text[:_LONGEST]) if there else []
        if len(found) == there:  # else a comment or a string says the same
            yield from found
