"""What a person must decide is told on the forge, and stays theirs; what this machine cannot do now waits."""

from __future__ import annotations

import contextlib
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from selfreview.errors import ExitCode
from selfreview.testing.messages import Status
from tests.conftest import Ran
from tests.forge import PullRequest
from tests.pullrequest.lab import Lab, judged
from tests.pullrequest.stories import (
    SUGGESTED,
    calls_for_a_person,
    commits,
    configure,
    fix,
    model,
    nothing_happened,
    said_by,
    suggest,
    talk,
)
from tests.pullrequest.watching.scene import AUTO

pytestmark = pytest.mark.long

LABEL = "human-review-required"
TALK = "This whole approach is wrong, let us talk."
CHANNEL = ("-o", 'notification_channels=["email"]', "-o", "feedback.max_waits=2")


def labels(pull: PullRequest) -> list[str]:
    """Return the names of the labels."""
    return [label.name for label in pull.labels]


def waits(ran: Ran, lab: Lab, pull: PullRequest) -> bool:
    """Whether a cycle waited, and nothing of that is on the forge."""
    return ran.code == ExitCode.INCOMPLETE and nothing_happened(lab, pull)


def reset(lab: Lab) -> None:
    """Have everything tried again."""
    done = lab.workspace.selfreview("reset", "--reason", "again")
    assert done.code == ExitCode.PASSED, done


# --- not now ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("code", [529, 500, 401, 429])
def test_a_model_that_cannot_be_asked_what_feedback_means_is_waited_for(lab: Lab, code: int) -> None:
    configure(lab)
    pull = lab.open()
    pull.inline(lab.rev, "app.py", 10, "Say it in full.")
    with model(lab, [Status(code=code)] * 12):
        ran = fix(lab, pull)
        assert waits(ran, lab, pull), ran
        shown = lab.pr("feedback", str(pull.number))
        assert (shown.code, shown.out.splitlines()[0].rpartition(": ")[2]) == (ExitCode.PASSED, "blocked")
    with model(lab, talk()):
        assert fix(lab, pull).code == ExitCode.PASSED
    assert "(fix cycle 1)" in commits(lab)[0]


def test_a_quota_that_stays_used_up_is_told_once(lab: Lab) -> None:
    configure(lab)
    pull = lab.open()
    pull.inline(lab.rev, "app.py", 10, "Say it in full.")
    often = ("-o", 'notification_channels=["email", "github"]', "-o", "feedback.max_waits=2")
    told = []
    with model(lab, [Status(code=429, retry_after="3000")] * 40):
        for _ in range(4):
            assert waits(lab.pr("fix", str(pull.number), *often), lab, pull)
            told.append(lab.workspace.selfreview("notify", "status").out.count("feedback waits"))
    assert told == [0, 1, 1, 1]


def test_a_model_that_cannot_be_asked_for_the_fix_is_waited_for(lab: Lab) -> None:
    configure(lab)
    pull = lab.open()
    pull.inline(lab.rev, "app.py", 10, "Say it in full.")
    with model(lab, [judged({"description": "say it in full"}), *[Status(code=529)] * 14]):
        ran = fix(lab, pull)
    assert waits(ran, lab, pull), ran
    with model(lab, talk()):
        assert fix(lab, pull).code == ExitCode.PASSED
    assert "(fix cycle 1)" in commits(lab)[0]


def test_a_model_whose_answer_cannot_be_used_is_no_outage(lab: Lab) -> None:
    configure(lab)
    pull = lab.open()
    pull.inline(lab.rev, "app.py", 10, "Say it in full.")
    with model(lab, [judged({"id": "f9"})] * 3):
        ran = fix(lab, pull)
    assert ran.code == ExitCode.ISSUES, ran
    assert len(calls_for_a_person(lab, pull)) == 1


# --- not here --------------------------------------------------------------------------------------------------------


@contextlib.contextmanager
def laptop(lab: Lab, tmp_path: Path) -> Iterator[None]:
    """Work in another clone, which has main checked out."""
    other = tmp_path / "laptop"
    for args in (
        ("clone", "--quiet", str(lab.remote), str(other)),
        ("-C", str(other), "remote", "set-url", "origin", "https://github.com/octo/app.git"),
        ("-C", str(other), "config", f"url.{lab.remote}.insteadOf", "https://github.com/octo/app.git"),
    ):
        subprocess.run(["git", *args], check=True)
    here = lab.workspace.root
    lab.workspace.root = other
    try:
        yield
    finally:
        lab.workspace.root = here


def test_a_clone_without_the_branch_takes_nothing_from_the_one_that_has_it(lab: Lab, tmp_path: Path) -> None:
    pull = lab.open()
    suggest(lab, pull)
    pull.comment(lab.rev, TALK)
    with laptop(lab, tmp_path):
        ran = lab.pr("watch", "--once", *AUTO)
        assert waits(ran, lab, pull), ran
        ran = fix(lab, pull)
        assert waits(ran, lab, pull), ran
        assert "git worktree add" in ran.err
    ran = fix(lab, pull)
    assert lab.file() == SUGGESTED, ran


def test_people_are_told_here_once_of_what_waits_for_long(lab: Lab) -> None:
    lab.workspace.git("checkout", "--quiet", "main")
    pull = lab.open()
    suggest(lab, pull)
    for told in (0, 1, 1):
        ran = fix(lab, pull, *CHANNEL)
        assert waits(ran, lab, pull), ran
        assert lab.workspace.selfreview("notify", "status").out.count("feedback waits") == told
    lab.workspace.git("checkout", "--quiet", "topic")
    assert fix(lab, pull).code == ExitCode.PASSED


def test_a_question_needs_no_working_tree(lab: Lab) -> None:
    configure(lab)
    lab.workspace.git("checkout", "--quiet", "main")
    pull = lab.open()
    pull.inline(lab.rev, "app.py", 10, "Why app?")
    with model(lab, [judged({"meaning": "question", "suggestedResponse": "because"})]):
        ran = fix(lab, pull, "-o", "reviewers=['claude']")
    assert ran.code == ExitCode.PASSED, ran
    assert any("because" in body for body in said_by(pull, "dev"))


def test_a_question_on_a_fork_is_answered(lab: Lab) -> None:
    configure(lab)
    guest = lab.forge.user("guest")
    fork = lab.forge.repository("guest/app", remote=lab.remote, parent=lab.repository)
    pull = lab.repository.pull("topic", author=guest, fork=fork)
    pull.comment(lab.rev, "Why app?")
    with model(lab, [judged({"meaning": "question", "suggestedResponse": "because"})] * 2):
        ran = fix(lab, pull, "-o", "reviewers=['claude']")
    assert ran.code == ExitCode.PASSED, ran
    assert any("because" in body for body in said_by(pull, "dev"))


def test_a_cap_of_none_writes_nothing_though_no_working_tree_has_the_branch(lab: Lab) -> None:
    lab.workspace.git("checkout", "--quiet", "main")
    pull = lab.open()
    suggest(lab, pull)
    ran = fix(lab, pull, "-o", "feedback.max_fix_cycles=0")
    assert ran.code == ExitCode.PASSED, ran
    assert nothing_happened(lab, pull)


# --- what the forge refuses ------------------------------------------------------------------------------------------


def test_a_refused_answer_stops_nothing_else(lab: Lab) -> None:
    pull = lab.open()
    suggest(lab, pull)
    refused = "Unable to create comment because issue is locked."
    lab.forge.fail("POST", "*/replies", status=403, times=None, message=refused)
    ran = fix(lab, pull)
    assert ran.code == ExitCode.PASSED, ran
    assert "was refused" in ran.err
    assert any("addressed the review comments" in body for body in said_by(pull, "dev"))
    suggest(lab, pull, 2, "    return n // 2")
    assert fix(lab, pull).code == ExitCode.PASSED
    assert len(commits(lab)) == 2


def test_a_locked_pull_request_is_fixed_and_people_are_called_otherwise(lab: Lab) -> None:
    pull = lab.open()
    suggest(lab, pull)
    pull.comment(lab.rev, TALK)
    for path in ("*/replies", "*/comments"):
        lab.forge.fail("POST", path, status=403, times=None, message="locked")
    ran = fix(lab, pull, *CHANNEL)
    assert ran.code == ExitCode.ISSUES, ran
    assert commits(lab)
    assert "needs a person" in lab.workspace.selfreview("notify", "status").out
    assert lab.pr("status", str(pull.number)).out.count("a person is needed") == 1


# --- the label -------------------------------------------------------------------------------------------------------


def test_a_fix_takes_nothing_back_while_something_waits_for_a_person(lab: Lab) -> None:
    pull = lab.open()
    pull.comment(lab.rev, TALK)
    assert fix(lab, pull).code == ExitCode.ISSUES
    suggest(lab, pull)
    ran = fix(lab, pull)
    assert ran.code == ExitCode.ISSUES, ran
    assert commits(lab)
    assert labels(pull) == [LABEL]
    assert "a person is needed:" in lab.pr("status", str(pull.number)).out
    assert len(calls_for_a_person(lab, pull)) == 1


def test_a_label_of_a_person_stays(lab: Lab) -> None:
    pull = lab.open()
    pull.label(LABEL, lab.rev)
    suggest(lab, pull)
    assert fix(lab, pull).code == ExitCode.PASSED
    assert labels(pull) == [LABEL]


def test_the_label_goes_when_a_late_push_leaves_nothing(lab: Lab) -> None:
    pull = lab.open()
    suggest(lab, pull)
    hook = lab.remote / "hooks" / "pre-receive"
    hook.write_text("#!/bin/sh\nexit 1\n")
    hook.chmod(0o755)
    assert fix(lab, pull).code == ExitCode.ISSUES
    assert labels(pull) == [LABEL]
    hook.unlink()
    ran = fix(lab, pull)
    assert ran.code == ExitCode.PASSED, ran
    assert not labels(pull)
    pull.label(LABEL, lab.rev)  # by then it is none of ours
    assert fix(lab, pull).code == ExitCode.PASSED
    assert labels(pull) == [LABEL]


def test_the_label_goes_when_people_have_settled_all(lab: Lab) -> None:
    pull = lab.open()
    comment = pull.inline(lab.rev, "app.py", 10, TALK)
    assert fix(lab, pull).code == ExitCode.ISSUES
    comment.thread.resolve(lab.rev)
    ran = fix(lab, pull)
    assert ran.code == ExitCode.PASSED, ran
    assert not labels(pull)
    assert "a person is needed" not in lab.pr("status", str(pull.number)).out


# --- again -----------------------------------------------------------------------------------------------------------


def test_a_call_for_what_is_new_reaches_people(lab: Lab) -> None:
    pull = lab.open()
    for calls, words in enumerate([TALK, "And what about security?"], 1):
        pull.comment(lab.rev, words)
        for _ in range(2):
            assert fix(lab, pull).code == ExitCode.ISSUES
            assert len(calls_for_a_person(lab, pull)) == calls
    pull.unlabel(LABEL, lab.rev)
    assert fix(lab, pull).code == ExitCode.PASSED


def test_a_second_call_after_a_reset_reaches_people(lab: Lab) -> None:
    pull = lab.open()
    pull.comment(lab.rev, TALK)
    for calls in (1, 2):
        assert fix(lab, pull, *CHANNEL).code == ExitCode.ISSUES
        assert len(calls_for_a_person(lab, pull)) == calls
        assert lab.workspace.selfreview("notify", "status").out.count("needs a person") == calls
        fix(lab, pull, *CHANNEL)
        assert len(calls_for_a_person(lab, pull)) == calls
        reset(lab)


def test_a_reset_is_seen_before_anything_is_done(lab: Lab) -> None:
    pull = lab.open()
    pull.comment(lab.rev, TALK)
    fix(lab, pull)
    said = lab.pr("feedback", str(pull.number)).out
    assert f"needs person: rev: {TALK} (no model could say what it means)" in said
    assert "next: nothing: 1 piece of feedback left to a person" in said
    reset(lab)
    for which in ("status", "feedback"):
        assert "including what was left to a person (reset)" in lab.pr(which, str(pull.number)).out


def test_fix_cycles_are_counted_from_the_reset(lab: Lab) -> None:
    pull = lab.open()
    suggest(lab, pull)
    fix(lab, pull)
    reset(lab)
    assert "fix cycles: 0 of at most 2 since the reset, 1 in all" in lab.pr("status", str(pull.number)).out


def test_what_waits_for_a_person_is_said_each_time_with_the_way_out(lab: Lab) -> None:
    pull = lab.open()
    pull.comment(lab.rev, TALK)
    for _ in range(2):
        ran = fix(lab, pull)
        assert ran.code == ExitCode.ISSUES, ran
        assert TALK in ran.out
        assert "selfreview reset" in ran.out
    assert "selfreview reset" in calls_for_a_person(lab, pull)[0]


# --- what came of it -------------------------------------------------------------------------------------------------


def test_what_came_of_each_piece_is_said_truly(lab: Lab) -> None:
    pull = lab.open()
    suggest(lab, pull)
    settled = pull.inline(lab.rev, "app.py", 1, "Is this used?")
    pull.inline(lab.rev, "app.py", 10, "Say it in full.")
    assert fix(lab, pull).code == ExitCode.ISSUES
    settled.thread.resolve(lab.rev)
    said = lab.pr("feedback", str(pull.number), "--all").out
    sha = lab.head()[:12]
    assert f"(fixed in {sha})" in said
    assert "needs person: rev app.py:10: Say it in full. (no model could say what it means)" in said
    assert "resolved: rev app.py:1: Is this used?" in said
    assert "it was answered" not in said
    (called,) = calls_for_a_person(lab, pull)
    assert "left to a person: no model could say what it means" in called
    assert "— answered" not in called


def test_what_was_tried_and_not_fixed_is_called_so(lab: Lab) -> None:
    configure(lab)
    pull = lab.open()
    pull.inline(lab.rev, "app.py", 10, "Say it in full.")
    script = [judged({"description": "say it"}), *[judged({"meaning": "praise"})] * 8]
    with model(lab, script):
        assert fix(lab, pull).code == ExitCode.ISSUES
    said = lab.pr("feedback", str(pull.number)).out
    assert "(not fixed: " in said
    assert "not fixed: " in calls_for_a_person(lab, pull)[0]


# --- few alarms ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("words", ["LGTM!", "Looks good, thanks!", "👍"])
def test_a_plain_approval_calls_nobody_without_a_model(lab: Lab, words: str) -> None:
    pull = lab.open()
    pull.review(lab.rev, "APPROVED", words)
    ran = fix(lab, pull)
    assert ran.code == ExitCode.PASSED, ran
    assert nothing_happened(lab, pull)


@pytest.mark.parametrize("inline", [False, True])
def test_other_words_of_a_review_call_a_person_without_a_model(lab: Lab, inline: bool) -> None:
    pull = lab.open()
    review = pull.review(lab.rev, "APPROVED", "LGTM once the migration is gone: it drops the users table.")
    if inline:
        pull.inline(lab.rev, "app.py", 6, "```suggestion\n    return n + n\n```", review=review)
    assert fix(lab, pull).code == ExitCode.ISSUES
    assert "no model could say what it means" in calls_for_a_person(lab, pull)[0]


def test_a_review_that_only_points_to_its_inline_comments_calls_nobody(lab: Lab) -> None:
    pull = lab.open()
    review = pull.review(lab.rev, "CHANGES_REQUESTED", "Some things below.")
    pull.inline(lab.rev, "app.py", 6, "```suggestion\n    return n + n\n```", review=review)
    ran = fix(lab, pull)
    assert ran.code == ExitCode.PASSED, ran
    assert lab.file() == SUGGESTED


@pytest.mark.parametrize(("words", "code"), [("Thanks!", 0), ("Thank you, looks good to me 👍", 0),
                                             ("Thanks, but rename it.", 1)])  # fmt: skip
def test_thanks_and_nothing_else_call_nobody(lab: Lab, words: str, code: int) -> None:
    pull = lab.open()
    pull.comment(lab.rev, words)
    assert fix(lab, pull).code == code
    assert bool(labels(pull)) is bool(code)


def test_reasons_are_grouped_with_places_words_and_links(lab: Lab) -> None:
    pull = lab.open()
    for line in (1, 5, 9):
        pull.inline(lab.rev, "app.py", line, f"What of line {line}?")
    pull.inline(lab.rev, "app.py", 10, "Or so?\n```suggestion\n    return name_of(app)\n```\n\nOr how?" * 2)
    ran = fix(lab, pull)
    assert ran.out.count("no model could say what it means") == 1, ran
    assert "- app.py:1 rev: What of line 1? https://" in ran.out
    (called,) = calls_for_a_person(lab, pull)
    listed = called.partition("<details>")[0]
    assert listed.count("no model could say what it means") == 1
    assert "[app.py:10](https://" in listed
    assert "suggests return name\\_of(app)" in listed
    assert "suggestion return" not in called
