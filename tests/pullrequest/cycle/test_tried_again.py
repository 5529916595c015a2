"""What the forge refuses is tried once more by the next cycle, and then left at that."""

from __future__ import annotations

import pytest

from selfreview.errors import ExitCode
from selfreview.pullrequest.feedback.marks import UNASKED, Mark
from tests.forge import PullRequest
from tests.pullrequest.cycle.test_forged import claims, forge_commit, keys
from tests.pullrequest.lab import Lab
from tests.pullrequest.stories import commits, fix, suggest

pytestmark = pytest.mark.long

REPLIES, REVIEWS = "*/replies", "*/requested_reviewers"


def refuse(lab: Lab, what: str, status: int = 403) -> None:
    """Have the forge refuse something until it is mended."""
    lab.forge.fail("POST", what, status=status, times=None, message="No")


def answers(pull: PullRequest) -> list[str]:
    """Return what was said in the first thread after the feedback."""
    return [comment.body for comment in pull.threads[0].comments[1:]]


@pytest.mark.parametrize("status", [403, 422])
@pytest.mark.parametrize("what", [REPLIES, REVIEWS], ids=["answer", "review"])
def test_what_is_refused_once_is_done_by_the_next_cycle(lab: Lab, what: str, status: int) -> None:
    pull = lab.open()
    suggest(lab, pull)
    refuse(lab, what, status)
    assert fix(lab, pull).code == ExitCode.PASSED
    assert (len(answers(pull)), len(pull.requested)) == ((0, 1) if what is REPLIES else (1, 0))
    lab.forge.mend()
    for _ in range(2):
        assert fix(lab, pull).code == ExitCode.PASSED
        (body,) = answers(pull)
        assert "Done in" in body
        assert [user.login for user in pull.requested] == ["rev"]
    (summary,) = pull.comments
    assert "Fix cycle 1 of at most 2" in summary.body
    assert UNASKED not in summary.body
    assert Mark.REFUSED.of("") not in summary.body
    assert len(commits(lab)) == 1


@pytest.mark.parametrize("what", [REPLIES, REVIEWS], ids=["answer", "review"])
def test_what_is_refused_twice_is_left_with_a_note(lab: Lab, what: str) -> None:
    pull = lab.open()
    suggest(lab, pull)
    refuse(lab, what)
    said = [fix(lab, pull).err for _ in range(3)]
    assert ["refused: " in err or "another review" in err for err in said] == [True, True, False]
    assert ["refused twice" in err for err in said] == [False, True, False]


@pytest.mark.parametrize("what", [REPLIES, REVIEWS, "*/issues/*/comments"], ids=["answer", "review", "summary"])
def test_what_is_written_too_quickly_is_no_refusal_and_is_written_by_the_next_cycle(lab: Lab, what: str) -> None:
    pull = lab.open()
    suggest(lab, pull)
    lab.forge.limit("POST", what, status=422)
    ran = fix(lab, pull)
    assert ran.code == ExitCode.INCOMPLETE, ran
    assert "refused" not in ran.err
    for _ in range(2):
        assert fix(lab, pull).code == ExitCode.PASSED
    (body,) = answers(pull)
    assert "Done in" in body
    assert [user.login for user in pull.requested] == ["rev"]
    assert len(pull.comments) == len(commits(lab)) == 1


def test_what_was_refused_is_not_forgotten_where_the_next_cycle_fixes_more(lab: Lab) -> None:
    pull = lab.open()
    suggest(lab, pull)
    refuse(lab, REPLIES)
    fix(lab, pull)
    suggest(lab, pull, line=10, code='    return "the app"')
    fix(lab, pull)
    lab.forge.mend()
    for _ in range(2):
        fix(lab, pull)
    assert [len(thread.comments) for thread in pull.threads] == [1, 2]
    assert len(commits(lab)) == 2


def test_a_thread_of_which_a_commit_of_others_cannot_be_said_is_listed(lab: Lab) -> None:
    pull = lab.open()
    suggest(lab, pull)
    fix(lab, pull)
    said = "Line 10 is wrong."
    pull.inline(lab.rev, "app.py", 10, said)
    sha = forge_commit(lab, pull, 2, keys(lab, pull)[said])
    refuse(lab, REPLIES)
    for _ in range(2):
        fix(lab, pull)
        (body,) = claims(pull)
        assert f"{sha} says that it answers" in body
