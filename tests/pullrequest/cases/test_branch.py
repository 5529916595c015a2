"""Cases 25 to 30: the branch is rewritten, moved, deleted or protected on the remote."""

from __future__ import annotations

import pytest

from selfreview.errors import ExitCode
from tests.fixers.talks import edit, says
from tests.pullrequest.lab import APP, Lab
from tests.pullrequest.stories import (
    RENAMED,
    SUGGESTED,
    calls_for_a_person,
    commits,
    configure,
    fix,
    hook,
    model,
    nothing_happened,
    plugin,
    push_there,
    said_by,
    suggest,
    talk,
)

pytestmark = pytest.mark.long

THEIRS = "theirs = 1\n"


def test_case_25_a_branch_that_was_rewritten_is_taken_over_where_nothing_is_lost(lab: Lab) -> None:
    pull = lab.open()
    suggest(lab, pull)
    theirs = push_there(lab, "app.py", "# rewritten\n" + APP, force_on=lab.head("main"))
    ran = fix(lab, pull)
    assert ran.code == ExitCode.PASSED, ran
    assert lab.there("rev-parse", "refs/heads/topic^") == theirs
    assert lab.file() == "# rewritten\n" + SUGGESTED


def test_case_25_a_branch_that_was_rewritten_under_own_commits_is_a_persons(lab: Lab) -> None:
    pull = lab.open()
    suggest(lab, pull)
    mine = lab.workspace.commit("mine", **{"mine.py": "mine = 1\n"})
    theirs = push_there(lab, "app.py", "# rewritten\n" + APP, force_on=lab.head("main"))
    assert fix(lab, pull).code == ExitCode.ISSUES
    assert (lab.head(), lab.workspace.git("rev-parse", "HEAD")) == (theirs, mine)
    assert "have diverged" in calls_for_a_person(lab, pull)[0]


def test_what_a_person_did_not_push_is_not_pushed_for_them(lab: Lab) -> None:
    pull = lab.open()
    suggest(lab, pull)
    mine = lab.workspace.commit("mine", **{"mine.py": "mine = 1\n"})
    before = lab.head()
    ran = fix(lab, pull)
    assert ran.code == ExitCode.INCOMPLETE, ran
    assert "not pushed" in ran.out
    assert (lab.head(), lab.workspace.git("rev-parse", "HEAD")) == (before, mine)
    assert nothing_happened(lab, pull)
    lab.workspace.git("push", "--quiet")
    assert fix(lab, pull).code == ExitCode.PASSED
    assert len(commits(lab)) == 1


@pytest.mark.parametrize("fits", [True, False])
def test_case_26_a_branch_that_is_rewritten_during_the_fix_is_never_forced(lab: Lab, fits: bool) -> None:
    configure(lab)
    pull = lab.open()
    pull.inline(lab.rev, "app.py", 10, "Say it in full.")
    content = "# rewritten\n" + APP if fits else APP.replace('"app"', '"other"')

    def rewrite() -> None:
        push_there(lab, "app.py", content, force_on=lab.head("main"))

    with model(lab, talk(during=rewrite)):
        ran = fix(lab, pull)
    assert content.splitlines()[0] in lab.file()
    assert lab.workspace.git("status", "--porcelain") == ""
    if fits:
        assert ran.code in (ExitCode.PASSED, ExitCode.ISSUES), ran
    else:
        assert ran.code == ExitCode.ISSUES, ran
        assert lab.file() == content
        assert len(calls_for_a_person(lab, pull)) == 1


def test_case_27_a_fix_goes_on_top_of_what_others_pushed_during_it(lab: Lab) -> None:
    configure(lab)
    pull = lab.open()
    pull.inline(lab.rev, "app.py", 10, "Say it in full.")
    with model(lab, talk(during=lambda: push_there(lab, "theirs.py", THEIRS))):
        ran = fix(lab, pull)
    assert ran.code == ExitCode.PASSED, ran
    assert (lab.file(), lab.file("theirs.py")) == (RENAMED, THEIRS)
    assert len(commits(lab)) == 1
    assert lab.workspace.git("rev-parse", "HEAD") == lab.head()
    assert lab.head()[:12] in said_by(pull, "dev")[0]  # the commit that was pushed, not the one before


def test_case_27_a_fix_that_does_not_fit_on_what_others_pushed_is_a_persons(lab: Lab) -> None:
    configure(lab)
    pull = lab.open()
    pull.inline(lab.rev, "app.py", 10, "Say it in full.")
    theirs = APP.replace('"app"', '"other"')
    with model(lab, talk(during=lambda: push_there(lab, "app.py", theirs))):
        ran = fix(lab, pull)
    assert ran.code == ExitCode.ISSUES, ran
    assert lab.file() == theirs
    assert "does not fit" in calls_for_a_person(lab, pull)[0]
    assert not lab.workspace.git("status", "--porcelain")
    assert not (lab.workspace.root / ".git" / "rebase-merge").exists()
    assert fix(lab, pull).code == ExitCode.ISSUES
    assert len(calls_for_a_person(lab, pull)) == 1
    assert lab.workspace.git("rev-parse", "HEAD") == lab.head()
    assert lab.workspace.selfreview("reset").code == ExitCode.PASSED
    with model(lab, talk(deed=says(edit("app.py", '"other"', '"the app"')))):
        ran = fix(lab, pull)
    assert (ran.code, lab.file(), len(commits(lab))) == (ExitCode.PASSED, RENAMED, 1), ran


@pytest.mark.parametrize("when", ["before", "during"])
def test_case_28_a_branch_that_was_deleted_there_is_not_made_again_and_told_once(lab: Lab, when: str) -> None:
    configure(lab)
    pull = lab.open()
    pull.inline(lab.rev, "app.py", 10, "Say it in full.")
    delete = "update-ref", "-d", "refs/heads/topic"
    if when == "before":  # the forge has not noticed when it is asked: it closes such a pull request
        upload = lab.remote / "upload"
        upload.write_text(f'#!/bin/sh\ngit -C "$1" {" ".join(delete)}\nexec git-upload-pack "$@"\n')
        upload.chmod(0o755)
        lab.workspace.git("config", "remote.origin.uploadpack", str(upload))
    with model(lab, talk(during=lambda: lab.there(*delete))):
        ran = fix(lab, pull)
    assert ran.code == ExitCode.ISSUES, ran
    assert "topic was deleted on origin" in ran.out
    assert "refs/heads/topic" not in lab.there("for-each-ref")
    (called,) = calls_for_a_person(lab, pull)
    assert "was deleted" in called
    with model(lab, []) as server:
        fix(lab, pull)
        assert not server.requests
    assert "refs/heads/topic" not in lab.there("for-each-ref")
    assert len(calls_for_a_person(lab, pull)) == 1
    assert [label.name for label in pull.labels] == ["human-review-required"]


DELETER = """
import os, subprocess
from selfreview.api import hookimpl

@hookimpl
def selfreview_before_push(cycle, config):
    subprocess.run(["git", "update-ref", "-d", "refs/heads/topic"], cwd=os.environ["REMOTE"], check=True)
"""


def test_case_28_a_branch_that_is_deleted_at_the_last_moment_is_not_made_again(lab: Lab) -> None:
    pull = lab.open()
    suggest(lab, pull)
    env = plugin(lab, DELETER)
    ran = fix(lab, pull, "-p", "their_plugin", **env, REMOTE=str(lab.remote))
    assert ran.code == ExitCode.ISSUES, ran
    assert "topic was deleted on origin" in ran.out
    assert "refs/heads/topic" not in lab.there("for-each-ref")
    assert len(calls_for_a_person(lab, pull)) == 1


def test_case_28_a_branch_that_was_deleted_with_nothing_asked_for_is_nobodys_matter(lab: Lab) -> None:
    pull = lab.open()
    lab.there("update-ref", "-d", "refs/heads/topic")
    ran = fix(lab, pull)
    assert ran.code == ExitCode.PASSED, ran
    assert not said_by(pull, "dev")


@pytest.mark.parametrize("case", ["29", "30"])
def test_case_29_and_30_what_the_remote_refuses_is_told_once_and_not_tried_for_ever(lab: Lab, case: str) -> None:
    words, told = {
        "29": ("GH006: Protected branch update failed", "the branch is protected on the remote"),
        "30": (
            "refusing to allow an OAuth App to update workflow without `workflow` scope",
            "the token may not change workflows",
        ),
    }[case]
    pull = lab.open()
    suggest(lab, pull)
    hook(lab.remote / "hooks", "pre-receive", f"echo '{words}'; echo push >> tried; exit 1")
    before = lab.head()
    ran = fix(lab, pull)
    assert ran.code == ExitCode.ISSUES, ran
    assert words.partition(" without")[0] in ran.err
    assert lab.head() == before
    assert (lab.remote / "tried").read_text() == "push\n"
    (called,) = calls_for_a_person(lab, pull)
    assert told in called
    assert words.partition(" without")[0] not in called
    assert fix(lab, pull).code == ExitCode.ISSUES
    assert len(calls_for_a_person(lab, pull)) == 1
    # Once the rule is gone, the commit that waits here is pushed, and nothing is fixed anew.
    (lab.remote / "hooks" / "pre-receive").unlink()
    ran = fix(lab, pull)
    assert ran.code == ExitCode.PASSED, ran
    assert len(commits(lab)) == 1
