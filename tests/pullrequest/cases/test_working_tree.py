"""Cases 32 to 35: the working tree is gone, somebody's, on something else, or locked."""

from __future__ import annotations

import contextlib
import os
import subprocess
from pathlib import Path

import pytest

from selfreview.errors import ExitCode
from tests.pullrequest.lab import Lab
from tests.pullrequest.stories import (
    SUGGESTED,
    calls_for_a_person,
    commits,
    fix,
    hook,
    nothing_happened,
    suggest,
)
from tests.pullrequest.watching.scene import AUTO, named, told

pytestmark = pytest.mark.long


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
