"""Resolved threads: they are settled, until a person says something there."""

from __future__ import annotations

from typing import Any

import pytest

from selfreview.errors import ExitCode
from tests.forge import InlineComment
from tests.pullrequest.lab import Lab, judged
from tests.pullrequest.stories import (
    SUGGESTED,
    calls_for_a_person,
    commits,
    configure,
    fix,
    model,
    nothing_happened,
    suggest,
    talk,
)

AGAIN = "```suggestion\n    return 2 * n\n```"
US, HAND, SEEN = "answered by us", "answered by hand", "seen resolved"


def ways(*short: str) -> list[Any]:
    """Return all ways, those but for some as of the long form."""
    return [way if way in short else pytest.param(way, marks=pytest.mark.long) for way in (US, HAND, SEEN)]


def resolved(lab: Lab, way: str) -> InlineComment:
    """Open a pull request with a thread that is resolved, after it was dealt with in some way."""
    pull = lab.open()
    if way == "answered by us":
        comment = suggest(lab, pull)
        assert fix(lab, pull).code == ExitCode.PASSED
    else:
        comment = pull.inline(lab.rev, "app.py", 6, "This could be an addition.")
        if way == "answered by hand":
            comment.reply(lab.dev, "I had a reason for it.")
    comment.thread.resolve(lab.dev)
    if way == "seen resolved":
        assert fix(lab, pull).code == ExitCode.PASSED
    return comment


@pytest.mark.parametrize("way", ways(US))
def test_what_a_person_says_there_then_is_done_once(lab: Lab, way: str) -> None:
    configure(lab)
    comment = resolved(lab, way)
    pull, before = comment.pull, len(commits(lab))
    comment.reply(lab.rev, "And say what it is called in full.")
    assert "look at 1 piece of feedback" in lab.pr("status", str(pull.number)).out
    with model(lab, talk()):
        assert "actionable: rev app.py:6: And say" in lab.pr("feedback", str(pull.number)).out
        ran = fix(lab, pull)
    assert ran.code == ExitCode.PASSED, ran
    assert '"the app"' in lab.file()
    assert len(commits(lab)) == before + 1
    assert "Done in" in comment.thread.comments[-1].body
    said = len(comment.thread.comments)
    assert fix(lab, pull).code == ExitCode.PASSED
    assert (len(commits(lab)), len(comment.thread.comments)) == (before + 1, said)


@pytest.mark.parametrize("way", ways(HAND))
def test_what_needs_a_person_there_waits_until_they_answer_it(lab: Lab, way: str) -> None:
    comment = resolved(lab, way)
    pull = comment.pull
    comment.reply(lab.rev, "This is still wrong, let us talk.")
    for _ in range(2):
        assert fix(lab, pull).code == ExitCode.ISSUES
        assert len(calls_for_a_person(lab, pull)) == 1
    comment.reply(lab.dev, "We did, and it stays.")
    ran = fix(lab, pull)
    assert ran.code == ExitCode.PASSED, ran
    assert not pull.labels


@pytest.mark.parametrize("way", ways(SEEN))
def test_what_was_resolved_with_thanks_or_by_a_bot_stays_so(lab: Lab, way: str) -> None:
    comment = resolved(lab, way)
    pull, before = comment.pull, len(commits(lab))
    bot = lab.repository.allow(lab.forge.user("lint[bot]"), "write")
    comment.reply(lab.rev, "Thanks, looks good!")
    comment.reply(bot, AGAIN)
    comment.reply(lab.forge.user("guest"), AGAIN)
    ran = fix(lab, pull, "-o", 'feedback.allowed_bots=["lint[bot]"]')
    assert ran.code == ExitCode.PASSED, ran
    assert len(commits(lab)) == before
    assert not calls_for_a_person(lab, pull)


def test_what_was_said_before_it_was_resolved_is_settled(lab: Lab) -> None:
    pull = lab.open()
    comment = suggest(lab, pull)
    comment.reply(lab.rev, AGAIN)
    comment.thread.resolve(lab.rev)
    for _ in range(2):
        assert fix(lab, pull).code == ExitCode.PASSED
    comment.thread.unresolve(lab.rev)
    comment.thread.resolve(lab.rev)
    assert fix(lab, pull).code == ExitCode.PASSED
    assert nothing_happened(lab, pull)


@pytest.mark.long
def test_what_is_said_there_while_nothing_can_be_done_is_not_lost(lab: Lab) -> None:
    comment = resolved(lab, "seen resolved")
    comment.reply(lab.rev, AGAIN)
    (lab.workspace.root / "mine.txt").write_text("at work\n")
    for _ in range(2):
        assert fix(lab, comment.pull).code == ExitCode.INCOMPLETE
    (lab.workspace.root / "mine.txt").unlink()
    assert fix(lab, comment.pull).code == ExitCode.PASSED
    assert "return 2 * n" in lab.file()


@pytest.mark.long
def test_a_thread_that_is_resolved_again_while_its_fix_is_made_is_settled(lab: Lab) -> None:
    configure(lab)
    pull = lab.open()
    comment = suggest(lab, pull)
    assert fix(lab, pull).code == ExitCode.PASSED
    comment.reply(lab.rev, "And say what it is called in full.")
    asked = judged({"description": "say it in full"})
    with model(lab, [asked, *talk(during=lambda: comment.thread.resolve(lab.rev))[1:]]):
        fix(lab, pull)
    assert lab.file() == SUGGESTED
    assert len(commits(lab)) == 1
