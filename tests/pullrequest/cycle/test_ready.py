"""People are told when they can take over: at the opening, and when nothing that they asked for is open any more."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import Any

import pytest

from selfreview.errors import ExitCode
from tests.forge import PullRequest
from tests.pullrequest.lab import Lab
from tests.pullrequest.notifiers.slackd import HttpServer
from tests.pullrequest.stories import fix, suggest

GITHUB = ("-o", 'notification_channels=["github"]', "-o", 'notify.github.reviewers=["rev"]')
SLACK = ("-o", 'notification_channels=["slack"]', "-o", 'notify.slack.users={dev="U0DEV", rev="U0REV"}')
READY = "is ready for people to review"


def notices(pull: PullRequest) -> list[str]:
    """Return the titles of the notices on a pull request that people can take over."""
    return [comment.body for comment in pull.comments if READY in comment.body]


def names(things: Any) -> list[str]:
    """Return what labels or people are called."""
    return [getattr(thing, "name", None) or thing.login for thing in things]


def opened(lab: Lab, *args: str, **env: str) -> PullRequest:
    """Open a pull request through the command line."""
    ran = lab.pr("create", "--force", "--reason", "a spike to look at", *args, **env)
    assert ran.code == ExitCode.PASSED, ran
    (pull,) = lab.repository.pulls
    return pull


def test_reviewers_are_asked_when_a_pull_request_is_opened_and_once(lab: Lab) -> None:
    pull = opened(lab, *GITHUB)
    assert names(pull.requested) == ["rev"]
    assert names(pull.labels) == ["ready-for-review"]
    assert "@rev" in notices(pull)[0]
    opened(lab, *GITHUB)
    assert len(notices(pull)) == 1


@pytest.mark.parametrize("more", [("--draft",), ("-o", "notify_on_ready=false"), ("-o", "notify.github.events=[]")])
def test_nobody_is_asked_for_a_draft_or_where_that_is_turned_off(lab: Lab, more: tuple[str, ...]) -> None:
    pull = opened(lab, *GITHUB, *more)
    assert not notices(pull)
    assert not pull.requested


def test_people_can_take_over_when_a_cycle_leaves_nothing_open_and_are_told_once(lab: Lab) -> None:
    pull = lab.open()
    suggest(lab, pull)
    fix(lab, pull, *GITHUB)
    assert names(pull.labels) == ["ready-for-review"]
    fix(lab, pull, *GITHUB)
    assert len(notices(pull)) == 1


def test_people_cannot_take_over_while_something_is_left_to_one(lab: Lab) -> None:
    pull = lab.open()
    pull.comment(lab.rev, "This whole approach is wrong, let us talk.")
    fix(lab, pull, *GITHUB)
    suggest(lab, pull)
    ran = fix(lab, pull, *GITHUB)
    assert ran.code == ExitCode.ISSUES, ran
    assert not notices(pull)
    assert names(pull.labels) == ["human-review-required"]


def test_a_label_that_a_person_put_there_stays_when_people_can_take_over(lab: Lab) -> None:
    pull = lab.open()
    pull.label("human-review-required", lab.rev)
    suggest(lab, pull)
    assert fix(lab, pull, *GITHUB).code == ExitCode.PASSED
    assert names(pull.labels) == ["human-review-required", "ready-for-review"]


@pytest.mark.long
def test_what_could_not_be_told_in_time_is_not_told_once_a_person_was_called(lab: Lab) -> None:
    pull = lab.open()
    suggest(lab, pull)
    lab.forge.fail("POST", "*/labels*", status=502, times=None)
    assert fix(lab, pull, *GITHUB).code == ExitCode.PASSED
    lab.forge.mend()
    pull.comment(lab.rev, "This whole approach is wrong, let us talk.")
    assert fix(lab, pull, *GITHUB).code == ExitCode.ISSUES
    with closing(sqlite3.connect(lab.workspace.root / ".git" / "selfreview" / "store.db")) as store, store:
        store.execute("update outbox set due = 0 where state = 'waiting'")
    for _ in range(2):
        assert fix(lab, pull, *GITHUB).code == ExitCode.ISSUES
        assert names(pull.labels) == ["human-review-required"]


def test_who_is_concerned_is_mentioned(lab: Lab) -> None:
    pull = lab.open()
    suggest(lab, pull)
    with HttpServer() as server:
        fix(lab, pull, *SLACK, SLACK_WEBHOOK_URL=server.url)
        (ready,) = server.seen
        assert READY in ready.body.decode()
        assert "<@U0REV>" in ready.body.decode()
        pull.comment(lab.rev, "This whole approach is wrong, let us talk.")
        fix(lab, pull, *SLACK, SLACK_WEBHOOK_URL=server.url)
        _, call = server.seen
        assert "<@U0DEV>" in call.body.decode()


def test_a_person_who_says_ready_has_it_said_on_the_pull_request(lab: Lab) -> None:
    pull = lab.open()
    fix(lab, pull)
    env = {"SELFREVIEW_NOTIFICATION_CHANNELS": "github", **lab.environment}
    done = lab.workspace.selfreview("ready", "--reason", "look at it", **env)
    assert done.code == ExitCode.PASSED, done
    fix(lab, pull, *GITHUB)
    assert len(notices(pull)) == 1
    assert names(pull.requested) == ["rev"]


def test_each_commit_that_is_ready_is_a_comment_that_notifies(lab: Lab) -> None:
    pull = opened(lab, *GITHUB)
    suggest(lab, pull)
    assert fix(lab, pull, *GITHUB).code == ExitCode.PASSED
    assert len(notices(pull)) == 2
    assert all("@rev" in body for body in notices(pull))


def test_whoever_says_that_it_is_ready_is_told_once_and_no_escalation_says_it_again(lab: Lab) -> None:
    pull = opened(lab)
    slack = {"SELFREVIEW_NOTIFICATION_CHANNELS": "slack"}
    assert lab.workspace.selfreview("ready", **slack).code == ExitCode.PASSED
    told = lab.workspace.selfreview("notify", "status").out
    assert told.count(READY) == 1
    pull.comment(lab.rev, "This whole approach is wrong, let us talk.")
    assert lab.pr("fix", str(pull.number), **slack).code == ExitCode.ISSUES
    told = lab.workspace.selfreview("notify", "status").out
    assert told.count(READY) == 1
    assert "needs a person" in told
