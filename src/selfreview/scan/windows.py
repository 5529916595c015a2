"""Windows of bounded size over a long text, each answerable for the matches that start in its own part."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

OWN = 16_000
"""Code points that a window is answerable for."""
BEFORE = 1_000
"""Code points of context before them: a keyword that a match starts with."""
AFTER = 8_000
"""Code points of context after them: longer than the private keys that people have."""


class Window(NamedTuple):
    """``text[start:end]`` is shown; matches whose value starts in ``[own_start, own_end)`` count."""

    start: int
    own_start: int
    own_end: int
    end: int


def windows(text: str) -> Iterator[Window]:
    """Cut a text into windows, at line breaks where there are any.

    The windows' own parts cover the text exactly once.
    """
    size = len(text)
    own_start = 0
    while own_start < size:
        own_end = min(own_start + OWN, size)
        if own_end < size:
            own_end = _after_break(text, own_start + OWN // 2, own_end)
        start = max(0, own_start - BEFORE)
        if start:
            start = _after_break(text, start - BEFORE, start)
        yield Window(start, own_start, own_end, min(own_end + AFTER, size))
        own_start = own_end


def _after_break(text: str, low: int, high: int) -> int:
    """Return the last offset up to ``high`` that follows a line feed, or ``high`` where there is none after ``low``."""
    position = text.rfind("\n", max(0, low), high)
    return position + 1 if position >= 0 else high
