import re

import pytest

from selfreview.api import IssueStatus, Registry, ReviewerStatus, Side
from selfreview.model.result import Coverage, DepthLines, ErrorInfo, ResultStatus
from selfreview.reporters import formats

from .builders import incomplete, issue, ran, render, result
from .samples import CONTEXT, SAMPLES

VIM = re.compile(r"^(?P<f>.+?):(?P<l>\d+):(?P<c>\d+): (?P<t>.)[^:]*: (?P<m>.*)$")  # %f:%l:%c: %t%*[^:]: %m
EMACS = re.compile(r"^(?P<f>[^ \n:][^\n:]*):(?P<l>\d+):(?P<c>\d+): ")  # gnu, without its options
VSCODE = re.compile(r"^(?P<f>[^\s].*):(?P<l>\d+):(?P<c>\d+):\s+(?P<t>\w+):\s+(?P<m>.*)$")

LOOKED_AT = "selfreview: reviewed "
TOOK_PLACE = (ResultStatus.COMPLETE, ResultStatus.INCOMPLETE)


def report(outcome, context=None):
    return render(formats.concise, outcome, context)


@pytest.mark.parametrize("name", SAMPLES)
def test_report(name, snapshot):
    assert report(SAMPLES[name], CONTEXT) == snapshot


@pytest.mark.parametrize("pattern", [VIM, EMACS, VSCODE])
@pytest.mark.parametrize("name", SAMPLES)
def test_editors_find_every_open_issue_and_nothing_else(name, pattern):
    outcome = SAMPLES[name]
    lines = report(outcome).splitlines()
    places = [match for match in map(pattern.match, lines) if match]
    assert len(places) == len(outcome.open_issues)
    assert all(line.startswith("selfreview: ") for line in lines if not pattern.match(line))
    assert all(int(match["l"]) >= 1 and int(match["c"]) >= 1 for match in places)


@pytest.mark.parametrize("pattern", [VIM, EMACS, VSCODE])
def test_a_place_in_a_text_is_not_taken_for_an_issue(pattern):
    bad = "gcc said x.c:3:4: error: no"
    failed = ran("gcc", ReviewerStatus.FAILED, error=bad)
    outcome = incomplete(issue("a.py", 1, description=bad), reviewers=[failed], notes=[bad])
    outcome.error = ErrorInfo(message=bad, hint=bad)
    places = [match["f"] for match in map(pattern.match, report(outcome).splitlines()) if match]
    assert places == ["a.py"]
    assert "gcc said x.c line 3 column 4: error: no" in report(outcome)


def told(outcome):
    """Return the report without the line on what was looked at."""
    lines = report(outcome).splitlines(keepends=True)
    assert sum(line.startswith(LOOKED_AT) for line in lines) == (outcome.status in TOOK_PLACE)
    return "".join(line for line in lines if not line.startswith(LOOKED_AT))


def test_one_issue_is_one_line_with_reviewer_and_rule():
    found = issue("a.py", 3, "high", "First:\n  second\tthird.", column=7, rule="F821")
    assert told(result(found, model_reviewed=True)) == "a.py:3:7: high: First: second third. [ruff/F821]\n"


def test_what_is_not_known_of_a_place_is_1():
    text = told(result(issue("a.py", 0, rule=None), issue("b.py", 3), model_reviewed=True))
    assert text == "a.py:1:1: medium: Something is wrong. [ruff]\nb.py:3:1: medium: Something is wrong. [ruff]\n"


def test_issues_come_in_order_of_file_and_line():
    found = [issue("b.py", 1), issue("a.py", 10), issue("a.py", 9, column=5), issue("a.py", 9, column=4)]
    places = [line.split(": ")[0] for line in told(result(*found, model_reviewed=True)).splitlines()]
    assert places == ["a.py:9:4", "a.py:9:5", "a.py:10:1", "b.py:1:1"]


def test_a_removed_line_is_said_to_be_removed():
    assert "a.py:3:1: medium: (removed line) Gone." in told(result(issue("a.py", description="Gone.", side=Side.OLD)))


@pytest.mark.parametrize("status", [status for status in IssueStatus if status is not IssueStatus.OPEN])
def test_only_open_issues_are_listed(status):
    said = told(result(issue(status=status)))
    assert said.startswith("selfreview: not counted: 1 ")
    assert said.count("\n") == 1


@pytest.mark.parametrize("name", SAMPLES)
def test_lines_that_are_no_issues_say_what_was_not_reviewed_or_does_not_count(name):
    others = [line for line in told(SAMPLES[name]).splitlines() if line.startswith("selfreview: ")]
    assert {line.split(":")[1].strip().split(" ")[0] for line in others} <= {
        "error", "hint", "incomplete", "not", "nothing", "partial",
    }  # fmt: skip


def test_notes_are_left_to_the_other_formats():
    skipped = ran("check-unit", ReviewerStatus.SKIPPED, error="not run, because something blocks")
    outcome = result(reviewers=[skipped], notes=["One file has no lines."])
    assert told(outcome) == "selfreview: check-unit did not run\n"
    outcome.issues, outcome.passed = [issue("a.py", 3, "medium")], False
    assert "check-unit" not in told(outcome)


def test_what_else_keeps_it_from_passing_is_said():
    outcome = result(issue("a.py", 3, "low"))
    outcome.passed, outcome.not_passed_reasons = False, ["3 issues are suppressed, 2 may be"]
    assert told(outcome).splitlines()[1:] == ["selfreview: not passed: 3 issues are suppressed, 2 may be"]
    outcome.not_passed_reasons, outcome.summary = [], "Not on a Friday."
    assert told(outcome).splitlines()[1:] == ["selfreview: not passed: Not on a Friday."]


def test_a_partial_review_says_so():
    outcome = result(notes=["partial: only the files given were reviewed", "partial: a plugin's own word"])
    outcome.scope.limits = outcome.notes[:1]
    assert told(outcome) == "selfreview: partial: only the files given were reviewed\n"


def test_a_pass_says_no_more_than_what_was_looked_at():
    assert told(result(model_reviewed=True)) == ""
    assert told(result()) == ""


def test_what_was_looked_at_and_how_deeply_is_one_line():
    coverage = Coverage(
        files=3, reviewed_files=2, added_lines=9, depth=DepthLines(text=9, static=4), text_only=["a.yml"]
    )
    (line,) = report(result(reviewers=[ran("text"), ran("ruff")], coverage=coverage)).splitlines()
    assert line == (
        "selfreview: reviewed 2 of 3 files, +9 lines (static 4, text 9): text, ruff; 1 file had only a text scan: a.yml"
    )
    assert "reviewed" not in report(result(status=ResultStatus.NOTHING_TO_REVIEW))


def test_an_incomplete_result_says_so_in_one_line():
    reasons = ["rules timed out: no answer within 60 s", "ruff did not review x.py: too deep"]
    outcome = incomplete(issue("a.py"), incomplete_reasons=reasons)
    outcome.reviewers[1].gap = reasons[0]
    text = told(outcome)
    assert text.splitlines()[1:] == [
        "selfreview: incomplete: rules timed out: no answer within 60 s; "
        "command.eslint failed: exited with status 2: Cannot find module 'eslint'; ruff did not review x.py: too deep",
    ]


@pytest.mark.parametrize(("summary", "said"), [("Cut\noff.", "Cut off."), ("", "not everything was reviewed")])
def test_an_incomplete_result_without_a_culprit_still_says_so(summary, said):
    text = told(incomplete(reviewers=[], summary=summary))
    assert text.startswith(f"selfreview: incomplete: {said}\n")


def test_nothing_to_review_without_a_scope():
    outcome = result(status=ResultStatus.NOTHING_TO_REVIEW, scope=None)
    assert told(outcome) == "selfreview: nothing to review: no changes\n"


def test_it_is_registered_by_its_name():
    registry = Registry("reporter")
    formats.concise.selfreview_register_reporters(registry)
    assert registry.names() == ["concise"]
