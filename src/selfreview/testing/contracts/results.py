"""Results that every reporter must be able to report; names and content of files that plugins trip over."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from selfreview.api import (
    Category,
    Depth,
    Edit,
    Issue,
    IssueStatus,
    Place,
    Result,
    ReviewerStatus,
    Severity,
    Side,
    Verdict,
)
from selfreview.model.refinement import FixAnswer, FixerReport, FixOutcome, Refinement, Stop
from selfreview.model.result import (
    Counts,
    Coverage,
    DepthLines,
    ErrorInfo,
    Excluded,
    Iteration,
    KeptPatch,
    ResultStatus,
    ReviewerReport,
    ScopeSummary,
)
from selfreview.model.wire import base64_path
from selfreview.review.fingerprint import MARK, id_of

HOSTILE = (
    "\x1b[2J\x1b]0;title\x07\x9b31m \u202eright to left\u202c \u200bhidden\ufeff \x00\x08 \r over it"
    "\n::error::a command of a log\n%0A::set-output name=x::y ]]> --> </script><script>alert(1)</script>"
    " <img src=x onerror=alert(1)> | `code` | [link](javascript:alert(1)) & \"quoted\" 'too' \\ C:\\new\\table"
    " {{ 7*7 }} ${{ secrets.TOKEN }} $(touch pwned) \udcff"
)
"""Text that affects a reader who prints it as it is: terminals, logs of CI, XML, HTML, Markdown, shells, templates."""

CONTENTS: Mapping[str, bytes] = MappingProxyType(
    {
        "empty": b"",
        "one_line_feed": b"\n",
        "no_line_feed_at_the_end": b"name = 1",
        "carriage_returns": b"a = 1\r\nb = 2\r\n\rc = 3\r",
        "binary": bytes(range(256)) * 4,
        "not_utf8": b"# caf\xe9\nname = '\xff\xfe'\n",
        "byte_order_mark": b"\xef\xbb\xbfname = 1\n",
        "utf_16": "name = 1\n".encode("utf-16"),
        "a_huge_line": b"name = '" + b"a" * 50_000 + b"'\n",
        "deeply_nested": b"(" * 300 + b")" * 300 + b"\n",
        "odd_line_ends": "a = 1\u2028b = 2\x0bc = 3\x0cd = 4\x85e = 5\n".encode(),
        "hostile": HOSTILE.encode("utf-8", "surrogateescape") + b"\n",
    }
)
"""Contents of a file, by their oddity."""

NAMES = ("--help", "-rf", "@file", "a b;touch pwned", "$(touch pwned)", "caf\udce9", "two\nlines", " ", "'\"", "%s{}")
"""Beginnings of file names that are mistaken for options or commands, or are no text."""


def make_issue(number: int = 0, file: str = "src/app.py", **more: Any) -> Issue:
    """Make an issue."""
    fingerprint = f"{MARK}{number:08x}{'0' * 24}"
    values: dict[str, Any] = {
        "id": id_of(fingerprint),
        "severity": Severity.MEDIUM,
        "category": Category.LOGIC,
        "file": file,
        "line_start": number + 1,
        "line_end": number + 1,
        "side": Side.NEW,
        "description": f"This is wrong-{number}-indeed.",
        "reviewer": "ruff",
        "rule": "F821",
        "fingerprint": fingerprint,
        "path_bytes": base64_path(file),
    }
    return Issue(**{**values, **more})


def make_result(*issues: Issue, **more: Any) -> Result:
    """Make a result whose counts and verdict follow from its issues."""
    tally = Counter(issue.severity for issue in issues if issue.is_open)
    blocking = tally[Severity.HIGH] + tally[Severity.MEDIUM]
    verdict = Verdict.NEEDS_WORK if blocking else Verdict.PASS
    verdict = Verdict.CRITICAL_ISSUES if tally[Severity.CRITICAL] else verdict
    values: dict[str, Any] = {
        "verdict": verdict,
        "passed": verdict is Verdict.PASS,
        "timestamp": "2026-01-02T03:04:05Z",
        "summary": "As it says.",
        "duration_ms": 412,
        "issues": list(issues),
        "counts": Counts(**{severity.value: tally[severity] for severity in Severity}),
        "scope": ScopeSummary(mode="branch", base="main", merge_base="1" * 40, head="2" * 40, files=3, added_lines=40),
        "coverage": Coverage(files=3, reviewed_files=3, added_lines=40, depth=DepthLines(text=40, static=30)),
        "reviewers": [
            ReviewerReport(name="ruff", status=ReviewerStatus.OK, duration_ms=12, depth=Depth.STATIC, files=3)
        ],
    }
    return Result(**{**values, **more})


def many(count: int) -> Result:
    """Return a result with many issues, each of which says ``wrong-NUMBER-``."""
    return make_result(*(make_issue(number, file=f"src/{number % 7}.py") for number in range(count)))


def hostile(text: str = HOSTILE) -> Result:
    """Return a result with a text in every field that can hold one."""
    found = make_issue(
        file=text,
        severity=Severity.CRITICAL,
        description=text,
        suggested_fix=text,
        rule=text,
        evidence=text,
        reviewer=text,
        also_reported_by=[text],
        related=[Place(file=text, line_start=1, line_end=1, note=text)],
        edits=[Edit(line_start=1, column_start=0, line_end=2, column_end=0, replacement=text)],
    )
    marked = make_issue(1, file=text, description=text, status=IssueStatus.ACCEPTED, status_reason=text)
    answers = [FixAnswer(issue=found.id, outcome=outcome, why=text) for outcome in FixOutcome]
    fixer = FixerReport(name=text, issues=[found.id], answers=answers, rejected=[text], error=text, hint=text)
    return make_result(
        found,
        marked,
        status=ResultStatus.INCOMPLETE,
        summary=text,
        notes=[text],
        incomplete_reasons=[text],
        error=ErrorInfo(message=text, hint=text),
        scope=ScopeSummary(
            mode="branch", base=text, merge_base=text, head=text, branch=text, notes=[text], limits=[text]
        ),
        reviewers=[
            ReviewerReport(name=text, status=status, error=text, hint=text, gap=text, files=1)
            for status in ReviewerStatus
        ],
        coverage=Coverage(files=2, text_only=[text], excluded=[Excluded(path=text, why=text)]),
        iterations=[Iteration(refinement=Refinement(fixers=[fixer], notes=text), review=make_result(found))],
        stop=Stop.PLUGIN,
        stop_reason=text,
        patch=KeptPatch(id=text, file=text, iteration=1, files=1, reason=text),
    )


CLEAN = make_result()

RESULTS: Mapping[str, Result] = MappingProxyType(
    {
        "passed": CLEAN,
        "suggestions": make_result(make_issue(severity=Severity.SUGGESTION), make_issue(1, severity=Severity.LOW)),
        "needs_work": make_result(
            make_issue(suggested_fix="Define it.", column=3, confidence=0.5),
            make_issue(1, line_end=9, severity=Severity.HIGH, rule=None),
            make_issue(2, line_start=0, line_end=0, severity=Severity.LOW),
            make_issue(3, side=Side.OLD),
            make_issue(4, file="caf\udce9.py"),
            *(make_issue(5 + at, status=status, status_reason="so") for at, status in enumerate(IssueStatus)),
        ),
        "critical": make_result(make_issue(severity=Severity.CRITICAL, category=Category.SECURITY)),
        "incomplete": make_result(
            status=ResultStatus.INCOMPLETE,
            verdict=None,
            passed=False,
            incomplete_reasons=["ruff failed: it broke"],
            reviewers=[
                ReviewerReport(
                    name="ruff",
                    status=ReviewerStatus.FAILED,
                    error="it broke",
                    hint="fix it",
                    gap="ruff failed: it broke",
                )
            ],
        ),
        "nothing_to_review": make_result(
            status=ResultStatus.NOTHING_TO_REVIEW, reviewers=[], coverage=Coverage(), scope=ScopeSummary(mode="staged")
        ),
        "error": Result(status=ResultStatus.ERROR, error=ErrorInfo(message="there is no base", hint="name one")),
        "reviewed_by_a_model": make_result(model_reviewed=True),
    }
)
"""Results of every way in which a run can end, by name."""
