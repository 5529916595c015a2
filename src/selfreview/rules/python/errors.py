"""Errors that vanish, and debugging code that is left over."""

from __future__ import annotations

from selfreview.model.issue import Category, Severity
from selfreview.rules.rule import Rule

RULES = (
    Rule(
        id="python-breakpoint",
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
        severity=Severity.LOW,
        category=Category.STYLE,
        message="ic() is for looking for a bug: it writes to standard error and needs a package for development.",
        suggestion="Remove the call.",
        needs=("icecream",),
        match={"kind": "import_from_statement", "regex": r"^from icecream import"},
        bad=("from icecream import ic",),
        good=("from icecream_shop import ic",),
    ),
    Rule(
        id="python-bare-except-pass",
        severity=Severity.MEDIUM,
        category=Category.LOGIC,
        message="Every error is dropped here, Ctrl-C, exit and misspelt names included; nobody learns why it failed.",
        suggestion="Catch the errors that are expected, and log the rest or let them pass.",
        needs=("except:", "except BaseException"),
        hint=r"except(\s+BaseException[^\n]*)?\s*:",
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
        severity=Severity.MEDIUM,
        category=Category.LOGIC,
        message="`A or B` is just A: the second kind of error is not caught.",
        suggestion="Write the kinds as a tuple.",
        needs=("except",),
        hint=r"except\b[^:]{0,500}\bor\b",
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
    Rule(
        id="python-except-exception-pass",
        severity=Severity.LOW,
        category=Category.LOGIC,
        message="Every error is dropped here without a trace, misspelt names included.",
        suggestion="Catch the errors that are expected, or log what was caught.",
        needs=("except Exception",),
        hint=r"except\s+Exception(?s:.){0,500}:\s*(pass|continue|\.\.\.)",
        match={
            "kind": "except_clause",
            "all": [
                {"regex": r"^except\s+Exception(\s+as\s+\w+)?\s*:"},
                {"has": {"kind": "block", "regex": r"^(pass|continue|\.\.\.)$"}},
                {"not": {"has": {"kind": "comment", "stopBy": "end"}}},
            ],
        },
        bad=(
            """
            try:
                save()
            except Exception:  <--
                pass
            """,
        ),
        good=(
            """
            try:
                save()
            except Exception:  # the cache is only a help
                pass
            """,
            """
            try:
                save()
            except Exception:
                log.exception("not saved")
            """,
        ),
    ),
    Rule(
        id="python-error-not-raised",
        severity=Severity.MEDIUM,
        category=Category.LOGIC,
        message="The exception is made and dropped: without raise the program goes on.",
        suggestion="Write raise before it.",
        needs=("Error(", "Exception("),
        hint=r"(?m)^[ \t]*[A-Z][A-Za-z]*(Error|Exception)\(",
        match={
            "kind": "call",
            "has": {"field": "function", "regex": r"^[A-Z][A-Za-z]*(Error|Exception)$"},
            "inside": {"kind": "expression_statement", "not": {"has": {"kind": "await"}}},
        },
        where="product",
        fix="raise $MATCH",
        bad=(
            """
            def check(value):
                if value < 0:
                    ValueError("negative")  <--
            """,
        ),
        good=(
            "raise ValueError('negative')",
            "error = ValueError('negative')",
            "errors.append(ValueError('negative'))",
            "self.onError(event)",
        ),
    ),
    Rule(
        id="python-return-in-finally",
        severity=Severity.MEDIUM,
        category=Category.LOGIC,
        message="A return in finally drops the exception that is on its way.",
        suggestion="Return after the try statement.",
        needs=("finally",),
        match={
            "kind": "return_statement",
            "inside": {
                "kind": "finally_clause",
                "stopBy": {"any": [{"kind": "function_definition"}, {"kind": "lambda"}, {"kind": "finally_clause"}]},
            },
        },
        bad=(
            """
            def read(file):
                try:
                    return file.read()
                finally:
                    file.close()
                    return None  <--
            """,
        ),
        good=(
            """
            def read(file):
                try:
                    return file.read()
                finally:
                    file.close()
            """,
            """
            try:
                pass
            finally:
                def later():
                    return 1
            """,
        ),
    ),
)
