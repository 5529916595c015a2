"""What fails a review besides the issues that block."""

from __future__ import annotations

import pytest

from selfreview.model.issue import OWN, Category, IssueStatus, Severity
from selfreview.model.result import Result, ResultStatus
from selfreview.review.limits import Limits
from tests.review.builders import make_issue


def result_of(*issues: object, status: ResultStatus = ResultStatus.COMPLETE) -> Result:
    return Result(issues=list(issues), status=status, passed=True)  # type: ignore[arg-type]


LOW = {"severity": Severity.LOW, "category": Category.STYLE}
HIGH = {"severity": Severity.HIGH, "category": Category.STYLE}


@pytest.mark.parametrize(
    ("limits", "reasons"),
    [
        ({}, []),
        ({"total": 3}, []),
        ({"total": 2}, ["3 open issues, 1 more than max_issues allows"]),
        ({"total": 0}, ["3 open issues, 3 more than max_issues allows"]),
        ({"high": 0}, ["1 open high issue, 1 more than max_issues allows"]),
        ({"high": 1}, []),
        ({"style": 1}, ["3 open style issues, 2 more than max_issues allows"]),
        ({"logic": 0}, []),
        ({"low": 1, "total": 1}, [
            "2 open low issues, 1 more than max_issues allows",
            "3 open issues, 2 more than max_issues allows",
        ]),
    ],
)  # fmt: skip
def test_there_may_be_so_many_open_issues(limits: dict[str, int], reasons: list[str]) -> None:
    accepted = make_issue(status=IssueStatus.ACCEPTED, **HIGH)
    result = result_of(make_issue(**LOW), make_issue(**LOW), make_issue(**HIGH), accepted)
    Limits(limits).apply(result)
    assert result.not_passed_reasons == reasons
    assert result.passed is not bool(reasons)


@pytest.mark.parametrize(
    ("count", "reasons"),
    [
        (0, []),
        (1, ["1 suppression or baseline entry to mend or to take out (strict)"]),
        (2, ["2 suppressions or baseline entries to mend or to take out (strict)"]),
    ],
)
def test_under_strict_no_mark_may_be_left_over(count: int, reasons: list[str]) -> None:
    result = result_of(make_issue(**LOW), *(make_issue(reviewer=OWN, **LOW) for _ in range(count)))
    Limits(strict=True).apply(result)
    assert (result.not_passed_reasons, result.passed) == (reasons, not reasons)


def test_otherwise_they_may() -> None:
    result = result_of(make_issue(reviewer=OWN))
    Limits().apply(result)
    assert (result.not_passed_reasons, result.passed) == ([], True)


def test_of_a_review_that_failed_nothing_is_left_over() -> None:
    result = result_of(make_issue(reviewer=OWN), status=ResultStatus.ERROR)
    Limits(strict=True).apply(result)
    assert result.not_passed_reasons == []


def test_a_result_that_had_not_passed_does_not_pass_by_its_limits() -> None:
    result = result_of()
    result.passed = False
    Limits({"total": 3}).apply(result)
    assert not result.passed
