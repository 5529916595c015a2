"""Cases 20 to 35, and 62: the pull request ends or moves, the branch does, the working tree is somebody's."""

from __future__ import annotations

import contextlib
import os
import subprocess
from pathlib import Path

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
from tests.pullrequest.watching.scene import AUTO, named, told

pytestmark = pytest.mark.long

THEIRS = "theirs = 1\n"


# --- the pull request ------------------------------------------------------------------------------------------------


def test_case_20_a_closed_pull_request_is_left_alone(lab: Lab) -> None:
    pull = lab.open()
    suggest(lab, pull)
    pull.close()
    ran = fix(lab, pull)
    assert "it is closed" in ran.out
    assert nothing_happened(lab, pull)


def test_case_21_nothing_is_pushed_to_what_was_merged_meanwhile_and_the_commit_stays(lab: Lab) -> None:
    configure(lab)
    pull = lab.open()
    pull.inline(lab.rev, "app.py", 10, "Say it in full.")
    before = lab.head()
    with model(lab, talk(during=pull.merge)):
        ran = fix(lab, pull)
    assert ran.code == ExitCode.PASSED, ran
    assert "it is merged by now" in ran.out
    assert lab.head() == before
    assert nothing_happened(lab, pull)
    assert (lab.workspace.root / "app.py").read_text() == RENAMED
    assert "merged" in lab.pr("status", str(pull.number)).out


def test_case_22_a_pull_request_that_was_reopened_goes_on_and_replays_nothing(lab: Lab) -> None:
    pull = lab.open()
    suggest(lab, pull)
    fix(lab, pull)
    pull.close()
    fix(lab, pull)
    pull.reopen()
    fix(lab, pull)
    assert len(commits(lab)) == 1
    suggest(lab, pull, 2, "    return n // 2")
    assert fix(lab, pull).code == ExitCode.PASSED
    assert len(commits(lab)) == 2


def test_case_23_a_draft_waits_until_it_is_ready(lab: Lab) -> None:
    pull = lab.open(draft=True)
    suggest(lab, pull)
    ran = fix(lab, pull)
    assert "paused" in ran.out
    assert nothing_happened(lab, pull)
    pull.set_draft(False)
    assert fix(lab, pull).code == ExitCode.PASSED
    assert len(commits(lab)) == 1


def test_case_23_a_draft_is_answered_where_that_is_configured(lab: Lab) -> None:
    pull = lab.open(draft=True)
    suggest(lab, pull)
    fix(lab, pull, "-o", "feedback.drafts=true")
    assert len(commits(lab)) == 1


def test_case_24_a_base_that_changed_is_read_anew(lab: Lab) -> None:
    pull = lab.open()
    lab.there("branch", "next", "main")
    push_there(lab, "beside.py", THEIRS, "next")
    pull.edit(base="next")
    suggest(lab, pull)
    assert fix(lab, pull).code == ExitCode.PASSED
    assert lab.file() == SUGGESTED
    assert lab.workspace.git("rev-parse", "refs/remotes/origin/next") == lab.head("next")


# --- the branch ------------------------------------------------------------------------------------------------------


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


@pytest.mark.parametrize("takes_pushes", [True, False])
def test_case_31_a_pull_request_from_a_fork_is_not_fixed_and_told_once(lab: Lab, takes_pushes: bool) -> None:
    guest = lab.forge.user("guest")
    fork = lab.forge.repository("guest/app", remote=lab.remote, parent=lab.repository)
    pull = lab.repository.pull("topic", author=guest, fork=fork, maintainer_can_modify=takes_pushes)
    suggest(lab, pull)
    before = lab.head()
    ran = fix(lab, pull)
    assert ran.code == ExitCode.ISSUES, ran
    assert lab.head() == before
    (called,) = calls_for_a_person(lab, pull)
    assert "guest/app" in called.replace("\\", "")
    assert ("its author alone can push there" in called) is not takes_pushes
    fix(lab, pull)
    assert len(calls_for_a_person(lab, pull)) == 1


# --- the working tree ------------------------------------------------------------------------------------------------


def elsewhere(lab: Lab) -> Path:
    """Have the branch in a working tree of its own, and the main one on main."""
    lab.workspace.git("checkout", "--quiet", "main")
    folder = lab.workspace.root.parent / "topic tree"
    lab.workspace.git("worktree", "add", "--quiet", str(folder), "topic")
    return folder


def test_a_branch_in_another_working_tree_is_fixed_there(lab: Lab) -> None:
    folder = elsewhere(lab)
    pull = lab.open()
    suggest(lab, pull)
    ran = fix(lab, pull)
    assert ran.code == ExitCode.PASSED, ran
    assert (folder / "app.py").read_text() == SUGGESTED
    assert lab.file() == SUGGESTED
    assert lab.workspace.git("branch", "--show-current") == "main"


@pytest.mark.parametrize("gone", ["removed", "moved"])
def test_case_32_a_working_tree_that_is_gone_is_waited_for_or_made_again(lab: Lab, gone: str, tmp_path: Path) -> None:
    folder = elsewhere(lab)
    folder.rename(tmp_path / "moved") if gone == "moved" else subprocess.run(["rm", "-r", str(folder)], check=True)
    pull = lab.open()
    suggest(lab, pull)
    ran = fix(lab, pull)
    assert ran.code == ExitCode.INCOMPLETE, ran
    assert "is gone" in ran.out
    assert "git worktree add" in ran.err
    assert nothing_happened(lab, pull)
    comment = suggest(lab, pull, 2, "    return n // 2")
    ran = fix(lab, pull, "-o", "feedback.recreate_worktree=true")
    assert ran.code == ExitCode.PASSED, ran
    assert len(commits(lab)) == 1
    assert "Done in" in comment.thread.comments[-1].body


@pytest.mark.parametrize("how", ["edited", "staged", "untracked"])
def test_case_33_a_working_tree_that_somebody_works_in_is_waited_for(lab: Lab, how: str) -> None:
    pull = lab.open()
    suggest(lab, pull)
    lab.workspace.write("mine.py" if how == "untracked" else "app.py", "mine = 1\n")
    if how == "staged":
        lab.workspace.git("add", "app.py")
    state = lab.workspace.git("status", "--porcelain")
    ran = fix(lab, pull)
    assert ran.code == ExitCode.INCOMPLETE, ran
    assert "somebody works in" in ran.out
    assert lab.workspace.git("status", "--porcelain") == state
    assert nothing_happened(lab, pull)
    lab.workspace.git("stash", "--quiet", "--include-untracked")
    assert fix(lab, pull).code == ExitCode.PASSED
    assert len(commits(lab)) == 1


def test_case_33_who_works_in_the_tree_for_long_is_told_once_and_it_goes_on_when_they_are_done(lab: Lab) -> None:
    waits = ("-o", "feedback.max_waits=3", "-o", 'notification_channels=["email", "github"]')
    pull = lab.open()
    suggest(lab, pull)
    lab.workspace.write("app.py", "mine = 1\n")
    for _ in range(2):
        assert fix(lab, pull, *waits).code == ExitCode.INCOMPLETE
    assert "feedback waits" not in lab.workspace.selfreview("notify", "status").out
    for _ in range(3):
        ran = fix(lab, pull, *waits)
        assert ran.code == ExitCode.INCOMPLETE, ran
        assert "somebody works in" in ran.out
        assert lab.workspace.selfreview("notify", "status").out.count("feedback waits") == 1
    assert nothing_happened(lab, pull)
    assert "waited 5 times in a row" in lab.pr("status", str(pull.number)).out
    assert (lab.workspace.root / "app.py").read_text() == "mine = 1\n"
    lab.workspace.git("checkout", "--quiet", "app.py")
    assert fix(lab, pull, *waits).code == ExitCode.PASSED
    assert lab.file() == SUGGESTED
    assert len(commits(lab)) == 1
    assert "human-review-required" not in [label.name for label in pull.labels]
    assert "in a row" not in lab.pr("status", str(pull.number)).out


def test_case_33_looks_that_do_not_follow_on_one_another_are_not_counted_together(lab: Lab) -> None:
    waits = ("-o", "feedback.max_waits=2")
    pull = lab.open()
    for line, code in ((6, "    return n + n"), (2, "    return n // 2")):
        suggest(lab, pull, line, code)
        lab.workspace.write("mine.py", "mine = 1\n")
        assert fix(lab, pull, *waits).code == ExitCode.INCOMPLETE
        (lab.workspace.root / "mine.py").unlink()
        assert fix(lab, pull, *waits).code == ExitCode.PASSED
    assert not calls_for_a_person(lab, pull)


def test_case_33_a_watcher_puts_it_off_and_looks_again(lab: Lab) -> None:
    often = (*AUTO, "-o", "feedback.max_waits=1")
    pull = lab.open()
    suggest(lab, pull)
    lab.workspace.write("app.py", "mine = 1\n")
    ran = lab.pr("watch", "--once", *often)
    (event,) = named(told(ran), "put_off")
    assert (ran.code, event["outcome"]) == (ExitCode.INCOMPLETE, "waiting")
    assert event["wait"] > 0
    lab.workspace.git("checkout", "--quiet", "app.py")
    suggest(lab, pull, 2, "    return n // 2")  # else it is a while until the next look
    ran = lab.pr("watch", "--once", *often)
    assert [event["outcome"] for event in named(told(ran), "ended")] == ["fixed"], ran
    assert not calls_for_a_person(lab, pull)


@pytest.mark.parametrize("how", ["other branch", "detached", "rebase", "merge"])
def test_case_34_a_working_tree_that_is_on_something_else_is_not_touched(lab: Lab, how: str) -> None:
    pull = lab.open()
    suggest(lab, pull)
    git, tree = lab.workspace.git, lab.workspace
    if how == "other branch":
        git("checkout", "--quiet", "main")
    elif how == "detached":
        git("checkout", "--quiet", "--detach")
    else:
        git("checkout", "--quiet", "-b", "side", "main")
        tree.commit("side", **{"app.py": "other = 1\n"})
        git("checkout", "--quiet", "topic")
        done = subprocess.run(["git", how, "side"], cwd=tree.root, capture_output=True, check=False)
        assert done.returncode != 0
    head, state = git("rev-parse", "HEAD"), git("status", "--porcelain")
    ran = fix(lab, pull)
    assert ran.code in (ExitCode.ISSUES, ExitCode.INCOMPLETE), ran
    assert (git("rev-parse", "HEAD"), git("status", "--porcelain")) == (head, state)
    assert not commits(lab)


def test_case_35_a_lock_of_the_index_is_waited_for_and_not_removed(lab: Lab) -> None:
    pull = lab.open()
    suggest(lab, pull)
    lock = lab.workspace.root / ".git" / "index.lock"
    lock.touch()
    ran = fix(lab, pull)
    assert ran.code == ExitCode.INCOMPLETE, ran
    assert "index.lock" in ran.out
    assert lock.exists()
    assert nothing_happened(lab, pull)
    lock.unlink()
    assert fix(lab, pull).code == ExitCode.PASSED


KILL = """
test -e "$0.done" && exit 0
touch "$0.done"
kill -9 $(ps -o ppid= -p $PPID) $PPID
"""


@pytest.mark.parametrize("name", ["pre-commit", "reference-transaction"])
def test_case_35_a_lock_that_our_own_killed_git_left_is_removed(lab: Lab, name: str) -> None:
    pull = lab.open()
    suggest(lab, pull)
    fix(lab, pull, "-o", "feedback.max_fix_cycles=0")
    after = 'test "$1" = committed && grep -q refs/heads/topic || exit 0' if name == "reference-transaction" else ""
    hook(lab.workspace.root / ".git" / "hooks", name, after + KILL)
    ran = lab.pr("fix", str(pull.number))
    assert ran.code == -9, ran
    lock = lab.workspace.root / ".git" / "index.lock"
    assert lock.exists()
    assert fix(lab, pull).code == ExitCode.PASSED
    assert not lock.exists()
    assert len(commits(lab)) == 1
    assert lab.file() == SUGGESTED
    assert lab.workspace.git("status", "--porcelain") == ""


@pytest.mark.parametrize("whose", ["from before", "from long after", "at work"])
def test_case_35_a_lock_of_a_person_stays_though_our_git_was_killed(lab: Lab, whose: str) -> None:
    pull = lab.open()
    suggest(lab, pull)
    hook(lab.workspace.root / ".git" / "hooks", "pre-commit", KILL)
    assert lab.pr("fix", str(pull.number)).code == -9
    lock = lab.workspace.root / ".git" / "index.lock"
    at, apart = lock.stat().st_mtime, {"from before": -60, "from long after": 600, "at work": 0}[whose]
    os.utime(lock, (at + apart, at + apart))
    with contextlib.ExitStack() as stack:
        if whose == "at work":
            command = ["git", "cat-file", "--batch"]
            theirs = stack.enter_context(
                subprocess.Popen(command, cwd=lab.workspace.root, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
            )
            assert theirs.stdin is not None
            stack.callback(theirs.stdin.close)
        ran = fix(lab, pull)
    assert ran.code == ExitCode.INCOMPLETE, ran
    assert "index.lock" in ran.out
    assert lock.exists()
    assert not commits(lab)


# --- traits of repositories ------------------------------------------------------------------------------------------

NAMES = [b"with space.txt", b"line\nfeed.txt", b'quo"te.txt', b"caf\xe9.txt", b"-dash.txt", b":(glob)x.txt"]


@pytest.mark.parametrize("name", NAMES, ids=ascii)
def test_case_62_names_of_files_are_bytes(lab: Lab, name: bytes) -> None:
    path = lab.workspace.root / os.fsdecode(name)
    path.write_bytes(b"one\ntwo\n")
    lab.workspace.commit("odd")
    lab.workspace.git("push", "--quiet")
    pull = lab.open()
    if name == b"caf\xe9.txt":  # JSON cannot name it: the forge tells of it with a replacement
        lab.workspace.write("notes.txt", "one\ntwo\n")
        lab.workspace.commit("plain")
        lab.workspace.git("push", "--quiet")
        name = b"notes.txt"
        path = lab.workspace.root / "notes.txt"
    suggest(lab, pull, 2, "TWO", path=name.decode(), hunk="@@ -0,0 +1,2 @@\n+one\n+two")
    ran = fix(lab, pull)
    assert ran.code == ExitCode.PASSED, ran
    assert path.read_bytes() == b"one\nTWO\n"
    assert len(commits(lab)) == 1


def test_case_62_links_and_submodules_are_not_followed(lab: Lab, tmp_path: Path) -> None:
    (tmp_path / "outside.txt").write_text("one\ntwo\n")
    (lab.workspace.root / "link.txt").symlink_to(tmp_path / "outside.txt")
    lab.workspace.commit("link")
    lab.workspace.git("push", "--quiet")
    pull = lab.open()
    suggest(lab, pull, 2, "TWO", path="link.txt", hunk="@@ -0,0 +1,2 @@\n+one\n+two")
    assert fix(lab, pull).code == ExitCode.ISSUES
    assert (tmp_path / "outside.txt").read_text() == "one\ntwo\n"
    assert not commits(lab)


@pytest.mark.parametrize("refuses", [True, False])
def test_case_62_hooks_of_the_repository_run_at_the_commit(lab: Lab, refuses: bool, tmp_path: Path) -> None:
    folder = tmp_path / "hooks"
    hook(folder, "pre-commit", f"echo seen >> '{tmp_path}/seen'; echo 'no commits today' >&2; exit {int(refuses)}")
    lab.workspace.git("config", "core.hooksPath", str(folder))
    pull = lab.open()
    suggest(lab, pull)
    ran = fix(lab, pull)
    assert (tmp_path / "seen").exists()
    assert lab.workspace.git("status", "--porcelain") == ""
    if refuses:
        assert ran.code == ExitCode.ISSUES, ran
        assert "no commits today" in ran.err
        assert "no commits today" not in ran.out
        assert not commits(lab)
    else:
        assert len(commits(lab)) == 1


def test_case_62_a_shallow_clone_is_fixed_as_any_other(lab: Lab) -> None:
    head = lab.workspace.git("rev-parse", "HEAD~1")
    (lab.workspace.root / ".git" / "shallow").write_text(f"{head}\n")
    pull = lab.open()
    suggest(lab, pull)
    ran = fix(lab, pull)
    assert ran.code == ExitCode.PASSED, ran
    assert lab.file() == SUGGESTED


def test_case_62_a_pointer_of_lfs_is_not_edited(lab: Lab) -> None:
    pointer = f"version https://git-lfs.github.com/spec/v1\noid sha256:{'a' * 64}\nsize 12\n"
    lab.workspace.commit("large", **{".gitattributes": "*.bin filter=lfs diff=lfs -text\n", "large.bin": pointer})
    lab.workspace.git("push", "--quiet")
    pull = lab.open()
    suggest(lab, pull, 3, "size 13", path="large.bin", hunk="@@ -0,0 +1,3 @@\n+v\n+o\n+size 12")
    assert fix(lab, pull).code == ExitCode.ISSUES
    assert (lab.workspace.root / "large.bin").read_text() == pointer
    assert not commits(lab)


@pytest.mark.parametrize("changed", [False, True], ids=["not of the request", "of the request"])
def test_case_62_what_a_sparse_checkout_leaves_out_stays_as_it_is(lab: Lab, changed: bool) -> None:
    lab.workspace.git("checkout", "--quiet", "main")
    lab.workspace.commit("more", **{"far/away.py": "away = 1\n", "near/here.py": "here = 1\n"})
    lab.workspace.git("push", "--quiet", "origin", "main")
    lab.workspace.git("checkout", "--quiet", "topic")
    lab.workspace.git("rebase", "--quiet", "main")
    if changed:
        lab.workspace.commit("far", **{"far/away.py": "away = 2\n"})
    lab.workspace.git("push", "--quiet", "--force")
    lab.workspace.git("sparse-checkout", "set", "near")
    assert not (lab.workspace.root / "far").exists()
    pull = lab.open()
    suggest(lab, pull)
    ran = fix(lab, pull)
    assert ran.code == ExitCode.PASSED, ran
    assert (lab.file(), lab.file("far/away.py")) == (SUGGESTED, f"away = {1 + changed}\n")
    assert not (lab.workspace.root / "far").exists()
    assert lab.workspace.git("status", "--porcelain") == ""


def test_case_62_a_rename_by_case_alone_is_followed(lab: Lab) -> None:
    pull = lab.open()
    comment = suggest(lab, pull)
    lab.workspace.git("mv", "app.py", "App.py")
    lab.workspace.commit("case")
    lab.workspace.git("push", "--quiet")
    lab.repository.look()
    comment.thread.outdate()
    ran = fix(lab, pull)
    assert ran.code == ExitCode.PASSED, ran
    assert lab.file("App.py") == SUGGESTED
    assert lab.there("ls-tree", "--name-only", "topic").split() == ["App.py", "README.md"]


@pytest.mark.parametrize("content", [b"one\r\ntwo\r\n", b"caf\xe9\ntwo\n"], ids=["crlf", "latin-1"])
def test_case_62_the_bytes_on_the_remote_are_the_files_own(lab: Lab, content: bytes) -> None:
    lab.workspace.commit("text", **{"notes.txt": content})
    lab.workspace.git("push", "--quiet")
    pull = lab.open()
    suggest(lab, pull, 2, "TWO", path="notes.txt", hunk="@@ -0,0 +1,2 @@\n+one\n+two")
    assert fix(lab, pull).code == ExitCode.PASSED
    done = subprocess.run(
        ["git", "cat-file", "blob", "topic:notes.txt"], cwd=lab.remote, capture_output=True, check=True
    )
    assert done.stdout == content.replace(b"two", b"TWO")
