"""Debugging code that is left over."""

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
    Rule(
        id="python-debug-print",
        languages=("python",),
        severity=Severity.LOW,
        category=Category.STYLE,
        message="This looks like output for finding a bug.",
        suggestion="Remove the line, or log it.",
        needs=("print(",),
        hint=r"(?i)print\(\s*f?['\"](debug|here|xxx|aaa|got here|wtf|\{[^}]{0,500}=\})",
        match={
            "kind": "call",
            "any": [
                {"regex": r"^print\(\s*f['\"]\{[\w.\[\]()]+=\}['\"]\s*\)$"},
                {"regex": r"(?i)^print\(\s*f?['\"](debug|here|xxx+|aaa+|got here|wtf)\b[^'\"]{0,20}['\"]"},
            ],
            "not": {
                "inside": {
                    "kind": "with_statement",
                    "has": {"kind": "with_clause", "regex": r"\bredirect_std(out|err)\("},
                    "stopBy": "end",
                }
            },
        },
        where="product",
        fix="",
        bad=("print('here')", "print(f'{value=}')", "print('DEBUG', value)"),
        good=(
            "print('done')",
            "print(value)",
            "print(f'{value}')",
            """
            with contextlib.redirect_stdout(text):
                print(f'{value=}')
            """,
        ),
    ),
    Rule(
        id="python-icecream",
        languages=("python",),
        severity=Severity.LOW,
        category=Category.STYLE,
        message="ic() is for looking for a bug: it writes to standard error and needs a package for development.",
        suggestion="Remove the call.",
        needs=("icecream",),
        match={"kind": "import_from_statement", "regex": r"^from icecream import"},
        bad=("from icecream import ic",),
        good=("from icecream_shop import ic",),
    ),
)
