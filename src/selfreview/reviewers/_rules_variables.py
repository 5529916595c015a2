"""Values that a variable may have at a place, within one function."""

from __future__ import annotations

import bisect
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
        self._known_blocks: dict[Extent, Extent] = {}

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
        everywhere = self._assignments.get(name, {})
        for scope in self._scopes_around(position) if everywhere else ():
            here = everywhere.get(scope, [])
            count = bisect.bisect_right(here, position, key=lambda item: item.place[1])
            if count:
                return here[self._last_certain(here, count, position) : count]
        return []

    def _last_certain(self, assignments: list[Assignment], count: int, position: int) -> int:
        """Return which of the first assignments is the last that surely took place before a position, or 0."""
        for index in range(count - 1, -1, -1):
            item = assignments[index]
            if not item.appends:
                if item.place not in self._known_blocks:
                    self._known_blocks[item.place] = _block(item.node)
                start, end = self._known_blocks[item.place]
                if start <= position < end:
                    return index
        return 0

    def _scopes_around(self, position: int) -> Iterator[Extent]:
        index = bisect.bisect_right(self._scopes, position, key=lambda scope: scope[0]) - 1
        while index >= 0:
            if position < self._scopes[index][1]:
                yield self._scopes[index]
            index = self._outer[index]
        yield (0, len(self.source))

    @cached_property
    def _scopes(self) -> list[Extent]:
        """The functions, each behind the function that it is nested in."""
        nodes = self._root.find_all(any=[{"kind": kind} for kind in self.grammar.functions])
        return sorted((extent(node) for node in nodes), key=lambda scope: (scope[0], -scope[1]))

    @cached_property
    def _outer(self) -> list[int]:
        """Index of the function around each function; -1 for none."""
        outer: list[int] = []
        around: list[int] = []
        for index, (start, _) in enumerate(self._scopes):
            while around and self._scopes[around[-1]][1] <= start:
                around.pop()
            outer.append(around[-1] if around else -1)
            around.append(index)
        return outer

    @cached_property
    def _assignments(self) -> dict[str, dict[Extent, list[Assignment]]]:
        """Those of each name in each function, by where they end."""
        found: dict[str, dict[Extent, list[Assignment]]] = {}
        for node in self._root.find_all(any=[{"kind": kind} for kind in self.grammar.assignments]):
            parts = node.named_children()
            if len(parts) < 2:
                continue
            between = self.source[extent(parts[-2])[1] : extent(parts[-1])[0]]
            item = Assignment(extent(node), node, parts[-1], between.strip() in ("+=", ".="))
            for name in {self.text(part).partition(":")[0].strip() for part in parts[:-1]}:
                found.setdefault(name, {}).setdefault(self.scope(item.place[0]), []).append(item)
        for everywhere in found.values():
            for here in everywhere.values():
                here.sort(key=lambda item: item.place[1])
        return found


def extent(node: SgNode) -> Extent:
    """Return where a node starts and ends."""
    span = node.range()
    return span.start.index, span.end.index


def _block(node: SgNode) -> Extent:
    parent = node.parent()
    while parent is not None and parent.kind() not in BLOCKS:
        parent = parent.parent()
    return extent(parent) if parent is not None else (0, 0)
