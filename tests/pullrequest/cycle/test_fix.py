"""From what a reviewer says to a pushed commit, answers, and the wish for another look: through the command line."""

from __future__ import annotations

import json
import re

import pytest

from selfreview.app.notices import WITHIN_S
from selfreview.errors import ExitCode
from selfreview.testing.messages import MessagesServer, RecordedRequest, Reply
from tests.cli.refining.talk import report
from tests.fixers.talks import answer, edit, reports, says
from tests.pullrequest.lab import APP, Lab, judged
from tests.pullrequest.stories import (
    RENAME,
    SETTINGS,
    SUGGESTED,
    calls_for_a_person,
    commits,
    configure,
    fix,
    model,
    plugin,
    suggest,
    talk,
)

CONFIG = 'fixers = ["auto", "claude"]\nreviewers = ["ruff", "rules", "secrets", "text"]\n'


def test_a_suggestion_is_applied_pushed_and_answered(lab: Lab) -> None:
    pull = lab.open()
    review = pull.review(lab.rev, "CHANGES_REQUESTED", "")
    pull.inline(lab.rev, "app.py", 6, "```suggestion\n    return n + n\n```", review=review)
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


@pytest.mark.parametrize("words", [{}, pytest.param({"firstWord": "", "lastWord": ""}, marks=pytest.mark.long)])
def test_a_request_that_a_model_did_not_read_is_a_persons(lab: Lab, words: dict[str, str]) -> None:
    """What calls everything praise without having read it would leave the request unanswered."""
    (lab.workspace.root / "selfreview.toml").write_text(CONFIG)
    lab.workspace.commit("settings")
    lab.workspace.git("push", "--quiet")
    pull = lab.open()
    pull.review(lab.rev, "CHANGES_REQUESTED", "`name` should say what it is.")
    unread = json.dumps({**words, **json.loads(judged({"meaning": "praise"}).text or "")})
    with MessagesServer(default=unread, enforce_schema=False, repeat_words=False) as server:
        lab.server = server
        ran = lab.pr("fix", str(pull.number))
    assert len(server.requests) == 2
    assert "no model read the feedback" in ran.err
    assert calls_for_a_person(lab, pull)


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


@pytest.mark.long
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


@pytest.mark.long
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


BESIDE = "```suggestion\n    return n + n\n```\nAlso say in name() what it is, please."


def test_words_beside_a_suggestion_that_nobody_can_read_are_a_persons(lab: Lab) -> None:
    pull = lab.open()
    pull.inline(lab.rev, "app.py", 6, BESIDE)
    ran = fix(lab, pull)
    assert ran.code == ExitCode.ISSUES, ran
    assert lab.file() == SUGGESTED
    _, reply = pull.threads[0].comments
    assert "what is said beside it is left to a person" in reply.body
    (call,) = calls_for_a_person(lab, pull)
    assert "nobody could read the words beside it" in call
    assert "human-review-required" in [label.name for label in pull.labels]
    again = fix(lab, pull)
    assert (again.code, len(commits(lab)), len(pull.comments)) == (ExitCode.ISSUES, 1, 2), again


def test_words_beside_a_suggestion_are_fixed_beside_it(lab: Lab) -> None:
    configure(lab)
    pull = lab.open()
    pull.inline(lab.rev, "app.py", 6, BESIDE)
    with model(lab, talk({"description": "name() says it in full"})) as server:
        ran = fix(lab, pull)
        assert "its suggestion block is applied already" in str(server.requests[1].body["messages"])
    assert ran.code == ExitCode.PASSED, ran
    assert lab.file() == SUGGESTED.replace('"app"', '"the app"')
    text = lab.there("log", "-1", "--format=%B", "refs/heads/topic")
    assert "- Apply the suggestion on app.py:6; as told" in text
    assert ".block" not in text
    assert not calls_for_a_person(lab, pull)


@pytest.mark.parametrize(
    "answer_",
    [
        pytest.param({"meaning": "praise"}, marks=pytest.mark.long),
        {"meaning": "question", "suggestedResponse": "It is."},
    ],
)
def test_words_that_ask_for_nothing_leave_a_suggestion_plain(lab: Lab, answer_: dict[str, str]) -> None:
    configure(lab)
    pull = lab.open()
    pull.inline(lab.rev, "app.py", 6, "Is this shorter?\n```suggestion\n    return n + n\n```")
    with model(lab, [judged(answer_)]):
        ran = fix(lab, pull)
    assert ran.code == ExitCode.PASSED, ran
    assert lab.file() == SUGGESTED
    reply = pull.threads[0].comments[-1].body
    assert ("It is." in reply) == (answer_["meaning"] == "question")


def test_words_that_are_a_persons_take_their_suggestion_with_them(lab: Lab) -> None:
    configure(lab)
    pull = lab.open()
    pull.inline(lab.rev, "app.py", 6, "Not sure, let us talk first.\n```suggestion\n    return n + n\n```")
    with model(lab, [judged({"meaning": "needs_person"})]):
        ran = fix(lab, pull)
    assert ran.code == ExitCode.ISSUES, ran
    assert not commits(lab)


def test_what_is_asked_for_beside_a_suggestion_and_not_done_is_a_persons(lab: Lab) -> None:
    configure(lab)
    pull = lab.open()
    pull.inline(lab.rev, "app.py", 6, BESIDE)
    unclear = report("not_addressed")
    with model(lab, [judged({"description": "name() says it in full"}), unclear, unclear]):
        ran = fix(lab, pull)
    assert ran.code == ExitCode.ISSUES, ran
    assert lab.file() == SUGGESTED
    assert ".block" in lab.there("log", "-1", "--format=%B", "refs/heads/topic")
    (call,) = calls_for_a_person(lab, pull)
    assert "partly fixed" in call


def test_a_reply_of_the_person_settles_nothing_and_is_shown(lab: Lab) -> None:
    pull = lab.open()
    comment = suggest(lab, pull)
    pull.add_inline(comment.thread, lab.dev, "Good catch, thanks!", None)
    shown = lab.pr("feedback", str(pull.number))
    assert "reply: dev app.py:6: Good catch, thanks!" in shown.out
    ran = fix(lab, pull)
    assert ran.code == ExitCode.ISSUES, ran
    assert calls_for_a_person(lab, pull)


def test_a_person_who_says_done_settles_a_thread(lab: Lab) -> None:
    pull = lab.open()
    comment = suggest(lab, pull)
    pull.add_inline(comment.thread, lab.dev, "Won't fix.\nIt is slower.", None)
    ran = fix(lab, pull)
    assert ran.code == ExitCode.PASSED, ran
    assert not commits(lab)
    assert not pull.comments


def test_what_an_earlier_try_did_stands_when_a_later_one_does_the_rest(lab: Lab) -> None:
    configure(lab)
    pull = lab.open()
    suggest(lab, pull)
    pull.inline(lab.rev, "app.py", 10, "Say it in full.")
    with model(lab, [judged({"description": "say it in full"}), report("not_addressed"), says(RENAME), report()]):
        ran = fix(lab, pull)
    assert ran.code == ExitCode.PASSED, ran
    assert lab.file() == SUGGESTED.replace('"app"', '"the app"')


def test_a_model_is_not_asked_twice_about_the_same_words(lab: Lab) -> None:
    configure(lab)
    pull = lab.open()
    pull.comment(lab.rev, "Nice work overall.")
    with model(lab, [judged({"meaning": "praise"})]) as server:
        for _ in range(3):
            ran = fix(lab, pull)
            assert ran.code == ExitCode.PASSED, ran
        lab.pr("feedback", str(pull.number))
        assert len(server.requests) == 1
    pull.comment(lab.rev, "Was it hard?")
    with model(lab, [judged({"meaning": "praise"})]) as server:
        fix(lab, pull)
        (request,) = server.requests
        assert "Nice work" not in str(request.body["messages"])


def test_a_model_that_reads_is_shown_the_requirements_of_the_base(lab: Lab) -> None:
    lab.workspace.git("checkout", "--quiet", "main")
    lab.workspace.commit("spec", **{"SPEC.md": "half() rounds down.\n", "notes.md": "Not this.\n"})
    lab.workspace.git("push", "--quiet", "origin", "main")
    lab.workspace.git("checkout", "--quiet", "topic")
    lab.workspace.commit("waived", **{"SPEC.md": "half() does as it likes.\n"})
    configure(lab, f'requirements = ["SPEC.md"]\n{SETTINGS}')
    pull = lab.open()
    pull.comment(lab.rev, "Nice work overall.")
    with model(lab, [judged({"meaning": "praise"})]) as server:
        fix(lab, pull)
        asked = str(server.requests[0].body["messages"])
    assert "half() rounds down." in asked
    assert "as it likes" not in asked
    assert "Not this" not in asked
