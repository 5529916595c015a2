"""Whatever text a change or a tool brings, no format lets it act on a terminal."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from selfreview.api import Category, IssueStatus, Place, ReviewerStatus, Severity, Side
from selfreview.model.result import Coverage, ErrorInfo, Excluded, Result, ResultStatus, ScopeSummary
from selfreview.reporters import concise, json_report, jsonl, terminal
from selfreview.reporters._escape import visible

from .builders import Texts, issue, ran, render, result

BAD = "\x00\x07\x08\t\n\x0b\x0c\r\x1b\x7f\x85\x9b\x9d\xad\u061c\u200b\u200d\u200e\u2028\u202e\u2066\ufeff"
BAD += "\udc80\udcff\ud800"
texts = st.text(alphabet=st.sampled_from(BAD + " :[m;31abc日\u0301/=") | st.characters(), max_size=60)
OUR_COLOURS = re.compile(r"\x1b\[[0-9;]+m")


@st.composite
def issues(draw):
    return issue(
        draw(texts),
        draw(st.integers(0, 5)),
        draw(st.sampled_from(Severity)),
        draw(texts),
        category=draw(st.sampled_from(Category)),
        line_end=draw(st.integers(0, 9)),
        column=draw(st.none() | st.integers(1, 90)),
        side=draw(st.sampled_from(Side)),
        suggested_fix=draw(st.none() | texts),
        rule=draw(st.none() | texts),
        evidence=draw(st.none() | texts),
        reviewer=draw(texts),
        also_reported_by=draw(st.lists(texts, max_size=2)),
        confidence=draw(st.none() | st.floats(0, 1)),
        related=[Place(file=draw(texts), line_start=1, line_end=1, note=draw(texts))],
        status=draw(st.sampled_from(IssueStatus)),
        id=draw(texts),
    )


@st.composite
def outcomes(draw):
    found = draw(st.lists(issues(), max_size=3))
    return result(
        *found,
        status=draw(st.sampled_from(ResultStatus)),
        summary=draw(texts),
        notes=draw(st.lists(texts, max_size=2)),
        error=draw(st.none() | st.builds(ErrorInfo, message=texts, hint=st.none() | texts)),
        scope=ScopeSummary(
            mode=draw(st.sampled_from(["branch", "head", "staged", "commit", "range", "diff"])),
            base=draw(st.none() | texts),
            merge_base=draw(st.none() | texts),
            head=draw(st.none() | texts),
            notes=draw(st.lists(texts, max_size=1)),
        ),
        reviewers=[
            ran(draw(texts), draw(st.sampled_from(ReviewerStatus)), error=draw(texts), hint=draw(st.none() | texts))
        ],
        coverage=Coverage(files=4, text_only=[draw(texts)], excluded=[Excluded(path=draw(texts), why=draw(texts))]),
    )


def contexts(outcome: Result, text: str) -> Texts:
    files = {found.file: text for found in outcome.issues}
    return Texts(files, files)


@pytest.mark.parametrize("module", [terminal, concise, json_report, jsonl])
@settings(deadline=None, max_examples=150)
@given(outcome=outcomes(), text=texts, color=st.booleans(), width=st.integers(1, 120))
def test_no_character_of_others_acts_on_a_terminal(module, outcome, text, color, width):
    written = render(module.Reporter(), outcome, contexts(outcome, text), color=color, width=width)
    if color and module is terminal:
        written = OUR_COLOURS.sub("", written)
    assert [char for char in written if char != "\n" and visible(char) != char] == []
    assert written.endswith("\n") or not written


@settings(deadline=None, max_examples=100)
@given(outcome=outcomes(), text=texts)
def test_one_open_issue_stays_one_line_of_the_concise_report(outcome, text):
    written = render(concise.Reporter(), outcome, contexts(outcome, text))
    others = [line for line in written.split("\n")[:-1] if line.startswith("selfreview: ")]
    assert len(written.split("\n")) - 1 - len(others) == len(outcome.open_issues)
