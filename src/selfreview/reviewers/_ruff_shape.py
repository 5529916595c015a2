"""Syntax of the code around a finding, where a rule alone is too weak to block.

A mutable default harms only where the function changes it or hands it out; a closure over a loop variable only where
it is kept beyond its round of the loop.
"""

from __future__ import annotations

import bisect
import functools
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ast_grep_py import SgNode

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
        around = parent.parent()
        if around is None:
            return False
        if around.kind() in ("assignment", "augmented_assignment"):
            return _same(around.field("left"), parent)
        above = around.parent() if around.kind() == "expression_list" else around
        return above is not None and above.kind() == "delete_statement"
    if kind == "augmented_assignment":
        return _same(parent.field("left"), use)
    return kind in ("return_statement", "yield") or (kind == "assignment" and _same(parent.field("right"), use))


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
