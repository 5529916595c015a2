"""Small results and issues to keep."""

from __future__ import annotations

from selfreview.model.issue import Category, Issue, IssueStatus, Severity, Side
from selfreview.model.result import Counts, Result, ScopeSummary, Verdict


def make_issue(fingerprint: str = "v1:aa11", *, status: IssueStatus = IssueStatus.OPEN, **more: object) -> Issue:
    values: dict[str, object] = {
        "id": f"sr-{fingerprint.removeprefix('v1:')[:8]}",
        "severity": Severity.HIGH,
        "category": Category.LOGIC,
        "file": "src/app.py",
        "line_start": 3,
        "line_end": 3,
        "side": Side.NEW,
        "description": "This never ends.",
        "reviewer": "rules",
        "rule": "endless-loop",
        "evidence": "while True: pass",
    }
    return Issue(fingerprint=fingerprint, status=status, **(values | more))  # type: ignore[arg-type]


def make_result(
    *issues: Issue,
    timestamp: str = "2026-11-27T21:00:00Z",
    branch: str | None = "main",
    summary: str = "",
) -> Result:
    count = sum(issue.is_open for issue in issues)
    return Result(
        verdict=Verdict.NEEDS_WORK if count else Verdict.PASS,
        passed=not count,
        timestamp=timestamp,
        summary=summary,
        issues=list(issues),
        counts=Counts(high=count),
        scope=ScopeSummary(mode="branch", branch=branch, tree="1" * 40),
    )
