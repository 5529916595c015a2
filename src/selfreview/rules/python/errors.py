"""Errors that vanish."""

from __future__ import annotations

from selfreview.model.issue import Category, Severity
from selfreview.rules.rule import Rule

RULES = (
    Rule(
        id="python-bare-except-pass",
        languages=("python",),
        severity=Severity.MEDIUM,
        category=Category.LOGIC,
        message="Every error is dropped here, Ctrl-C, exit and misspelt names included; nobody learns why it failed.",
        suggestion="Catch the errors that are expected, and log the rest or let them pass.",
        needs=("except:", "except BaseException"),
        match={
            "kind": "except_clause",
            "all": [
                {"regex": r"^except(\s+BaseException(\s+as\s+\w+)?)?\s*:"},
                {"has": {"kind": "block", "regex": r"^(pass|continue|\.\.\.)$"}},
            ],
        },
        bad=(
            """
            try:
                save()
            except:  <--
                pass
            """,
            """
            for item in items:
                try:
                    save(item)
                except BaseException:  <--
                    continue
            """,
        ),
        good=(
            """
            try:
                save()
            except OSError:
                pass
            """,
            """
            try:
                save()
            except:
                rollback()
                raise
            """,
        ),
    ),
    Rule(
        id="python-except-or",
        languages=("python",),
        severity=Severity.MEDIUM,
        category=Category.LOGIC,
        message="`A or B` is just A: the second kind of error is not caught.",
        suggestion="Write the kinds as a tuple.",
        needs=("except",),
        match={
            "pattern": "$FIRST or $SECOND",
            "inside": {
                "any": [
                    {"kind": "except_clause"},
                    {
                        "any": [{"kind": "as_pattern"}, {"kind": "parenthesized_expression"}],
                        "inside": {"kind": "except_clause"},
                    },
                    {
                        "kind": "parenthesized_expression",
                        "inside": {"kind": "as_pattern", "inside": {"kind": "except_clause"}},
                    },
                ]
            },
        },
        bad=(
            """
            try:
                read()
            except (OSError or ValueError) as error:  <--
                report(error)
            """,
            """
            try:
                read()
            except OSError or ValueError:  <--
                report()
            """,
        ),
        good=(
            """
            try:
                read()
            except (OSError, ValueError):
                found = first or second
            """,
        ),
    ),
)
