"""What the other rules did not look at."""

from __future__ import annotations

from selfreview.model.issue import Category, Severity
from selfreview.rules.languages import FOLDERS
from selfreview.rules.rule import Rule

RULES = (
    Rule(
        id="line-too-long-to-review",
        languages=tuple(FOLDERS),
        severity=Severity.LOW,
        category=Category.STYLE,
        message="No rule looked at this line: it is longer than 2,000 characters.",
        suggestion="Break the line, or move the data into a file of its own.",
        needs=(),
        coded=True,
        bad=("x = '" + "a" * 2_000 + "';  <--",),
        good=("x = '" + "a" * 1_900 + "';",),
    ),
)
