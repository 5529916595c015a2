"""From what happens on the forge to a pushed commit, through ``selfreview pr watch``."""

from __future__ import annotations

import json

import pytest

from selfreview.errors import ExitCode
from tests.pullrequest.lab import APP, Lab
from tests.pullrequest.watching.scene import AUTO, named, told

pytestmark = pytest.mark.long

SUGGESTION = "```suggestion\n    return n + n\n```"


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


REFUSED = "Resource not accessible by personal access token"


def test_a_token_that_may_not_read_checks_is_enough(lab: Lab) -> None:
    lab.workspace.git("push", "--quiet", "origin", "main:other")
    pulls = [lab.open(), lab.repository.pull("topic", author=lab.dev, base="other")]
    suggest(lab, pulls[0])
    lab.forge.fail("GET", "*/check-runs*", status=403, times=None, message=REFUSED)
    lab.forge.fail("GET", "*/status*", status=403, times=None, message=REFUSED)
    for pull in pulls:
        path = f"repository.p{pull.number}.commits.nodes.0.commit.statusCheckRollup"
        lab.forge.refuse(path, message=REFUSED, times=None)
    ran = lab.pr("watch", "--once", *AUTO, "-o", "feedback.max_concurrent_fixes=1")
    assert ran.code == ExitCode.PASSED, ran
    assert sorted(event["outcome"] for event in named(told(ran), "ended")) == ["fixed", "nothing_to_do"]
    assert sorted(event["text"] for event in named(told(ran), "note")) == [
        "The checks are not shown: the token needs the right `checks: read`.",
        "The commit statuses are not shown: the token needs the right `commit statuses: read`.",
    ]


def test_one_that_is_not_shown_is_told_and_is_not_passed(lab: Lab) -> None:
    pull = lab.open()
    suggest(lab, pull)
    lab.forge.refuse(f"repository.p{pull.number}", message="Something broke", times=None)
    ran = lab.pr("watch", "--once", *AUTO)
    assert ran.code == ExitCode.INCOMPLETE, ran
    assert [event["number"] for event in named(told(ran), "unseen")] == [pull.number]


def test_a_limit_that_a_cycle_meets_holds_everything(lab: Lab) -> None:
    pull = lab.open()
    suggest(lab, pull)
    lab.forge.limit("GET", f"*/pulls/{pull.number}/reviews*", retry_after=3000, times=1)
    ran = lab.pr("watch", "--once", *AUTO)
    assert ran.code == ExitCode.INCOMPLETE, ran
    (postponed,) = named(told(ran), "put_off")
    assert postponed["outcome"] == "waiting"
    assert postponed["why"] == ["GitHub asks for a pause of 3000 s"]
    assert [event["wait"] > 2900 for event in [postponed, *named(told(ran), "paused")]] == [True, True]
    assert named(told(lab.pr("watch", "--once", *AUTO)), "begun") == []  # the next one knows
    lab.forge.limit("GET", f"*/pulls/{pull.number}/reviews*", retry_after=3000, times=1)
    by_hand = lab.pr("fix", str(pull.number))
    assert (by_hand.code, by_hand.out) == (ExitCode.INCOMPLETE, "")
    assert by_hand.err.startswith("error: GitHub asks for a pause of")


def test_a_limit_while_threads_are_read_is_told_as_one(lab: Lab) -> None:
    pull = lab.open()
    suggest(lab, pull)
    lab.forge.limit("POST", "/graphql", retry_after=3000, times=None)
    ran = lab.pr("fix", str(pull.number), "--format", "json")
    assert ran.code == ExitCode.INCOMPLETE, ran
    said = json.loads(ran.out)
    assert (said["outcome"], said["busy"], said["wait"] > 2900) == ("waiting", True, True)
