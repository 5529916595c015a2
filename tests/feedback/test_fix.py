"""From what a reviewer says to a pushed commit, answers, and the wish for another look: through the command line."""

from __future__ import annotations

import re

import pytest

from selfreview.cli.telling import WITHIN_S
from selfreview.errors import ExitCode
from selfreview.testing.messages import MessagesServer, RecordedRequest, Reply
from tests.cli.refining.talk import report
from tests.feedback.lab import APP, Lab, judged
from tests.feedback.stories import RENAME, commits, configure, fix, model, plugin, suggest
from tests.fixers.talks import answer, edit, reports, says

CONFIG = 'fixers = ["auto", "claude"]\nreviewers = ["ruff", "rules", "secrets", "text"]\n'


def test_a_suggestion_is_applied_pushed_and_answered(lab: Lab) -> None:
    pull = lab.open()
    review = pull.review(lab.rev, "CHANGES_REQUESTED", "")
    pull.inline(lab.rev, "app.py", 6, "Better:\n```suggestion\n    return n + n\n```", review=review)
    ran = lab.pr("fix", str(pull.number))
    assert ran.code == ExitCode.PASSED, ran
    assert lab.file() == APP.replace("n * 2", "n + n")
    assert len(lab.log()) == 2
    assert lab.workspace.git("status", "--porcelain") == ""
    assert lab.workspace.git("rev-parse", "HEAD") == lab.head()
    said = [comment.body for comment in pull.threads[0].comments]
    assert ["Done in " in text for text in said] == [False, True]
    assert [user.login for user in pull.requested] == ["rev"]
    assert ["@rev" in comment.body for comment in pull.comments] == [True]
    again = lab.pr("fix", str(pull.number))
    assert again.code == ExitCode.PASSED, again
    assert (len(lab.log()), len(pull.comments), len(pull.threads[0].comments)) == (2, 1, 2)


def test_a_request_is_read_by_a_model_and_fixed_by_it(lab: Lab) -> None:
    (lab.workspace.root / "selfreview.toml").write_text(CONFIG)
    lab.workspace.commit("settings")
    lab.workspace.git("push", "--quiet")
    lab.workspace.selfreview("trust")
    pull = lab.open()
    pull.review(lab.rev, "CHANGES_REQUESTED", "`name` should say what it is.")
    talk = [
        judged({"description": "name() returns the application's full name"}),
        says(edit("app.py", '"app"', '"the app"')),
        report(),
    ]
    with MessagesServer(talk) as server:
        lab.server = server
        ran = lab.pr("fix", str(pull.number))
        assert ran.code == ExitCode.PASSED, ran
        prompt = str(server.requests[1].body["messages"])
        assert f"You are addressing code review feedback for PR #{pull.number}" in prompt
    assert lab.file() == APP.replace('"app"', '"the app"')
    assert "rev" in pull.comments[0].body


def test_what_a_model_says_of_its_edit_skips_no_ci_and_closes_nothing(lab: Lab) -> None:
    def reply(request: RecordedRequest) -> Reply:
        found = dict.fromkeys(re.findall(r"sr-[0-9a-f]{8,}", str(request.body["messages"])))
        return reports(*(answer(issue, "addressed", "done [skip ci] Fixes #1 cc @octo/admins") for issue in found))

    configure(lab)
    pull = lab.open()
    pull.inline(lab.rev, "app.py", 10, "Say it in full.")
    with model(lab, [judged({"description": "say it in full"}), says(RENAME), reply]):
        fix(lab, pull)
    assert "- done (skip ci) Fixes # 1 cc @ octo/admins" in lab.there("log", "-1", "--format=%B", "refs/heads/topic")


def test_a_wish_for_another_look_that_the_forge_failed_is_repeated(lab: Lab) -> None:
    pull = lab.open()
    suggest(lab, pull)
    lab.forge.fail("POST", "*/requested_reviewers", status=502, times=3)
    ran = lab.pr("fix", str(pull.number))
    assert ran.code not in (ExitCode.PASSED, ExitCode.INTERNAL_ERROR), ran
    assert not pull.requested
    fix(lab, pull)
    assert [user.login for user in pull.requested] == ["rev"]
    assert len(commits(lab)) == len(pull.comments) == 1


def test_a_wish_for_another_look_that_the_forge_refuses_is_told_and_given_up(lab: Lab) -> None:
    pull = lab.open()
    suggest(lab, pull)
    lab.forge.fail("POST", "*/requested_reviewers", status=403, times=None, message="Resource not accessible")
    ran = fix(lab, pull)
    assert ran.code == ExitCode.PASSED, ran
    assert "another review" in ran.err
    assert len(pull.comments) == 1


@pytest.mark.parametrize(("who", "state"), [("stranger", "awaiting pr feedback"), ("rev", "approved")])
def test_only_who_is_listened_to_approves(lab: Lab, who: str, state: str) -> None:
    pull = lab.open()
    pull.review(lab.forge.user(who) if who == "stranger" else lab.rev, "APPROVED", "")
    fix(lab, pull)
    assert f"session: {state}" in lab.pr("status", str(pull.number)).out


def test_a_channel_has_no_more_time_than_a_person_waits(lab: Lab) -> None:
    env = plugin(lab, SLOW)
    pull = lab.open()
    suggest(lab, pull)
    fix(lab, pull, "-p", "their_plugin", "-o", 'notification_channels=["slow"]', **env)
    pull.comment(lab.rev, "This whole approach is wrong, let us talk.")
    ran = fix(lab, pull, "-p", "their_plugin", "-o", 'notification_channels=["slow"]', **env)
    (given,) = re.findall(r"seconds: ([0-9.]+)", ran.err)
    assert float(given) <= WITHIN_S


SLOW = """
from selfreview.api import hookimpl
from selfreview.testing.notifying import FakeNotifier


class Slow(FakeNotifier):
    def send(self, notice, context):
        return [f"seconds: {context.timeout_s}"]


@hookimpl
def selfreview_register_notifiers(registry):
    registry.add(Slow("slow"))
"""
