"""What the other rules did not look at."""

from __future__ import annotations

from selfreview.model.issue import Category, Severity
from selfreview.rules.languages import FOLDERS
from selfreview.rules.rule import Rule

RULES = (
    Rule(
        id="line-too-long-to-review",
        languages=tuple(FOLDERS),
        severity=Severity.MEDIUM,
        category=Category.SECURITY,
        message="No rule looked at this line: it holds more than 20,000 characters of code.",
        suggestion="Break the line, move the data into a file of its own, or mark the file linguist-generated.",
        needs=(),
        coded=True,
        bad=("x = [" + "f(y), " * 5_000 + "];  <--",),
        good=("x = '" + "a" * 30_000 + "';", "x = [" + "f(y), " * 3_000 + "];"),
    ),
)
