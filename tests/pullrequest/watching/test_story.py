"""The life of a pull request, through the command line alone: opened, rejected three times, and handed to a person."""

from __future__ import annotations

import json

import pytest

from selfreview.errors import ExitCode
from selfreview.testing.messages import MessagesServer
from tests.fixers.talks import edit, says
from tests.forge import PullRequest
from tests.pullrequest.lab import APP, Lab, judged, report
from tests.pullrequest.notifiers.slackd import HttpServer, Seen
from tests.pullrequest.watching.scene import named, told

pytestmark = pytest.mark.long

CONFIG = """
auto_address_review_comments = true
fixers = ["auto", "claude"]
reviewers = ["ruff", "rules", "secrets", "text"]
notification_channels = ["slack", "github"]
"""
FIRST = "`name` should say what it is."
SECOND = "`name` should be in capitals."
THIRD = "I do not want `name` at all."


def test_from_the_self_review_to_a_person(lab: Lab) -> None:
    (lab.workspace.root / "selfreview.toml").write_text(CONFIG)
    lab.workspace.commit("settings")
    assert lab.workspace.selfreview("trust").code == ExitCode.PASSED
    assert lab.workspace.selfreview("run").code == ExitCode.PASSED
    made = lab.pr("create", "--title", "Halves and names")
    assert made.code == ExitCode.PASSED, made
    (pull,) = lab.repository.pulls
    talk = [
        judged(
            {"description": "name() returns the application's full name"},
            {"description": "half() divides by 2.0"},
            {"meaning": "question", "suggestedResponse": "Because callers add to it."},
        ),
        says(edit("app.py", '"app"', '"the app"'), edit("app.py", "n / 2", "n / 2.0")),
        report(),
        judged({"description": "name() returns capitals"}),
        says(edit("app.py", '"the app"', '"THE APP"')),
        report(),
        judged({"description": "there is no name()"}),
    ]
    with MessagesServer(talk) as server, HttpServer() as slack:
        lab.server = server

        def watch() -> list[dict]:
            ran = lab.pr("watch", "--once", SLACK_WEBHOOK_URL=slack.url)
            assert ran.code in (ExitCode.PASSED, ExitCode.ISSUES), ran
            return named(told(ran), "ended", "put_off")

        rejected(lab, pull, FIRST)
        pull.inline(lab.rev, "app.py", 2, "Divide by a float.")
        pull.inline(lab.rev, "app.py", 6, "```suggestion\n    return n + n\n```")
        pull.inline(lab.rev, "app.py", 5, "Why does this double?")
        assert [event["outcome"] for event in watch()] == ["fixed"]
        fixed = APP.replace("n * 2", "n + n").replace("n / 2", "n / 2.0").replace('"app"', '"the app"')
        assert lab.file() == fixed
        assert len(lab.log()) == 3
        assert [len(thread.comments) for thread in pull.threads] == [2, 2, 2]
        answer = pull.threads[2].comments[1].body
        assert "Because callers add to it." in answer
        assert "Written by a model" in answer
        assert [user.login for user in pull.requested] == ["rev"]
        ready = "octo/app#1 is ready for people to review"
        assert [slack_says(one) for one in slack.seen] == [f"{ready}: octo/app#1 (topic)"]
        # What said so at the opening, what says so of the fix, and the summary, which is edited in place from now on.
        assert ["@rev" in one.body for one in pull.comments] == [False, True, True]

        rejected(lab, pull, SECOND)
        assert [event["outcome"] for event in watch()] == ["fixed"]
        assert lab.file() == fixed.replace("the app", "THE APP")
        assert [user.login for user in pull.requested] == ["rev"]
        assert ["@rev" in one.body for one in pull.comments] == [False, True, True, True]  # said anew of the second fix

        rejected(lab, pull, THIRD)
        (last,) = watch()
        assert (last["outcome"], last["code"]) == ("human_review_required", ExitCode.ISSUES)
        head = lab.head()
        assert "human-review-required" in [label.name for label in pull.labels]
        escalation = "\n".join(one.body for one in pull.comments[1:])
        for said in ("should say what it is", "should be in capitals", "do not want"):
            assert said in escalation
        comments, told_so_far = len(pull.comments), len(slack.seen)
        *before, called = slack.seen
        assert [slack_says(one) for one in before] == [f"{ready}: octo/app#1 (topic)"] * 2
        assert "do not want" in called.body.decode()

        assert [event["outcome"] for event in watch()] == ["human_review_required"]
        assert watch() == []
        assert (lab.head(), len(pull.comments), len(slack.seen)) == (head, comments, told_so_far)
        assert len(server.requests) == len(talk)


def slack_says(seen: Seen) -> str:
    return str(json.loads(seen.body)["text"])


def rejected(lab: Lab, pull: PullRequest, body: str) -> None:
    pull.review(lab.rev, "CHANGES_REQUESTED", body)
