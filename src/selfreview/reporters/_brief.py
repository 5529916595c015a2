"""Issues of the terminal report in brief."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from selfreview.api import Issue, Side
from selfreview.reporters import _words as words
from selfreview.reporters._paint import Paint
from selfreview.text.layout import cells, fit, fold

INDENT = "  "
GAP = "  "
ENOUGH = 32
"""Columns of a description below which it moves to a line of its own."""


class _Row(NamedTuple):
    """The parts of a line.

    Attributes:
        lead: The severity, padded and painted, or nothing.
        place, text, author: The other columns, in plain.
        taken: Columns of the place.
        room: Columns left for the text.
        needed: Columns that the text needs at least.
    """

    lead: str
    place: str
    text: str
    author: str
    taken: int
    room: int
    needed: int


def brief(issues: Sequence[Issue], width: int, paint: Paint, *, severities: bool) -> Iterator[str]:
    """Yield one line for each issue, or two where its text does not fit into one.

    Args:
        issues: In the order to show.
        width: Columns of the terminal.
        paint: Colours.
        severities: Whether each line begins with the severity.
    """
    level = max((len(issue.severity.value) for issue in issues), default=0) if severities else 0
    start = len(INDENT) + (level + len(GAP) if severities else 0)
    rows = [
        _row(issue, paint.severity(issue.severity, level) + GAP if severities else "", width - start)
        for issue in issues
    ]
    column = _column([row for row in rows if row.room >= row.needed])
    for row in rows:
        author = paint(row.author, "dim")
        if row.room >= row.needed:
            pad = max(0, column - row.taken)
            yield f"{INDENT}{row.lead}{row.place}{' ' * pad}{GAP}{fit(row.text, row.room - pad)} {author}"
        else:
            text = fit(row.text, max(ENOUGH, width - start - len(GAP) - cells(row.author) - 1))
            yield f"{INDENT}{row.lead}{row.place}"
            yield f"{' ' * start}{GAP}{text} {author}"


def _row(issue: Issue, lead: str, width: int) -> _Row:
    place, author = words.place(issue), f"[{words.author(issue)}]"
    text = fold(issue.description[:1000])
    if issue.side is Side.OLD and issue.line_start:
        text = f"(removed line) {text}"
    taken = cells(place)
    return _Row(
        lead, place, text, author, taken, width - taken - len(GAP) - 1 - cells(author), min(ENOUGH, cells(text))
    )


def _column(rows: Sequence[_Row]) -> int:
    """Return the width of the places when all texts can be aligned, else 0."""
    column = max((row.taken for row in rows), default=0)
    return column if all(row.room - (column - row.taken) >= row.needed for row in rows) else 0
