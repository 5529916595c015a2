"""Results of reviews, made by hand."""

from __future__ import annotations

from typing import Any

from selfreview.api import Issue
from selfreview.model.result import Result, ResultStatus, Verdict
from selfreview.model.wire import utc_now


def result(*issues: Issue, **more: Any) -> Result:
    """Return the result of a review that found these, and passes where that is nothing."""
    values: dict[str, Any] = {
        "run_id": "r-1",
        "timestamp": utc_now(),
        "status": ResultStatus.COMPLETE,
        "verdict": Verdict.NEEDS_WORK if issues else Verdict.PASS,
        "passed": not issues,
        "issues": list(issues),
    }
    return Result(**{**values, **more})
