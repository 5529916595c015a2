"""Positions of a text that are in comments."""

from __future__ import annotations

import bisect
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from selfreview.syntax.languages import language_of
from selfreview.syntax.parsing import parse, spared

if TYPE_CHECKING:
    from ast_grep_py import Range, SgNode

_LONGEST_LINE = 5_000
_MOST_CHARACTERS = 1_000_000
"""Above these a parser takes too long, or too much of the stack."""

_PROSE = (".md", ".markdown", ".rst", ".txt", ".adoc", ".html", ".htm", ".xml", ".svg", ".vue")
"""Text in which ``#`` and the like begin no comment."""
_MARKUP_OPENER = re.compile(r"<!--|^\s*\.\.\s|\{[#*]|^\s*//")
_OPENER = re.compile(r"(?:(?<![^\s;{})\],])(?:#|//|--|;|%|!|\.\.|\b[Rr][Ee][Mm]\b)|/\*|^\s*\*|<!--|\{[#-]|\(\*|<#)")
_QUOTED = re.compile(r"(?:.*[./])?(?:vim|g?vimrc|_g?vimrc|vbs?|bas|cls|frm)", re.IGNORECASE | re.DOTALL)
"""Languages in which a quote at the start of a line begins a comment; in others it begins a text."""
_QUOTE_OPENER = re.compile(rf"{_OPENER.pattern}|^\s*['\"]")


class Comment(NamedTuple):
    """A comment, or what a line holds of one.

    Attributes:
        first, last: Its lines, from 1, inclusive.
        alone: Whether nothing but white space stands beside it on these lines.
    """

    first: int
    last: int
    alone: bool


class Comments:
    """The comments of a text, which is parsed when it is first asked about.

    Args:
        path: Whose ending tells the language; one that no parser is here for is judged by its lines alone.
        lines: The text, split at line feeds.
    """

    def __init__(self, path: str, lines: Sequence[str]) -> None:
        self._lines = lines
        code = _QUOTE_OPENER if _QUOTED.fullmatch(path) else _OPENER
        self._opener = _MARKUP_OPENER if path.lower().endswith(_PROSE) else code
        long = sum(map(len, lines)) > _MOST_CHARACTERS or max(map(len, lines), default=0) > _LONGEST_LINE
        self._language = None if long else language_of(path)
        self._root: SgNode | None = None
        self._spared: frozenset[int] = frozenset()
        self._children = _Children()

    def at(self, line: int, column: int) -> Comment | None:
        """Return the comment that a place is in, or None where it is in code or in a string.

        Args:
            line: From 1.
            column: From 0, in code points.
        """
        if self._language is None:
            return _by_line(self._lines[line - 1], line, column, self._opener)
        node: SgNode | None = self._parsed(self._language)
        depth = 0
        if line - 1 in self._spared:
            return _spared(self._lines[line - 1], line, column)
        while node is not None and "comment" not in node.kind():
            node, depth = self._children.at(node, depth, line - 1, column), depth + 1
        return _of_node(node, self._lines) if node is not None else None

    def alone_in(self, line: int) -> Comment | None:
        """Return the comment that a line holds and nothing else, or None."""
        length = len(self._lines[line - 1].rstrip())
        comment = self.at(line, length if self._language is None else length - 1) if length else None
        return comment if comment is not None and comment.alone else None

    def _parsed(self, language: str) -> SgNode:
        if self._root is None:
            # Without lone surrogates; each stays one character.
            text = "\n".join(self._lines).encode("utf-8", "replace").decode("utf-8")
            self._root, self._spared = parse(text, language), frozenset(spared(text, language))
        return self._root


class _Children:
    """Finds children by their place; what was listed once is kept."""

    def __init__(self) -> None:
        self._known: dict[tuple[int, int, int], tuple[list[tuple[int, int]], list[SgNode]]] = {}

    def at(self, node: SgNode, depth: int, line: int, column: int) -> SgNode | None:
        """Return the child of a node of some depth that holds a place, or None; lines and columns from 0."""
        extent = node.range()
        key = (depth, extent.start.index, extent.end.index)
        if key not in self._known:
            listed = node.children()
            self._known[key] = [(c.range().start.line, c.range().start.column) for c in listed], listed
        starts, listed = self._known[key]
        at = bisect.bisect_right(starts, (line, column)) - 1
        while at > 0 and starts[at - 1] == starts[at] and not _holds(listed[at].range(), line, column):
            at -= 1  # beside nodes without extent
        return listed[at] if at >= 0 and _holds(listed[at].range(), line, column) else None


def _of_node(node: SgNode, lines: Sequence[str]) -> Comment:
    start, end = node.range().start, node.range().end
    # Some grammars count the line break as part of the comment.
    last, until = (end.line, end.column) if end.column else (end.line - 1, len(lines[end.line - 1]))
    beside = lines[start.line][: start.column].rstrip("{ \t") + lines[last][until:].lstrip("} \t")  # as in JSX
    return Comment(start.line + 1, last + 1, not beside.strip())


def _holds(extent: Range, line: int, column: int) -> bool:
    start, end = extent.start, extent.end
    return (start.line, start.column) <= (line, column) < (end.line, end.column)


def _spared(line: str, number: int, column: int) -> Comment | None:
    """Return the comment that is alone on a line, where a place is in it."""
    found = line.find("#")
    return Comment(number, number, alone=True) if 0 <= found <= column < len(line) else None


def _by_line(line: str, number: int, column: int, opener: re.Pattern[str]) -> Comment | None:
    found = opener.search(line, 0, column)
    return None if found is None else Comment(number, number, not line[: found.start()].strip())
