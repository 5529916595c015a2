"""GitLab's code quality report: what is open, each entry shown, and what was not reviewed first."""

from __future__ import annotations

import pytest
from hypothesis import given, settings

from selfreview.api import IssueStatus, Side
from selfreview.model.result import Result, ResultStatus
from selfreview.reporters import formats
from selfreview.text.escape import visible

from .builders import incomplete, issue, render, result
from .samples import CONTEXT, ODD, SAMPLES
from .schemas import check_json
from .test_hostile import BAD, outcomes


def report(outcome):
    return check_json("gitlab-codequality.schema.json", render(formats.gitlab, outcome, CONTEXT))


@pytest.mark.parametrize("name", SAMPLES)
def test_report(name, snapshot):
    text = render(formats.gitlab, SAMPLES[name], CONTEXT)
    check_json("gitlab-codequality.schema.json", text)
    assert text == snapshot


@settings(deadline=None, max_examples=60)
@given(outcome=outcomes)
def test_any_result_makes_a_valid_report(outcome):
    entries = report(outcome)
    marks = [entry["fingerprint"] for entry in entries]
    assert len(set(marks)) == len(marks)
    missing = outcome.error is not None or outcome.status in (ResultStatus.ERROR, ResultStatus.INCOMPLETE)
    assert len(entries) == len(outcome.open_issues) + missing
    told = "".join(entry["description"] + entry["check_name"] for entry in entries)
    assert [char for char in told if visible(char) != char] == []


def test_severities():
    severities = ["critical", "high", "medium", "low", "suggestion"]
    entries = report(result(*(issue(severity=severity) for severity in severities)))
    assert [entry["severity"] for entry in entries] == ["blocker", "critical", "major", "minor", "info"]


def test_issues_that_share_a_fingerprint_are_all_shown_and_keep_their_marks():
    outcome = result(issue(fingerprint="v1:a"), issue(line=9, fingerprint="v1:a"))
    first, second = report(outcome)
    assert first["fingerprint"] == "v1:a"
    assert second["fingerprint"] != "v1:a"
    assert report(outcome) == [first, second]


def test_only_what_is_open_is_shown():
    closed = [issue(status=status) for status in IssueStatus if status is not IssueStatus.OPEN]
    assert report(result(*closed)) == []


def test_an_issue_of_a_file_stands_on_its_first_line():
    (entry,) = report(result(issue(line=0)))
    assert entry["location"]["lines"]["begin"] == 1


def test_a_removed_line_is_no_line_of_the_new_file():
    (entry,) = report(result(issue(line=40, side=Side.OLD)))
    assert entry["location"]["lines"]["begin"] == 1
    assert entry["description"].startswith("Line 40 of the old file: ")


@pytest.mark.parametrize("outcome", [incomplete(), Result(status=ResultStatus.ERROR), SAMPLES["error"]])
def test_a_review_that_did_not_happen_is_a_blocker(outcome):
    first = report(outcome)[0]
    assert first["severity"] == "blocker"
    assert first["check_name"] in ("selfreview/incomplete", "selfreview/error")


def test_a_text_stays_text():
    (entry,) = report(result(issue(ODD, description=f"<b>x</b>{BAD}")))
    assert entry["description"].startswith(r"<b>x</b>\x00")
    assert "�" in entry["location"]["path"]


def test_what_else_keeps_it_from_passing_is_a_blocker():
    entries = report(result(passed=False, not_passed_reasons=["one", "two"]))
    assert [(e["severity"], e["description"]) for e in entries] == [
        ("blocker", "Not passed: one"), ("blocker", "Not passed: two"),
    ]  # fmt: skip
