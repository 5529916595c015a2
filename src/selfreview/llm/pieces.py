"""Pieces of a file that are shown: hunks, widened to the definitions around them."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Iterable, Iterator, Sequence
from typing import Literal, NamedTuple

from selfreview.api.context import Hunk, SourceText
from selfreview.llm.outline import Definition, enclosing
from selfreview.model.change import LineRange, merge_ranges

_LEAST = 3
"""Lines of context around every hunk."""
_BLANK = 1
"""Lines of context around a hunk that changes only blank lines and the ends of lines."""
_PLAIN = 8
"""Lines of context where the structure of a file is not known, or a hunk is in no function."""
_LONG = 15
"""Lines of context in a function that is too long to show."""
_WHOLE = 120
"""Maximum lines of a function that is shown from its first to its last."""


class Line(NamedTuple):
    """Line of a piece.

    Attributes:
        number: 1-based on the new side, None for a removed line.
        mark: ``"+"``, ``"-"`` or ``" "``.
        text: The exact line without its line feed; bytes that are not UTF-8 stand as surrogates.
    """

    number: int | None
    mark: Literal["+", "-", " "]
    text: str


@dataclasses.dataclass(frozen=True)
class Piece:
    """Piece of a file: consecutive lines that are shown.

    Attributes:
        lines: At least one line, in order.
        heading: The signatures of what encloses the first line and the first change and begins above, or None.
    """

    lines: tuple[Line, ...]
    heading: str | None = None


class _Marked(NamedTuple):
    """Added lines by number, removed ones by the number of the new line above, the hunks' extents, and those of hunks
    that change only blank lines and the ends of lines."""

    added: set[int]
    removed: dict[int, list[Line]]
    extents: list[LineRange]
    blank: list[LineRange]


def pieces_of_hunks(hunks: Iterable[Hunk]) -> Iterator[Piece]:
    """Show hunks as they are."""
    for hunk in hunks:
        if hunk.lines:
            yield Piece(tuple(Line(line.new_line, line.kind, line.text) for line in hunk.lines))


def pieces_of_text(hunks: Iterable[Hunk], text: SourceText, definitions: Sequence[Definition]) -> Iterator[Piece]:
    """Show hunks with what encloses them; pieces that touch are joined.

    Args:
        hunks: What changed.
        text: The whole new side.
        definitions: Its outline; empty where it is not known.
    """
    marked = _mark(hunks)
    count = len(text.lines)
    wide = [_widened(extent, count, definitions) for extent in marked.extents]
    narrow = [LineRange(max(first - _BLANK, 1), min(last + _BLANK, count)) for first, last in marked.blank]
    for shown in merge_ranges([*wide, *narrow]):
        lines = list(marked.removed.get(0, ())) if shown.first == 1 else []
        for number in range(shown.first, shown.last + 1):
            lines.append(Line(number, "+" if number in marked.added else " ", text.line(number)))
            lines += marked.removed.get(number, ())
        if lines:
            yield Piece(tuple(lines), heading_at(definitions, shown.first, _changed(lines)))


def _mark(hunks: Iterable[Hunk]) -> _Marked:
    marked = _Marked(set(), {}, [], [])
    for hunk in hunks:
        numbers = [line.new_line for line in hunk.lines if line.new_line is not None]
        above = numbers[0] - 1 if numbers else hunk.new_start
        extents = marked.blank if _is_blank(hunk) else marked.extents
        extents.append(LineRange(numbers[0], numbers[-1]) if numbers else LineRange(above, above + 1))
        for line in hunk.lines:
            if line.new_line is None:
                marked.removed.setdefault(above, []).append(Line(None, "-", line.text))
                continue
            above = line.new_line
            if line.kind == "+":
                marked.added.add(above)
    return marked


def _is_blank(hunk: Hunk) -> bool:
    """Return whether a hunk changes only blank lines and the ends of lines; white space before code can matter."""
    before, after = (
        [text for line in hunk.lines if line.kind != mark and (text := line.text.rstrip())] for mark in "+-"
    )
    return before == after


def _widened(extent: LineRange, count: int, definitions: Sequence[Definition]) -> LineRange:
    """Return the lines to show for a hunk of a file of ``count`` lines."""
    first, last = extent
    starts, ends = [first - _LEAST], [last + _LEAST]
    for edge in extent:
        functions = [item for item in enclosing(definitions, edge) if item.kind == "function"]
        fitting = [item for item in functions if item.line_end - item.line_start < _WHOLE]
        if fitting:
            starts.append(fitting[0].line_start)
            ends.append(fitting[0].line_end)
        else:
            around = _LONG if functions else _PLAIN
            starts.append(first - around if edge == first else first)
            ends.append(last + around if edge == last else last)
    return LineRange(max(min(starts), 1), min(max(ends), count))


def _changed(lines: Sequence[Line]) -> int | None:
    """Return the number of the first changed line; of a removed line that of the next line still there."""
    rest = itertools.dropwhile(lambda line: line.mark == " ", lines)
    return next((line.number for line in rest if line.number is not None), None)


def heading_at(definitions: Sequence[Definition], first: int, changed: int | None = None) -> str | None:
    """Return the signatures of the definitions around a piece that begins at a line, outermost first, or None.

    Args:
        definitions: The outline of the file.
        first: The first line of the piece.
        changed: A line that must stand in it too: what ends before the change is no heading of it.
    """
    around = (item for item in enclosing(definitions, first) if item.line_start < first)
    return " > ".join(item.signature for item in around if changed is None or changed in item) or None
