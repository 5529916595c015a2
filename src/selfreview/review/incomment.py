"""Which places of a text are in comments."""

from __future__ import annotations

import bisect
import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from selfreview.rules.languages import language_of

if TYPE_CHECKING:
    from ast_grep_py import Range, SgNode

_LONGEST_LINE = 5_000
_MOST_CHARACTERS = 1_000_000
"""Above these a parser takes too long, or too much of the stack."""

_PROSE = (".md", ".markdown", ".rst", ".txt", ".adoc", ".html", ".htm", ".xml", ".svg", ".vue")
"""Text in which ``#`` and the like begin no comment."""
_MARKUP_OPENER = re.compile(r"<!--|^\s*\.\.\s|\{[#*]|^\s*//")
_OPENER = re.compile(
    r"(?:(?<![^\s;{})\],])(?:#|//|--|;|%|'|\"|!|\.\.|\b[Rr][Ee][Mm]\b)|/\*|^\s*\*|<!--|\{[#-]|\(\*|<#)"
)


class Comment(NamedTuple):
    """A comment, or what a line holds of one.

    Attributes:
        first, last: Its lines, from 1, inclusive.
        alone: Whether nothing but white space stands beside it on these lines.
    """

    first: int
    last: int
    alone: bool


def comment_at(path: str, lines: Sequence[str], spots: Sequence[tuple[int, int]]) -> Iterator[Comment | None]:
    """Yield the comment that each spot is in, or None where it is in code or in a string.

    Args:
        path: Whose ending tells the language; one that no parser is here for is judged by its lines alone.
        lines: The text, split at line feeds.
        spots: Line, from 1, and column, from 0, in code points.
    """
    language = language_of(path)
    if language is None or sum(map(len, lines)) > _MOST_CHARACTERS or max(map(len, lines)) > _LONGEST_LINE:
        opener = _MARKUP_OPENER if path.lower().endswith(_PROSE) else _OPENER
        yield from (_by_line(lines[line - 1], line, column, opener) for line, column in spots)
        return
    from ast_grep_py import SgRoot

    text = "\n".join(lines).encode("utf-8", "replace").decode("utf-8")  # lone surrogates; each stays one character
    root = SgRoot(text, language).root()
    children = _Children()
    for line, column in spots:
        node: SgNode | None = root
        depth = 0
        while node is not None and "comment" not in node.kind():
            node, depth = children.at(node, depth, line - 1, column), depth + 1
        yield _of_node(node, lines) if node is not None else None


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


def _by_line(line: str, number: int, column: int, opener: re.Pattern[str]) -> Comment | None:
    found = opener.search(line, 0, column)
    return None if found is None else Comment(number, number, not line[: found.start()].strip())
