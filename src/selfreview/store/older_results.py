"""Results that earlier versions stored, which say in sentences alone what has a field by now.

The sentences are those of then: one that is worded anew elsewhere stays here as it was.
"""

from __future__ import annotations

from collections.abc import Iterator

from selfreview.model.issue import CHECK_PREFIX
from selfreview.model.result import NotPassed, Result, ReviewerReport

_LIMITS = ("partial: ", "does not count as this branch's review, as it asks for less than the settings")
_MAYBE_ACCEPTED = "an issue like it was accepted "
_TOO_MANY = "more than max_issues allows"
_MARKS_LEFT = "to fix or to remove (strict)"


def fill_in(result: Result) -> None:
    """Fill in the fields that a result of an earlier version lacks."""
    scope = result.scope
    if scope is not None and (scope.partial or scope.asked_less) and not scope.limits:
        scope.limits = [note for note in result.notes if note.startswith(_LIMITS)] or scope.limits
    if result.not_passed_reasons and not result.not_passed_by:
        result.not_passed_by = [_kind(why) for why in result.not_passed_reasons]
    for report in result.reviewers:
        if report.is_missing and not report.gap:
            report.gap = next(_about(report, result.incomplete_reasons), report.gap)
    for issue in result.open_issues:
        if (issue.status_reason or "").startswith(_MAYBE_ACCEPTED):
            issue.maybe_accepted = True


def _kind(why: str) -> NotPassed:
    if why.endswith(_TOO_MANY):
        return NotPassed.MAX_ISSUES
    return NotPassed.STRICT if why.endswith(_MARKS_LEFT) else NotPassed.PLUGIN


def _about(report: ReviewerReport, reasons: list[str]) -> Iterator[str]:
    """Yield the reasons that name a reviewer or a check, and the error that its part ended with."""
    name = report.name
    begins = f"check {name.removeprefix(CHECK_PREFIX)} " if name.startswith(CHECK_PREFIX) else f"{name} "
    yield from (why for why in reasons if why.startswith(begins) and (report.error or "") in why)
