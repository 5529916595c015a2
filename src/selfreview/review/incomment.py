"""Which places of a text are in comments."""

from __future__ import annotations

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
    for line, column in spots:
        node: SgNode | None = root
        while node is not None and "comment" not in node.kind():
            node = next((child for child in node.children() if _holds(child.range(), line - 1, column)), None)
        yield _of_node(node, lines) if node is not None else None


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
