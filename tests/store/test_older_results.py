"""Results that say in sentences alone what has a field by now: read from a store, they have it."""

from __future__ import annotations

import pytest

from selfreview.model.result import NotPassed, Result, ResultStatus, ReviewerReport, ReviewerStatus
from selfreview.store import Store

from .builders import make_issue, make_result


def again(store: Store, result: Result) -> Result:
    found = store.result(store.add_result(result))
    assert found is not None
    return found


@pytest.mark.parametrize(("partial", "less"), [(True, False), (False, True), (False, False)])
def test_to_what_a_review_was_limited(store: Store, partial: bool, less: bool) -> None:
    result = make_result()
    assert result.scope is not None
    result.scope.partial, result.scope.asked_less = partial, less
    said = [
        "partial: only the files under the paths given were reviewed",
        "does not count as this branch's review, as it asks for less than the settings: max_file_bytes",
    ]
    result.notes = ["a bare patch shows 1 file in part", *said]
    scope = again(store, result).scope
    assert scope is not None
    assert list(scope.limits or ()) == (said if partial or less else [])


def test_what_keeps_it_from_passing(store: Store) -> None:
    result = make_result()
    result.not_passed_reasons = [
        "3 open issues, 1 more than max_issues allows",
        "1 suppression or baseline entry to fix or to remove (strict)",
        "a plugin made the verdict needs_work",
    ]
    assert again(store, result).not_passed_by == [NotPassed.MAX_ISSUES, NotPassed.STRICT, NotPassed.PLUGIN]


def test_what_is_said_of_a_part_that_is_missing(store: Store) -> None:
    result = make_result()
    result.status = ResultStatus.INCOMPLETE
    result.incomplete_reasons = [
        "rules: the change as a whole was not reviewed: no answer",
        "rules failed: no answer (not reviewed: a.py)",
        "check unit could not run: no such program",
    ]
    result.reviewers = [
        ReviewerReport(name="rules", status=ReviewerStatus.FAILED, error="no answer"),
        ReviewerReport(name="check-unit", status=ReviewerStatus.SKIPPED, error="no such program", required=True),
        ReviewerReport(name="text", status=ReviewerStatus.TIMED_OUT),
        ReviewerReport(name="rule", status=ReviewerStatus.OK),
    ]
    gaps = [report.gap or None for report in again(store, result).reviewers]
    assert gaps == [*result.incomplete_reasons[1:], None, None]


def test_which_issue_may_be_an_accepted_one(store: Store) -> None:
    reason = "an issue like it was accepted (sr-12345678); whether this is it cannot be told"
    result = make_result(make_issue(status_reason=reason), make_issue("v1:bb22", status_reason="a note"))
    assert [issue.maybe_accepted or False for issue in again(store, result).issues] == [True, False]
