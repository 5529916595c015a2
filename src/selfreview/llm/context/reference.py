"""References: pieces of unchanged code that are shown beside a change, in whole statements."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

GAP = "…"
"""Mark in place of lines that are not shown."""


class Reference(NamedTuple):
    """Piece of unchanged code.

    Attributes:
        path: Its file.
        line_start, line_end: Its first and its last line, counted from 1.
        text: Those lines; a line of only an ellipsis stands for some that are left out.
        why: What it has to do with the change, in a few words for the model.
    """

    path: str
    line_start: int
    line_end: int
    text: str
    why: str


def excerpt(path: str, lines: Sequence[str], numbers: Iterable[int], why: str) -> Reference:
    """Return some lines of a file as one reference.

    Args:
        path: The file.
        lines: All of its lines.
        numbers: 1-based numbers of those to show, at least one, in any order.
        why: See :class:`Reference`.
    """
    wanted = sorted(set(numbers))
    return Reference(path, wanted[0], wanted[-1], "\n".join(_with_gaps(lines, wanted)), why)


def without(reference: Reference, shown: Mapping[int, str]) -> Reference | None:
    """Return a reference without lines that are shown anyhow, or None where none remain.

    Args:
        reference: What to cut; one that leaves lines out stays as it is, for they cannot be numbered.
        shown: Lines of its file by number.
    """
    rows = reference.text.split("\n")
    if GAP in rows:
        return reference
    left = {number: row for number, row in enumerate(rows, reference.line_start) if shown.get(number) != row}
    worded = [number for number, row in left.items() if re.search(r"\w", row)]
    if not worded:
        return None
    kept = [number for number in left if worded[0] <= number <= worded[-1]]
    lines = [left.get(number, "") for number in range(1, kept[-1] + 1)]
    return excerpt(reference.path, lines, kept, reference.why) if len(left) < len(rows) else reference


def _with_gaps(lines: Sequence[str], wanted: Sequence[int]) -> Iterator[str]:
    above = wanted[0] - 1
    for number in wanted:
        if number > above + 1:
            yield GAP
        yield lines[number - 1]
        above = number


_FARTHEST = 12
"""Maximum lines that a statement is followed up or down."""
_OPENING = {")": "(", "]": "[", "}": "{"}
_NO_CODE = re.compile(r"\"(?:\\.|[^\"\\])*\"|'(?:\\.|[^'\\])*'|`[^`]*`|(?:^|\s)(?://|#(?!\[)|--\s).*")
_BLOCK = re.compile(r"[({\[,:=?]\s*$|\breturn\s*$")
"""Text before a brace that opens a value and not a block."""


def around(lines: Sequence[str], number: int, more: int) -> tuple[int, int]:
    """Return the first and last line of the statement that a line is part of, with whole lines around it.

    Args:
        lines: All lines of a file.
        number: The line, 1-based.
        more: How many lines are wanted before and after the line itself; none that are half of another statement.
    """
    first = _start(lines, number)
    last = max(end_of(lines, first), end_of(lines, number))
    above, end = min(first, max(number - more, 1)), min(number + more, len(lines))
    while above < first and (_start(lines, above) < above or not lines[above - 1].strip()):
        above += 1
    below = last
    while below < end and end_of(lines, below + 1) <= end + more:
        below = end_of(lines, below + 1)
    while below > last and not lines[below - 1].strip():
        below -= 1
    return above, below


def _start(lines: Sequence[str], number: int) -> int:
    """Return the line with the outermost bracket that is open where a line begins; the line itself where none is."""
    found = number
    closed = 0
    for current in range(number - 1, max(number - _FARTHEST, 1) - 1, -1):
        for mark, before in reversed(list(_brackets(lines[current - 1]))):
            if mark in _OPENING:
                closed += 1
            elif closed:
                closed -= 1
            elif mark == "{" and not _BLOCK.search(before):
                return found
            else:
                found = current
    return found


def decorators(lines: Sequence[str], first: int) -> range:
    """Return the lines of the decorators and annotations of a definition that begins at a line with them."""
    number = first
    while number <= len(lines) and lines[number - 1].lstrip().startswith("@"):
        number = end_of(lines, number) + 1
    return range(first, number)


def head(lines: Sequence[str], first: int) -> range:
    """Return the lines of a definition before its body, without decorators, when it begins at a line."""
    start = min(decorators(lines, first).stop, len(lines))
    return range(start, end_of(lines, start) + 1)


def end_of(lines: Sequence[str], number: int) -> int:
    """Return the line that closes what a line leaves open; the line itself where that is too far, or a block."""
    opened = 0
    for current in range(number, min(number + _FARTHEST, len(lines)) + 1):
        for mark, before in _brackets(lines[current - 1]):
            if mark in _OPENING:
                opened = max(opened - 1, 0)
            elif mark != "{" or opened or _BLOCK.search(before):
                opened += 1
            else:
                return current
        if not opened:
            return current
    return number


def _brackets(line: str) -> Iterator[tuple[str, str]]:
    """Yield the brackets of a line outside of strings and comments, each with the text before it."""
    code = _NO_CODE.sub(lambda match: " " * len(match[0]), line)
    for match in re.finditer(r"[()\[\]{}]", code):
        yield match[0], code[: match.start()]
