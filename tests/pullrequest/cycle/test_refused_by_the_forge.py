"""What the forge refuses around a fix, which is there all the same, and what a person is told of once."""

from __future__ import annotations

import pytest

from selfreview.errors import ExitCode
from tests.pullrequest.lab import Lab
from tests.pullrequest.stories import SUGGESTED, calls_for_a_person, commits, fix, push_there, said_by, suggest

pytestmark = pytest.mark.long


def test_a_reviewer_who_left_costs_no_fix_and_no_answer(lab: Lab) -> None:
    pull = lab.open()
    suggest(lab, pull, review=pull.review(lab.rev, "CHANGES_REQUESTED", ""))
    lab.forge.fail(
        "POST", "*/requested_reviewers", status=422, message="Reviews may only be requested from collaborators"
    )
    ran = fix(lab, pull)
    assert "Traceback" not in ran.err
    assert lab.file() == SUGGESTED
    assert len(pull.threads[0].comments) == 2
    fix(lab, pull)
    assert len(commits(lab)) == 1
    assert len(pull.threads[0].comments) == 2


def test_a_label_that_cannot_be_put_on_keeps_nobody_from_being_called(lab: Lab) -> None:
    pull = lab.open()
    suggest(lab, pull)
    push_there(lab, "app.py", "gone = 1\n")
    lab.forge.fail("POST", "*/labels", status=404, message="Not Found", times=None)
    ran = fix(lab, pull)
    assert ran.code == ExitCode.ISSUES, ran
    assert "label" in ran.out + ran.err
    (called,) = calls_for_a_person(lab, pull)
    assert "The label" not in called
    fix(lab, pull)
    assert len(calls_for_a_person(lab, pull)) == 1


def test_an_archived_repository_is_told_in_one_line(lab: Lab) -> None:
    pull = lab.open()
    suggest(lab, pull)
    fix(lab, pull, "-o", "feedback.max_fix_cycles=0")
    lab.repository.archived = True
    ran = lab.pr("fix", str(pull.number))
    assert "Traceback" not in ran.err, ran
    assert ran.code != ExitCode.INTERNAL_ERROR, ran
    assert "archived" in ran.out + ran.err
    assert not said_by(pull, "dev")
