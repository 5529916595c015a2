"""Match of a rule, before it is graded."""

from __future__ import annotations

import itertools
from typing import NamedTuple


class RawMatch(NamedTuple):
    """Match of a rule, as offsets in code points of the text."""

    rule: str
    title: str
    confidence: str
    start: int
    end: int


def line_starts(text: str) -> list[int]:
    """Return the offset at which each line of a text starts; lines end at line feeds only."""
    return [0, *itertools.accumulate(len(line) + 1 for line in text.split("\n")[:-1])]
