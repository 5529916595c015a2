"""Issues as the commands on earlier reviews list them: one a line, with the id that ``selfreview show`` takes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from selfreview.model.issue import Issue
from selfreview.reporters import words
from selfreview.reporters.terminal.paint import Paint
from selfreview.text.escape import visible
from selfreview.text.layout import cells, fit, fold

_ENOUGH = 24
"""Minimum columns of a description."""


def listed(issues: Sequence[Issue], paint: Paint, width: int) -> Iterator[str]:
    """Yield one line for each issue, in the order given.

    Args:
        issues: The issues.
        paint: Colours.
        width: Columns of the terminal.
    """
    level = max((len(issue.severity.value) for issue in issues), default=0)
    for issue in issues:
        head = f"  {visible(issue.id)}  {paint.severity(issue.severity, level)}  {words.place(issue)}  "
        room = width - len(visible(issue.id)) - level - cells(words.place(issue)) - 8
        yield head + fit(fold(issue.description), max(_ENOUGH, room))
