"""Which values a variable may have at a place, within one function."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from selfreview.reviewers._rules_grammar import BLOCKS, Grammar

if TYPE_CHECKING:
    from ast_grep_py import SgNode

Extent = tuple[int, int]
"""Start and end in code points from the start of the file."""


class Assignment(NamedTuple):
    """One assignment: its extent, the statement, the value, and whether that is appended."""

    place: Extent
    node: SgNode
    value: SgNode
    appends: bool


class Variables:
    """The assignments of one file, found when they are first asked for.

    Args:
        root: Root of the parsed file.
        grammar: Kinds of its language.
        source: The parsed text.
    """

    def __init__(self, root: SgNode, grammar: Grammar, source: str) -> None:
        self.grammar = grammar
        self.source = source
        self._root = root
        self._known_scopes: dict[int, Extent] = {}

    def text(self, node: SgNode, limit: int = 1 << 30) -> str:
        """Return a node's text, or its first ``limit`` characters."""
        start, end = extent(node)
        return self.source[start : min(end, start + limit)]

    def scope(self, position: int) -> Extent:
        """Return the extent of the innermost function around a position, or of the file."""
        if position not in self._known_scopes:
            self._known_scopes[position] = next(self._scopes_around(position))
        return self._known_scopes[position]

    def reaching(self, name: str, position: int) -> list[Assignment]:
        """Return the assignments that may decide a variable's value at a position, in order."""
        before = [item for item in self._assignments.get(name, ()) if item.place[1] <= position]
        for scope in self._scopes_around(position) if before else ():
            here = [item for item in before if self.scope(item.place[0]) == scope]
            if here:
                return _since_the_last_certain(here, position)
        return []

    def _scopes_around(self, position: int) -> Iterator[Extent]:
        yield from (scope for scope in self._scopes if scope[0] <= position < scope[1])
        yield (0, len(self.source))

    @cached_property
    def _scopes(self) -> list[Extent]:
        nodes = self._root.find_all(any=[{"kind": kind} for kind in self.grammar.functions])
        return sorted((extent(node) for node in nodes), key=lambda scope: scope[1] - scope[0])

    @cached_property
    def _assignments(self) -> dict[str, list[Assignment]]:
        found: dict[str, list[Assignment]] = {}
        for node in self._root.find_all(any=[{"kind": kind} for kind in self.grammar.assignments]):
            parts = node.named_children()
            if len(parts) < 2:
                continue
            between = self.source[extent(parts[-2])[1] : extent(parts[-1])[0]]
            item = Assignment(extent(node), node, parts[-1], between.strip() in ("+=", ".="))
            for name in {self.text(part).partition(":")[0].strip() for part in parts[:-1]}:
                found.setdefault(name, []).append(item)
        return found


def extent(node: SgNode) -> Extent:
    """Return where a node starts and ends."""
    span = node.range()
    return span.start.index, span.end.index


def _since_the_last_certain(assignments: list[Assignment], position: int) -> list[Assignment]:
    for index in range(len(assignments) - 1, -1, -1):
        if not assignments[index].appends:
            start, end = _block(assignments[index].node)
            if start <= position < end:
                return assignments[index:]
    return assignments


def _block(node: SgNode) -> Extent:
    parent = node.parent()
    while parent is not None and parent.kind() not in BLOCKS:
        parent = parent.parent()
    return extent(parent) if parent is not None else (0, 0)
