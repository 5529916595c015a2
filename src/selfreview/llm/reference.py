"""References: pieces of unchanged code that are shown beside a change, also of lines that do not touch."""

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
    said = [number for number, row in left.items() if re.search(r"\w", row)]
    if not said:
        return None
    kept = [number for number in left if said[0] <= number <= said[-1]]
    lines = [left.get(number, "") for number in range(1, kept[-1] + 1)]
    return excerpt(reference.path, lines, kept, reference.why) if len(left) < len(rows) else reference


def _with_gaps(lines: Sequence[str], wanted: Sequence[int]) -> Iterator[str]:
    above = wanted[0] - 1
    for number in wanted:
        if number > above + 1:
            yield GAP
        yield lines[number - 1]
        above = number
