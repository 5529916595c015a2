"""From what happens on the forge to a pushed commit, through ``selfreview pr watch``."""

from __future__ import annotations

import pytest

from selfreview.errors import ExitCode
from tests.feedback.lab import APP, Lab
from tests.feedback.watching.scene import AUTO, named, told

pytestmark = pytest.mark.long

SUGGESTION = "Better:\n```suggestion\n    return n + n\n```"


def suggest(lab: Lab, pull, line: int = 6, body: str = SUGGESTION) -> None:
    review = pull.review(lab.rev, "CHANGES_REQUESTED", "")
    pull.inline(lab.rev, "app.py", line, body, review=review)


def test_news_are_answered_and_then_there_are_none(lab: Lab) -> None:
    pull = lab.open()
    suggest(lab, pull)
    ran = lab.pr("watch", "--once", *AUTO)
    assert ran.code == ExitCode.PASSED, ran
    assert [event["outcome"] for event in named(told(ran), "ended")] == ["fixed"]
    assert lab.file() == APP.replace("n * 2", "n + n")
    own = lab.pr("watch", "--once", *AUTO)  # our own answers are news, which nothing is to be done about
    assert [event["outcome"] for event in named(told(own), "ended")] == ["nothing_to_do"]
    quiet = lab.pr("watch", "--once", *AUTO)
    assert named(told(quiet), "scheduled", "ended") == []
    assert (len(lab.log()), len(pull.comments), len(pull.threads[0].comments)) == (2, 1, 2)


def test_without_the_setting_news_are_only_told_and_once(lab: Lab) -> None:
    pull = lab.open()
    suggest(lab, pull)
    ran = lab.pr("watch", "--once")
    assert ran.code == ExitCode.PASSED, ran
    assert [event["number"] for event in named(told(ran), "news")] == [pull.number]
    assert len(lab.log()) == 1
    assert named(told(lab.pr("watch", "--once")), "news") == []
    later = lab.pr("watch", "--once", *AUTO)  # told of is not answered
    assert [event["outcome"] for event in named(told(later), "ended")] == ["fixed"]
