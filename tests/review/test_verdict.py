"""The verdict on a result: what blocks, and what else fails it."""

from __future__ import annotations

import itertools

import pytest

from selfreview.errors import ExitCode
from selfreview.model.issue import OWN, Category, IssueStatus, Severity
from selfreview.model.result import (
    Counts,
    ErrorInfo,
    NotPassed,
    Result,
    ResultStatus,
    ReviewerReport,
    ReviewerStatus,
    Verdict,
)
from selfreview.review.engine import Engine
from selfreview.review.verdict import STRICTNESS, Draft, Limits, Threshold, decide, exit_code, leave_incomplete
from selfreview.testing.context import MemoryConfig
from tests.review.builders import make_issue


@pytest.mark.parametrize(
    ("severities", "verdict"),
    [
        ([], Verdict.PASS),
        (["suggestion"], Verdict.PASS),
        (["low", "suggestion"], Verdict.PASS),
        (["medium"], Verdict.NEEDS_WORK),
        (["low", "high"], Verdict.NEEDS_WORK),
        (["critical", "low"], Verdict.CRITICAL_ISSUES),
    ],
)
def test_the_verdict_follows_from_the_worst_open_issue(severities: list[str], verdict: Verdict) -> None:
    result = Result(issues=[make_issue(severity=Severity(s)) for s in severities])
    decide(result, Threshold("medium"))
    assert result.verdict is verdict


@pytest.mark.parametrize("status", [s for s in IssueStatus if s is not IssueStatus.OPEN])
def test_only_open_issues_count(status: IssueStatus) -> None:
    result = Result(issues=[make_issue(severity=Severity.CRITICAL, status=status)])
    decide(result, Threshold("suggestion"))
    assert (result.verdict, result.passed, result.counts.critical) == (Verdict.PASS, True, 0)


@pytest.mark.parametrize(("threshold", "severity"), list(itertools.product([*Severity, "never"], Severity)))
def test_an_issue_blocks_from_the_threshold_on(threshold: str, severity: Severity) -> None:
    order = ["suggestion", "low", "medium", "high", "critical", "never"]
    expected = order.index(severity) >= order.index(threshold)
    assert Threshold(threshold).blocks(make_issue(severity=severity)) is expected


def test_a_threshold_can_differ_by_category() -> None:
    threshold = Threshold({"default": "high", "security": "low", "style": "never"})
    assert threshold.blocks(make_issue(severity=Severity.LOW, category=Category.SECURITY))
    assert not threshold.blocks(make_issue(severity=Severity.CRITICAL, category=Category.STYLE))
    assert not threshold.blocks(make_issue(severity=Severity.MEDIUM, category=Category.LOGIC))
    assert threshold.blocks(make_issue(severity=Severity.HIGH, category=Category.LOGIC))
    assert Threshold({"security": "low"}).blocks(make_issue(severity=Severity.MEDIUM, category=Category.LOGIC))


@pytest.mark.parametrize("severity", ["suggestion", "medium"])
@pytest.mark.parametrize(
    ("value", "blocks"),
    [
        ("critical", True),
        ("never", False),
        ({"style": "never"}, True),
        ({"default": "never", "style": "critical"}, True),
        ({"default": "never", "style": "never"}, False),
        ({"default": "critical", "security": "never"}, True),
    ],
)
def test_what_nobody_could_review_blocks_unless_nothing_does(
    value: str | dict[str, str], blocks: bool, severity: str
) -> None:
    issue = make_issue(severity=Severity(severity), category=Category.SECURITY, unreviewed=True)
    assert Threshold(value).blocks(issue) is blocks
    assert not Threshold(value).blocks(make_issue(unreviewed=True, status=IssueStatus.ACCEPTED))


@pytest.mark.parametrize(
    ("severity", "verdict"),
    [(None, None), ("low", None), ("medium", Verdict.NEEDS_WORK), ("critical", Verdict.CRITICAL_ISSUES)],
)
def test_an_incomplete_review_never_passes(severity: str | None, verdict: Verdict | None) -> None:
    issues = [make_issue(severity=Severity(severity))] if severity else []
    result = Result(status=ResultStatus.INCOMPLETE, issues=issues)
    decide(result, Threshold("never"))
    assert (result.verdict, result.passed) == (verdict, False)


@pytest.mark.parametrize(
    ("status", "severity", "warn", "code"),
    [
        (ResultStatus.COMPLETE, None, False, ExitCode.PASSED),
        (ResultStatus.COMPLETE, "low", False, ExitCode.PASSED),
        (ResultStatus.COMPLETE, "medium", False, ExitCode.ISSUES),
        (ResultStatus.NOTHING_TO_REVIEW, None, False, ExitCode.PASSED),
        (ResultStatus.INCOMPLETE, None, False, ExitCode.INCOMPLETE),
        (ResultStatus.INCOMPLETE, "critical", False, ExitCode.INCOMPLETE),
        (ResultStatus.INCOMPLETE, None, True, ExitCode.PASSED),
        (ResultStatus.INCOMPLETE, "medium", True, ExitCode.ISSUES),
    ],
)
def test_exit_codes(status: ResultStatus, severity: str | None, warn: bool, code: ExitCode) -> None:
    threshold = Threshold("medium")
    result = Result(status=status, issues=[make_issue(severity=Severity(severity))] if severity else [])
    decide(result, threshold)
    assert exit_code(result, threshold, warn_incomplete=warn) is code


def test_an_error_keeps_its_own_exit_code() -> None:
    result = Result(status=ResultStatus.ERROR, error=ErrorInfo(message="x", exit_code=4))
    assert exit_code(result, Threshold("medium"), warn_incomplete=False) is ExitCode.USAGE


def test_open_issues_are_counted_by_severity() -> None:
    severities = [Severity.LOW, Severity.HIGH, Severity.LOW, Severity.LOW, Severity.SUGGESTION]
    issues = [make_issue(severity=severity) for severity in severities]
    result = Result(issues=[*issues, make_issue(severity=Severity.MEDIUM, status=IssueStatus.ACCEPTED)])
    decide(result, Threshold("medium"))
    assert result.counts == Counts(high=1, low=3, suggestion=1)


def test_verdicts_are_ordered() -> None:
    assert sorted(Verdict, key=STRICTNESS.__getitem__) == [Verdict.PASS, Verdict.NEEDS_WORK, Verdict.CRITICAL_ISSUES]
    assert len(set(STRICTNESS.values())) == len(Verdict)


def test_an_error_without_a_code_of_its_own_is_ours() -> None:
    result = Result(status=ResultStatus.ERROR)
    assert exit_code(result, Threshold("medium"), warn_incomplete=False) is ExitCode.INTERNAL_ERROR


def test_a_plugin_can_be_stricter_than_the_issues() -> None:
    result = Result(status=ResultStatus.COMPLETE, passed=False)
    assert exit_code(result, Threshold("medium"), warn_incomplete=False) is ExitCode.ISSUES


@pytest.mark.parametrize("status", [ResultStatus.NOTHING_TO_REVIEW, ResultStatus.INCOMPLETE])
def test_what_limits_say_fails_a_result_of_any_status(status: ResultStatus) -> None:
    result = Result(status=status, not_passed_reasons=["too many"])
    assert exit_code(result, Threshold("medium"), warn_incomplete=True) is ExitCode.ISSUES


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
    assert list(result.not_passed_by or ()) == [NotPassed.MAX_ISSUES] * len(reasons)
    assert result.passed is not bool(reasons)


@pytest.mark.parametrize(
    ("count", "reasons"),
    [
        (0, []),
        (1, ["1 suppression or baseline entry to fix or to remove (strict)"]),
        (2, ["2 suppressions or baseline entries to fix or to remove (strict)"]),
    ],
)
def test_under_strict_no_mark_may_be_left_over(count: int, reasons: list[str]) -> None:
    result = result_of(make_issue(**LOW), *(make_issue(reviewer=OWN, **LOW) for _ in range(count)))
    Limits(strict=True).apply(result)
    assert (result.not_passed_reasons, result.passed) == (reasons, not reasons)
    assert list(result.not_passed_by or ()) == [NotPassed.STRICT] * len(reasons)


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


def test_what_is_left_incomplete_changes_no_list_that_others_hold() -> None:
    reasons = ["a reason"]
    draft = Draft(incomplete_reasons=reasons)
    leave_incomplete(draft, "another")
    assert (draft.status, draft.incomplete_reasons) == (ResultStatus.INCOMPLETE, ["a reason", "another"])
    assert reasons == ["a reason"]


def test_what_is_left_incomplete_is_known_of_the_reviewer_that_it_is_about() -> None:
    report = ReviewerReport(name="check-unit", status=ReviewerStatus.SKIPPED)
    leave_incomplete(Draft(), "check unit could not run: no such program", report)
    assert report.gap == "check unit could not run: no such program"


class _Plugin:
    """A manager whose plugin has a verdict."""

    def __init__(self, verdict: Verdict | None) -> None:
        self._verdict = verdict

    def call(self, _hook: str, **_arguments: object) -> Verdict | None:
        return self._verdict


def derived(
    status: ResultStatus, severity: Severity | None, threshold: str, limits: Limits, verdict: Verdict | None
) -> Result:
    engine = Engine(
        manager=_Plugin(verdict),  # type: ignore[arg-type]
        config=MemoryConfig(),
        selected=None,  # type: ignore[arg-type]
        settings=None,  # type: ignore[arg-type]
        threshold=Threshold(threshold),
        limits=limits,
    )
    result = Result(status=status, severity_threshold=threshold)
    with engine.revise(result) as draft:
        draft.issues = [make_issue(severity=severity)] if severity is not None else []
    with engine.revise(result):
        pass  # once more: nothing is noted or counted twice
    return result


STATUSES = [ResultStatus.COMPLETE, ResultStatus.NOTHING_TO_REVIEW, ResultStatus.INCOMPLETE]


@pytest.mark.parametrize("verdict", [None, *Verdict])
@pytest.mark.parametrize("status", STATUSES)
def test_the_exit_code_agrees_with_the_result(status: ResultStatus, verdict: Verdict | None) -> None:
    for severity, threshold, limits, warn in itertools.product(
        [None, *Severity], [*Severity, "never"], [Limits(), Limits({"total": 0})], [False, True]
    ):
        result = derived(status, severity, threshold, limits, verdict)
        code = exit_code(result, Threshold(threshold), warn_incomplete=warn)
        whole = derived(ResultStatus.COMPLETE, severity, threshold, limits, verdict)
        case = (severity, threshold, limits, warn, result)
        if status is not ResultStatus.INCOMPLETE:
            assert (code is ExitCode.PASSED) is result.passed is whole.passed, case
            assert result.verdict is whole.verdict, case
        else:
            assert not result.passed, case
            assert (code is ExitCode.PASSED) is (warn and whole.passed), case
            assert (code is ExitCode.INCOMPLETE) is not warn, case
        if result.status is ResultStatus.NOTHING_TO_REVIEW:
            assert (result.passed, result.verdict, result.open_issues) == (True, Verdict.PASS, []), case
        if verdict is not None and STRICTNESS[verdict] >= STRICTNESS[whole.verdict or Verdict.PASS]:
            assert result.passed is False or verdict is Verdict.PASS, case
        assert len(set(result.not_passed_reasons)) == len(result.not_passed_reasons), case


def test_what_blocks_is_listed_worst_first_by_file_and_line() -> None:
    places = [
        ("low", "a.py", 1),
        ("medium", "b.py", 1),
        ("medium", "a.py", 9),
        ("medium", "a.py", 2),
        ("high", "z.py", 1),
    ]
    issues = [make_issue(severity=Severity(level), file=file, line_start=line) for level, file, line in places]
    assert Threshold("medium").blocking(issues) == [issues[number] for number in (4, 3, 2, 1)]
    assert Threshold("never").blocking(issues) == []
