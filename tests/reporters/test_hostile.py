"""Whatever text a change or a tool brings, no format lets it act on a terminal."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from selfreview.api import IssueStatus, Place, ReviewerStatus, Severity, Side
from selfreview.model.refinement import FixAnswer, FixerReport, FixOutcome, Refinement, Stop
from selfreview.model.result import (
    Coverage,
    ErrorInfo,
    Excluded,
    Iteration,
    KeptPatch,
    Result,
    ResultStatus,
    ScopeSummary,
)
from selfreview.reporters import formats
from selfreview.text.escape import visible

from .builders import Texts, issue, ran, render, result

BAD = "\x00\x07\x08\t\n\x0b\x0c\r\x1b\x7f\x85\x9b\x9d\xad\u061c\u200b\u200d\u200e\u2028\u202e\u2066\ufeff"
BAD += "\udc80\udcff\ud800"
OUR_COLOURS = re.compile(r"\x1b\[[0-9;]+m")


def outcome_of(text: str, **picked) -> Result:
    """Return a result that holds a text wherever text can stand."""
    found = issue(
        text,
        picked["line"],
        picked["severity"],
        text,
        line_end=picked["line"] + picked["more"],
        column=picked["column"],
        side=picked["side"],
        suggested_fix=text,
        rule=text,
        evidence=text,
        reviewer=text,
        also_reported_by=[text, text],
        related=[Place(file=text, line_start=1, line_end=1, note=text)],
        status=picked["issue_status"],
        id=text,
    )
    return result(
        found,
        status=picked["status"],
        summary=text,
        notes=[text],
        incomplete_reasons=[text, f"{text}."],
        error=ErrorInfo(message=text, hint=text),
        scope=ScopeSummary(
            mode=picked["mode"], base=text, merge_base=text, head=text, notes=[f"{text}."], limits=[text]
        ),
        reviewers=[ran(text, status, error=text, hint=text, gap=text) for status in ReviewerStatus],
        coverage=Coverage(files=4, text_only=[text], excluded=[Excluded(path=text, why=text)]),
        iterations=[Iteration(refinement=refinement_of(text), review=result(found))],
        stop=Stop.PLUGIN,
        stop_reason=text,
        patch=KeptPatch(id=text, file=text, iteration=1, files=1, reason=text),
    )


def refinement_of(text: str) -> Refinement:
    """Return a refinement whose fixer says a text wherever it can."""
    answers = [FixAnswer(issue=text, outcome=outcome, why=text) for outcome in FixOutcome]
    fixer = FixerReport(name=text, issues=[text], answers=answers, rejected=[text], error=text, hint=text)
    return Refinement(fixers=[fixer], files=1)


texts = st.text(alphabet=st.sampled_from(BAD + " :[m;31abc日\u0301/=") | st.characters(), max_size=60)
outcomes = st.builds(
    outcome_of,
    texts,
    line=st.integers(0, 5),
    more=st.integers(0, 9),
    column=st.none() | st.integers(1, 90),
    severity=st.sampled_from(Severity),
    side=st.sampled_from(Side),
    issue_status=st.sampled_from(IssueStatus),
    status=st.sampled_from(ResultStatus),
    mode=st.sampled_from(["branch", "head", "staged", "commit", "range", "diff"]),
)


def context_of(outcome: Result) -> Texts:
    files = {found.file: f"{found.description}\n{found.description}" for found in outcome.issues}
    return Texts(files, files)


@pytest.mark.parametrize(
    "name", ["terminal", "agent", "concise", "json", "jsonl", "sarif", "junit", "gitlab", "rdjson"]
)
@settings(deadline=None)
@given(outcome=outcomes, color=st.booleans(), width=st.integers(1, 120))
def test_no_character_of_others_acts_on_a_terminal(name, outcome, color, width):
    written = render(getattr(formats, name), outcome, context_of(outcome), color=color, width=width)
    if color and name == "terminal":
        written = OUR_COLOURS.sub("", written)
    assert [char for char in written if char != "\n" and visible(char) != char] == []
    assert written.endswith("\n") or not written


@settings(deadline=None)
@given(outcome=outcomes)
def test_one_open_issue_stays_one_line_of_the_concise_report(outcome):
    written = render(formats.concise, outcome, context_of(outcome))
    others = [line for line in written.split("\n")[:-1] if line.startswith("selfreview: ")]
    assert len(written.split("\n")) - 1 - len(others) == len(outcome.open_issues)
