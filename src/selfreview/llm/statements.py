"""Extents of statements that span lines, by their brackets, in any language."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

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
