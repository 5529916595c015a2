"""What is left over from looking for a bug."""

from __future__ import annotations

from selfreview.model.issue import Category, Severity
from selfreview.rules.rule import Rule

RULES = (
    Rule(
        id="python-breakpoint",
        languages=("python",),
        severity=Severity.MEDIUM,
        category=Category.LOGIC,
        message="A debugger stops the program here and waits for somebody at a terminal.",
        suggestion="Remove the line.",
        needs=("breakpoint(", "set_trace("),
        match={
            "kind": "expression_statement",
            "has": {
                "any": [
                    {"pattern": "breakpoint()"},
                    {"pattern": "$DEBUGGER.set_trace($$$)"},
                    {"pattern": "set_trace()"},
                ]
            },
        },
        fix="",
        bad=(
            """
            def total(items):
                breakpoint()  <--
                return sum(items)
            """,
            "import pdb; pdb.set_trace()",
        ),
        good=(
            """
            def set_trace(frame):
                return frame
            """,
            "debugger.breakpoint(address)",
        ),
    ),
)
