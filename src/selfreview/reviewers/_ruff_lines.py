"""Ruff's lines and ours: ruff, as Python, also ends a line at a lone carriage return."""

from __future__ import annotations

import re
from typing import NamedTuple

from selfreview.api import SourceText

_LONE_RETURN = re.compile(r"\r(?!$)")


class _Start(NamedTuple):
    line: int
    offset: int


class LineMap:
    """Translates positions in one file.

    Args:
        text: The file as we split it.
    """

    def __init__(self, text: SourceText) -> None:
        self._starts: list[_Start] | None = None
        if any(_LONE_RETURN.search(line) for line in text.lines):
            self._starts = [
                _Start(number, offset)
                for number, line in enumerate(text.lines, 1)
                for offset in (0, *(match.end() for match in _LONE_RETURN.finditer(line)))
            ]

    def position(self, row: int, column: int) -> tuple[int, int]:
        """Return our line and column, both from 1, of a row and column of ruff's."""
        if self._starts is None or not 1 <= row <= len(self._starts):
            return row, column
        start = self._starts[row - 1]
        return start.line, start.offset + column
