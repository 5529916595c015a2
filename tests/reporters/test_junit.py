"""JUnit XML: red where something blocks or was not reviewed, and never green for a review that did not happen."""

from __future__ import annotations

import pytest
from hypothesis import given, settings

from selfreview.api import IssueStatus, ReviewerStatus, Side
from selfreview.model.result import Result, ResultStatus
from selfreview.reporters import formats
from selfreview.text.escape import visible

from .builders import incomplete, issue, ran, render, result
from .samples import CONTEXT, SAMPLES
from .schemas import check_junit
from .test_hostile import BAD, outcomes

WHOLE = "review as a whole"


def report(outcome):
    return check_junit(render(formats.junit, outcome, CONTEXT))


def cases(root, suite=None):
    """Return name to part, such as ``failure``, or None for a case that passes."""
    return {
        case.get("name"): next((child.tag for child in case), None)
        for case in root.iter("testcase")
        if suite is None or case.get("classname") == suite
    }


@pytest.mark.parametrize("name", SAMPLES)
def test_report(name, snapshot):
    text = render(formats.junit, SAMPLES[name], CONTEXT)
    check_junit(text)
    assert text == snapshot


@settings(deadline=None, max_examples=60)
@given(outcome=outcomes)
def test_any_result_makes_a_valid_document(outcome):
    root = report(outcome)
    told = "".join(root.itertext()) + "".join(value for node in root.iter() for value in node.attrib.values())
    assert [char for char in told if char != "\n" and visible(char) != char] == []
    bad = outcome.status in (ResultStatus.ERROR, ResultStatus.INCOMPLETE) or outcome.error is not None
    assert (cases(root, "selfreview")[WHOLE] == "error") is bad


@given(outcome=outcomes)
@settings(deadline=None, max_examples=30)
def test_the_counts_are_those_of_the_cases(outcome):
    root = report(outcome)
    for suite in root.iter("testsuite"):
        assert int(suite.get("tests")) == len(suite.findall("testcase")) > 0
        for tag, attribute in (("failure", "failures"), ("error", "errors"), ("skipped", "skipped")):
            assert int(suite.get(attribute)) == len(suite.findall(f"testcase/{tag}"))
    assert int(root.get("failures")) == len(root.findall(".//failure"))
    assert int(root.get("tests")) == len(root.findall(".//testcase"))


def test_what_blocks_fails_and_what_does_not_is_skipped():
    found = cases(report(result(issue(severity="high", rule="A"), issue(severity="low", rule="B"))))
    assert found == {
        WHOLE: None,
        "A in src/app.py (sr-00000000)": "failure",
        "B in src/app.py (sr-00000000)": "skipped",
        "finds no issue": None,
    }


def test_the_threshold_decides():
    outcome = result(issue(severity="medium"), severity_threshold="high", passed=True)
    assert "failure" not in cases(report(outcome)).values()


@pytest.mark.parametrize(
    "status", [IssueStatus.SUPPRESSED, IssueStatus.BASELINED, IssueStatus.ACCEPTED, IssueStatus.UNCONFIRMED]
)
def test_what_does_not_count_is_skipped_with_its_reason(status):
    root = report(result(issue(severity="critical", status=status, status_reason="known")))
    (skipped,) = root.iter("skipped")
    assert skipped.get("message").startswith(f"{status.value} (known): critical: ")


def test_a_case_keeps_its_name_when_lines_move():
    names = [set(cases(report(result(issue(line=line, severity="high"))))) for line in (3, 90)]
    assert names[0] == names[1]


def test_a_reviewer_that_did_not_finish_is_an_error():
    root = report(incomplete())
    assert cases(root, "selfreview.rules") == {"finishes": "error"}
    assert cases(root, "selfreview.command.eslint") == {"finishes": "error"}
    assert cases(root, "selfreview.ruff") == {"finds no issue": None}
    assert cases(root, "selfreview") == {WHOLE: "error"}


def test_a_reviewer_that_took_no_part_is_not_green():
    parts = [ran("a", ReviewerStatus.SKIPPED, error="not installed"), ran("b", ReviewerStatus.NOT_APPLICABLE)]
    root = report(result(reviewers=[*parts, ran("c", ReviewerStatus.SKIPPED, required=True)]))
    assert [cases(root, f"selfreview.{name}")["finishes"] for name in "abc"] == ["skipped", "skipped", "error"]


def test_an_error_is_an_error():
    root = report(Result(status=ResultStatus.ERROR))
    assert cases(root) == {WHOLE: "error"}


def test_nothing_to_review_is_skipped():
    assert cases(report(SAMPLES["nothing"])) == {WHOLE: "skipped"}


def test_a_verdict_that_a_plugin_tightened_fails():
    assert cases(report(result(passed=False, summary="Not on a Friday.")))[WHOLE] == "failure"


def test_an_issue_of_a_plugin_has_a_suite_too():
    assert "failure" in cases(report(result(issue(reviewer="mine"))), "selfreview.mine").values()


def test_a_removed_line_is_said_to_be_of_the_old_file():
    (failure,) = report(result(issue(side=Side.OLD))).iter("failure")
    assert failure.text.startswith("src/app.py:3 of the old file\n")


def test_a_text_stays_text():
    hostile = f"]]><testcase name='x'/>&amp;<!-- {BAD}"
    text = render(formats.junit, result(issue(severity="high", description=hostile, rule=hostile)), CONTEXT)
    assert "]]>" not in text
    assert "<!--" not in text
    root = check_junit(text)
    assert len(root.findall(".//testcase")) == 3
    (failure,) = root.iter("failure")
    assert "]]><testcase name='x'/>&amp;<!-- " in failure.text


def test_what_else_keeps_it_from_passing_fails():
    root = report(result(passed=False, not_passed_reasons=["7 open issues, of 5 that may be"]))
    assert [failure.get("message") for failure in root.iter("failure")] == ["7 open issues, of 5 that may be"]


def test_an_issue_of_the_marks_stands_in_the_suite_of_the_whole():
    root = report(result(issue(reviewer="selfreview", rule="unused-suppression")))
    assert [suite.get("name") for suite in root.iter("testsuite")] == [
        "selfreview", "selfreview.ruff", "selfreview.secrets",
    ]  # fmt: skip
