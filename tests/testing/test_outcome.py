"""Assertions of the kit, and what they say when they fail."""

from __future__ import annotations

import pytest

from selfreview.errors import ExitCode
from selfreview.model.issue import Category, Issue, IssueStatus, Severity, Side
from selfreview.model.result import ErrorInfo, Result, ResultStatus, Verdict
from selfreview.model.wire import document
from selfreview.testing.workspace import RunResult


def issue(**more) -> Issue:
    values = {"id": "sr-1", "severity": Severity.HIGH, "category": Category.LOGIC, "file": "app.py", "line_start": 3,
              "line_end": 5, "side": Side.NEW, "description": "It is wrong.", "reviewer": "ours", "fingerprint": "v1:1",
              "rule": "R1"}  # fmt: skip
    return Issue(**{**values, **more})


@pytest.fixture
def ran() -> RunResult:
    suppressed = issue(id="sr-2", file="other.py", rule=None, status=IssueStatus.SUPPRESSED)
    result = Result(verdict=Verdict.NEEDS_WORK, issues=[issue(), suppressed])
    return RunResult(1, document(result), b"warning: it is cold\n")


def test_what_is_there_passes(ran: RunResult) -> None:
    assert ran.exit_code is ExitCode.ISSUES
    ran.assert_verdict("needs_work")
    ran.assert_verdict(Verdict.NEEDS_WORK)
    assert [found.id for found in ran.assert_issues()] == ["sr-1"]
    ran.assert_issues(1, rule="R1", severity="high", file="app.py", reviewer="ours")
    ran.assert_issues(2, status=None)
    ran.assert_issues(1, status="suppressed", file="other.py")
    ran.assert_issues(0, rule="R2")
    for line in (3, 4, 5):
        ran.assert_issues(1, line=line)
    for line in (2, 6):
        ran.assert_issues(0, line=line)


@pytest.mark.parametrize(
    ("wanted", "says"),
    [
        ({"rule": "R2"}, "expected at least one of the issues with rule=R2, status=open, and there are 0"),
        ({"count": 2}, "expected 2 of the issues with status=open, and there are 1"),
        ({"count": 0, "line": 3}, "expected 0 of the issues with status=open, line=3, and there are 1"),
        ({"severity": "low", "file": "app.py"}, "with severity=low, file=app.py, status=open, and there are 0"),
    ],
)
def test_what_is_not_there_fails_and_shows_what_is(ran: RunResult, wanted, says: str) -> None:
    with pytest.raises(AssertionError) as raised:
        ran.assert_issues(**wanted)
    told = str(raised.value)
    assert says in told
    assert "app.py:3-5: high ours/R1 [open] It is wrong." in told
    assert "other.py:3-5: high ours [suppressed]" in told
    assert "warning: it is cold" in told


def test_another_verdict_fails_and_shows_what_is(ran: RunResult) -> None:
    with pytest.raises(AssertionError, match=r"(?s)the verdict is needs_work, not pass\nexit 1, .*R1"):
        ran.assert_verdict("pass")
    with pytest.raises(ValueError, match="nice"):
        ran.assert_verdict("nice")
    with pytest.raises(ValueError, match="awful"):
        ran.assert_issues(severity="awful")
    with pytest.raises(TypeError, match="not asked for by rul"):
        ran.assert_issues(0, rul="R1")


def test_an_error_is_shown() -> None:
    ran = RunResult(4, document(Result(error=ErrorInfo(message="no such base"), incomplete_reasons=["cut off"])), b"")
    with pytest.raises(AssertionError, match=r"(?s)incomplete: cut off.*error: no such base.*no issues"):
        ran.assert_verdict("pass")


@pytest.mark.parametrize(("status", "count"), [("error", 0), ("error", None), ("incomplete", 0)])
def test_what_was_not_reviewed_is_not_free_of_issues(status: str, count: int | None) -> None:
    ran = RunResult(5, document(Result(status=ResultStatus(status), issues=[issue()])), b"")
    with pytest.raises(AssertionError, match="did not take place in full"):
        ran.assert_issues(count, rule="R1" if count is None else "R2")


def test_what_is_no_result_is_no_empty_result() -> None:
    with pytest.raises(AssertionError, match=r"(?s)no result .*--format json.*--- stderr\nerror: oops"):
        _ = RunResult(4, b"hello", b"error: oops\n").verdict
    with pytest.raises(AssertionError, match="-9 is no exit code"):
        _ = RunResult(-9, b"", b"").exit_code
