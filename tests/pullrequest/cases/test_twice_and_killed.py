"""Cases 41 to 46: two processes at once, killed at any step, answers that are lost on their way, and the cap."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import filelock
import pytest

from selfreview.errors import ExitCode
from tests.conftest import Ran
from tests.pullrequest.lab import Lab
from tests.pullrequest.stories import (
    SUGGESTED,
    commits,
    configure,
    fix,
    model,
    plugin,
    said_by,
    suggest,
    talk,
)

pytestmark = pytest.mark.long


KILLER = '''
"""Ends the process, as nobody can prepare for it, where it is told to."""
import os, signal
point = os.environ["KILL_AT"]

def before(module, kind, name):
    owner = getattr(module, kind)
    whole = getattr(owner, name)
    def ended(self, *args, **kwargs):
        if point == f"before {name}":
            os.kill(os.getpid(), signal.SIGKILL)
        result = whole(self, *args, **kwargs)
        if point == f"after {name}":
            os.kill(os.getpid(), signal.SIGKILL)
        return result
    setattr(owner, name, ended)

from selfreview.pullrequest import replies
from selfreview.pullrequest.git import branch
from selfreview.apply import applier
for module, kind, names in (
    (applier, "Applier", ("apply",)),
    (branch, "Branch", ("commit", "push")),
    (replies, "Replies", ("_reply", "_ask_again", "_summarise")),
):
    for name in names:
        before(module, kind, name)

from selfreview.api import hookimpl

@hookimpl
def selfreview_configure(config):
    """A plugin has a hook."""
'''
POINTS = [
    f"{when} {name}"
    for name in ("apply", "commit", "push", "_reply", "_ask_again", "_summarise")
    for when in ("before", "after")
]


def killed(lab: Lab, number: int, point: str) -> None:
    """Run a fix that is killed at a point."""
    env = plugin(lab, KILLER, "killer") | {"KILL_AT": point}
    ran = lab.pr("fix", str(number), "-p", "killer", **env)
    assert ran.code == -9, (point, ran)


def is_whole(lab: Lab, pull: Any) -> None:
    """Assert that all of it happened, and once."""
    assert len(commits(lab)) == 1
    assert lab.file() == SUGGESTED
    assert [len(thread.comments) for thread in pull.threads] == [2] * len(pull.threads)
    assert [user.login for user in pull.requested] == ["rev"]
    assert len(pull.comments) == 1
    assert "Fix cycle 1" in pull.comments[0].body
    assert lab.workspace.git("status", "--porcelain") == ""
    assert lab.workspace.git("rev-parse", "HEAD") == lab.head()
    asked = [one for one in lab.forge.requests if one.path.endswith("/requested_reviewers") and one.method == "POST"]
    assert len(asked) <= 1


def test_case_41_a_second_process_does_nothing(lab: Lab) -> None:
    pull = lab.open()
    suggest(lab, pull)
    folder = lab.workspace.root / ".git" / "selfreview"
    folder.mkdir(exist_ok=True)
    with filelock.FileLock(folder / f"pr-{pull.number}.lock"):
        ran = lab.pr("fix", str(pull.number))
    assert ran.code == ExitCode.INCOMPLETE
    assert "being answered already" in ran.err
    assert not commits(lab)


def test_case_41_what_another_machine_answered_meanwhile_is_not_answered_twice(lab: Lab, tmp_path: Path) -> None:
    configure(lab)
    pull = lab.open()
    pull.inline(lab.rev, "app.py", 10, "Say it in full.")
    other = tmp_path / "other"
    subprocess.run(["git", "clone", "-q", "-b", "topic", str(lab.remote), str(other)], check=True)
    url = "https://github.com/octo/app.git"
    for pair in (("remote.origin.url", url), (f"url.{lab.remote}.insteadOf", url)):
        subprocess.run(["git", "config", *pair], cwd=other, check=True)

    def elsewhere() -> None:
        with model(lab, talk()):
            subprocess.run([sys.executable, "-m", "selfreview", "trust"], cwd=other, check=False, capture_output=True)
            done = subprocess.run(
                [sys.executable, "-m", "selfreview", "pr", "fix", str(pull.number)],
                cwd=other, env={**os.environ, **lab.environment}, capture_output=True, check=False,
            )  # fmt: skip
            assert done.returncode == 0, Ran.of(done)

    with model(lab, talk(during=elsewhere)):
        fix(lab, pull)
    assert len(commits(lab)) == 1
    assert len(pull.threads[0].comments) == 2
    fix(lab, pull)
    assert len(commits(lab)) == 1
    assert len(pull.threads[0].comments) == 2
    assert len([c for c in pull.comments if "Fix cycle" in c.body]) == 1


@pytest.mark.parametrize("point", POINTS)
def test_case_42_43_44_45_46_killed_at_any_step_it_is_done_once(lab: Lab, point: str) -> None:
    lost = point.startswith("after")  # benchmarks/kill_cycle.py loses the store at any of them
    pull = lab.open()
    suggest(lab, pull, review=pull.review(lab.rev, "CHANGES_REQUESTED", ""))
    killed(lab, pull.number, point)
    if lost:
        for file in (lab.workspace.root / ".git" / "selfreview").glob("store.db*"):
            file.unlink()
    assert fix(lab, pull).code == ExitCode.PASSED
    is_whole(lab, pull)
    assert fix(lab, pull).code == ExitCode.PASSED
    is_whole(lab, pull)


@pytest.mark.parametrize("path", ["*/comments", "*/replies", "*/requested_reviewers"])
def test_case_45_an_answer_that_was_lost_on_its_way_is_not_given_twice(lab: Lab, path: str) -> None:
    pull = lab.open()
    suggest(lab, pull)
    lab.forge.reset("POST", path, after_effect=True)
    lab.pr("fix", str(pull.number))
    lab.forge.mend()
    fix(lab, pull)
    assert len(commits(lab)) == 1
    assert [len(thread.comments) for thread in pull.threads] == [2]
    assert len(pull.comments) == 1


def test_case_46_the_cap_holds_though_the_store_is_lost(lab: Lab) -> None:
    pull = lab.open()
    for line, code in ((6, "    return n + n"), (2, "    return n // 2")):
        suggest(lab, pull, line, code)
        fix(lab, pull)
        for file in (lab.workspace.root / ".git" / "selfreview").glob("store.db*"):
            file.unlink()
    assert len(commits(lab)) == 2
    suggest(lab, pull, 10, '    return "more"')
    ran = fix(lab, pull)
    assert ran.code == ExitCode.ISSUES, ran
    assert "the cap of 2 fix cycles is reached" in ran.out
    assert len(commits(lab)) == 2
    assert [label.name for label in pull.labels] == ["human-review-required"]


def test_a_persons_reset_allows_more(lab: Lab) -> None:
    pull = lab.open()
    for line, code in ((6, "    return n + n"), (2, "    return n // 2"), (10, '    return "more"')):
        suggest(lab, pull, line, code)
        ran = fix(lab, pull)
    assert ran.code == ExitCode.ISSUES, ran
    done = lab.workspace.selfreview("reset", "--reason", "once more")
    assert done.code == ExitCode.PASSED, done
    assert fix(lab, pull).code == ExitCode.PASSED
    assert len(commits(lab)) == 3


@pytest.mark.parametrize("cap", ["many", "-1", "1.5"])
def test_a_cap_that_is_no_number_is_never_no_cap(lab: Lab, cap: str) -> None:
    pull = lab.open()
    suggest(lab, pull)
    ran = lab.pr("fix", str(pull.number), "-o", f"feedback.max_fix_cycles={cap}")
    assert ran.code == ExitCode.USAGE, ran
    assert not commits(lab)


def test_a_cap_of_none_only_reads(lab: Lab) -> None:
    pull = lab.open()
    suggest(lab, pull)
    pull.comment(lab.rev, "Why so?")
    ran = fix(lab, pull, "-o", "feedback.max_fix_cycles=0")
    assert ran.code == ExitCode.PASSED, ran
    assert "suggestion: rev" in ran.out
    assert not commits(lab)
    assert not said_by(pull, "dev")
