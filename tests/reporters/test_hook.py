"""What a hook prints: a pass is one line that hides nothing, all else is the whole report."""

import pytest

from selfreview.api import IssueStatus, ReviewerStatus, Severity
from selfreview.model.result import Coverage, Excluded
from selfreview.reporters import formats
from selfreview.reporters.terminal.summary import HookReporter

from .builders import issue, ran, render, result
from .samples import CONTEXT, SAMPLES


def said(outcome):
    return render(HookReporter(formats.terminal), outcome, context=CONTEXT)


def test_a_pass_is_one_line():
    assert said(result(coverage=Coverage(files=3, reviewed_files=3))) == (
        "selfreview: passed, 3 files, no model, so logic was not read\n"
    )


def test_a_pass_says_what_was_not_seen_and_what_is_open():
    coverage = Coverage(files=3, reviewed_files=1, text_only=["a.txt"], excluded=[Excluded(path="b", why="binary")] * 2)
    outcome = result(
        issue(severity=Severity.LOW),
        issue(status=IssueStatus.SUPPRESSED),
        coverage=coverage,
        passed=True,
        model_reviewed=True,
        reviewers=[ran(), ran("eslint\x1b", ReviewerStatus.SKIPPED, error="not trusted")],
        notes=["a rebase is in progress"],
    )
    assert said(outcome) == (
        "selfreview: passed, 1 file, 2 excluded, 1 by a text scan only, 1 low in 1 file (selfreview status), "
        "1 suppressed, eslint\\x1b did not run\n"
        "selfreview: note: a rebase is in progress\n"
    )


def test_nothing_to_review_is_one_line():
    text = said(SAMPLES["nothing"])
    assert text.startswith("selfreview: nothing to review: ")
    assert text.count("\n") == 1


@pytest.mark.parametrize("name", [name for name in SAMPLES if name not in ("pass", "nothing", "applied")])
def test_all_else_is_the_whole_report(name):
    assert said(SAMPLES[name]) == render(formats.terminal, SAMPLES[name], context=CONTEXT)
