"""A question that is answered in the same cycle as a fix calls nobody, and people are told that they can take over."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from selfreview.errors import ExitCode
from selfreview.testing.messages import Status
from tests.forge import PullRequest
from tests.pullrequest.cycle.test_handover import labels, reset
from tests.pullrequest.cycle.test_ready import GITHUB, notices
from tests.pullrequest.lab import Lab, judged
from tests.pullrequest.stories import (
    RENAMED,
    SUGGESTED,
    calls_for_a_person,
    commits,
    configure,
    fix,
    model,
    suggest,
    talk,
)

pytestmark = pytest.mark.long

WHY = {"meaning": "question", "suggestedResponse": "Because it was asked for."}


def in_a_thread(lab: Lab, pull: PullRequest) -> None:
    pull.inline(lab.rev, "app.py", 2, "Why a half?")


def without_one(lab: Lab, pull: PullRequest) -> None:
    pull.comment(lab.rev, "Why a half?")


def in_a_review(lab: Lab, pull: PullRequest) -> None:
    pull.review(lab.rev, "COMMENTED", "Why a half?")


ASKED = pytest.mark.parametrize("ask", [in_a_thread, without_one, in_a_review])


def is_over(lab: Lab, pull: PullRequest, answer: str = "Because it was asked for.") -> None:
    """Hold that all is done, said once, and nobody is needed."""
    said = [*pull.inline_comments, *pull.comments]
    assert sum(answer in comment.body for comment in said) == 1
    assert labels(pull) == ["ready-for-review"]
    assert len(notices(pull)) == 1
    assert fix(lab, pull, *GITHUB).code == ExitCode.PASSED
    assert len(notices(pull)) == 1
    assert "a person is needed" not in lab.pr("status", str(pull.number)).out


@ASKED
def test_a_question_beside_a_suggestion(lab: Lab, ask: Callable[[Lab, PullRequest], None]) -> None:
    configure(lab)
    pull = lab.open()
    suggest(lab, pull)
    ask(lab, pull)
    with model(lab, [judged(WHY)]):
        ran = fix(lab, pull, *GITHUB)
    assert ran.code == ExitCode.PASSED, ran
    assert lab.file() == SUGGESTED
    assert not calls_for_a_person(lab, pull)
    is_over(lab, pull)


@ASKED
def test_a_question_that_a_person_was_called_for_and_that_is_tried_again(
    lab: Lab, ask: Callable[[Lab, PullRequest], None]
) -> None:
    configure(lab)
    pull = lab.open()
    ask(lab, pull)
    assert fix(lab, pull, *GITHUB).code == ExitCode.ISSUES
    suggest(lab, pull)
    reset(lab)
    with model(lab, [judged(WHY)]):
        ran = fix(lab, pull, *GITHUB)
    assert ran.code == ExitCode.PASSED, ran
    assert len(calls_for_a_person(lab, pull)) == 1
    is_over(lab, pull)


def test_a_question_in_the_thread_of_what_is_fixed(lab: Lab) -> None:
    configure(lab)
    pull = lab.open()
    first = pull.inline(lab.rev, "app.py", 10, "Say it in full.")
    first.thread.reply(lab.rev, "And why a function at all?")
    with model(lab, talk({"description": "say it in full"}, WHY)):
        ran = fix(lab, pull, *GITHUB)
    assert ran.code == ExitCode.PASSED, ran
    assert lab.file() == RENAMED
    assert len(commits(lab)) == 1
    is_over(lab, pull)


def test_an_answer_to_a_question_leaves_open_what_is_asked_for_before_it(lab: Lab) -> None:
    configure(lab)
    pull = lab.open()
    first = pull.inline(lab.rev, "app.py", 10, "Say it in full.")
    first.thread.reply(lab.rev, "And why a function at all?")
    away = [judged({"description": "say it in full"}, WHY), *[Status(code=529)] * 12]
    with model(lab, away):
        assert fix(lab, pull, *GITHUB).code == ExitCode.INCOMPLETE
    assert "Because it was asked for." in first.thread.comments[-1].body
    assert "look at 1 piece of feedback" in lab.pr("status", str(pull.number)).out
    with model(lab, talk({"description": "say it in full"})):
        assert fix(lab, pull, *GITHUB).code == ExitCode.PASSED
    assert lab.file() == RENAMED
    is_over(lab, pull)


def test_what_is_left_to_a_person_stays_theirs_though_a_question_after_it_is_answered(lab: Lab) -> None:
    configure(lab)
    pull = lab.open()
    suggest(lab, pull)
    capped = ("-o", "feedback.max_fix_cycles=1")
    assert fix(lab, pull, *capped).code == ExitCode.PASSED
    first = pull.inline(lab.rev, "app.py", 10, "Say it in full.")
    first.thread.reply(lab.rev, "And why a function at all?")
    with model(lab, [judged({"description": "say it in full"}, WHY)]):
        for _ in range(2):
            assert fix(lab, pull, *GITHUB, *capped).code == ExitCode.ISSUES
    assert "Because it was asked for." in first.thread.comments[-1].body
    assert labels(pull) == ["human-review-required"]
    assert not notices(pull)
