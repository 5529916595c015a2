"""What git or this machine cannot do just then is nobody's decision: it waits, and nothing of it is on the forge."""

from __future__ import annotations

import errno
import os
import shutil
from pathlib import Path

import pytest

from selfreview.errors import AwayError, CycleError, ExitCode, FixError, NotFreeError, StoreError
from selfreview.pullrequest.git.transient_errors import refusal, transient_reason, transient_reason_in
from tests.pullrequest.lab import Lab
from tests.pullrequest.stories import calls_for_a_person, commits, fix, hook, nothing_happened, suggest

pytestmark = pytest.mark.long

RESET = "fatal: unable to access 'https://github.com/octo/app.git/': Recv failure: Connection reset by peer"
LOCK = "fatal: Unable to create '/home/me/app/.git/index.lock': File exists."
GPG = "error: gpg failed to sign the data:\nfatal: failed to write commit object"
FULL = "error: unable to write file app.py: No space left on device"


def failing_once(tmp_path: Path, word: str, said: str) -> dict[str, str]:
    """Return the environment of a git that fails the first time that it is told a word."""
    real, flag, words = shutil.which("git"), tmp_path / "failed", tmp_path / "words"
    words.write_text(f"{said}\n")
    script = (
        f'for a in "$@"; do [ "$a" = {word} ] && [ ! -e {flag} ] && touch {flag} && cat {words} >&2 && exit 128; done'
    )
    hook(tmp_path / "bin", "git", f'{script}\nexec {real} "$@"')
    return {"PATH": f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}"}


@pytest.mark.parametrize(
    ("word", "said", "told"),
    [
        ("push", RESET, "the push did not get through: the remote cannot be reached"),
        ("push", "remote: Internal Server Error\nerror: RPC failed; HTTP 502 curl 22", "the remote cannot be reached"),
        ("fetch", RESET, "the remote cannot be reached"),
        ("--pathspec-from-file=-", LOCK, "another git is at work here"),
        ("commit", GPG, "git cannot sign the commit here"),
        ("commit", FULL, "there is no room on the disk"),
    ],
    ids=["reset", "502", "fetch", "lock", "gpg", "full"],
)
def test_what_git_cannot_do_just_then_waits_and_is_done_later(
    lab: Lab, tmp_path: Path, word: str, said: str, told: str
) -> None:
    pull = lab.open()
    suggest(lab, pull)
    ran = fix(lab, pull, **failing_once(tmp_path, word, said))
    assert ran.code == ExitCode.INCOMPLETE, ran
    assert told in ran.out
    assert said.splitlines()[0].partition(": ")[2] in ran.err  # the person here is told what git said
    assert nothing_happened(lab, pull)
    assert not lab.workspace.git("status", "--porcelain")
    ran = fix(lab, pull)
    assert ran.code == ExitCode.PASSED, ran
    assert len(commits(lab)) == 1


@pytest.mark.parametrize(
    "said",
    ["remote: GH006: Protected branch update failed\n ! [remote rejected] topic (protected branch hook declined)",
     " ! [remote rejected] topic -> topic (pre-receive hook declined)\nerror: failed to push some refs",
     "error: RPC failed; HTTP 413 curl 22\nfatal: the remote end hung up unexpectedly"],
    ids=["protected", "hook", "413"],
)  # fmt: skip
def test_what_the_remote_refuses_for_good_is_a_persons(lab: Lab, tmp_path: Path, said: str) -> None:
    pull = lab.open()
    suggest(lab, pull)
    assert fix(lab, pull, **failing_once(tmp_path, "push", said)).code == ExitCode.ISSUES
    assert len(calls_for_a_person(lab, pull)) == 1


def test_a_place_here_that_cannot_be_written_waits_and_its_path_stays_here(lab: Lab) -> None:
    pull = lab.open()
    suggest(lab, pull)
    folder = lab.workspace.root / ".git" / "selfreview" / "patches"
    folder.parent.mkdir(exist_ok=True)
    folder.write_text("no folder")
    ran = fix(lab, pull)
    assert ran.code == ExitCode.INCOMPLETE, ran
    assert "a file cannot be written or read here" in ran.out
    assert str(folder) in ran.err
    assert str(folder) not in ran.out
    assert nothing_happened(lab, pull)
    folder.unlink()
    assert fix(lab, pull).code == ExitCode.PASSED
    assert len(commits(lab)) == 1


def block(lab: Lab) -> None:
    """Have a ref here that a branch's cannot be beside, as it is left where ``topic/old`` became ``topic``."""
    lab.workspace.git("update-ref", "-d", "refs/remotes/origin/topic")
    lab.workspace.git("update-ref", "refs/remotes/origin/topic/old", "HEAD")


def test_a_ref_of_a_branch_that_is_gone_there_does_not_keep_the_branch_from_being_fetched(lab: Lab) -> None:
    pull = lab.open()
    suggest(lab, pull)
    lab.workspace.git("update-ref", "refs/remotes/origin/other/old", "HEAD")
    block(lab)
    ran = fix(lab, pull)
    assert ran.code == ExitCode.PASSED, ran
    assert len(commits(lab)) == 1
    assert lab.workspace.git("for-each-ref", "refs/remotes/origin/topic/old") == ""
    assert lab.workspace.git("for-each-ref", "refs/remotes/origin/other/old") != ""  # it is in nobody's way


def test_a_cycle_that_fails_again_and_again_is_told_once(lab: Lab) -> None:
    pull = lab.open()
    suggest(lab, pull)
    kept = "+refs/heads/main:refs/remotes/origin/topic/old"
    lab.workspace.git("config", "--add", "remote.origin.fetch", kept)
    block(lab)  # but git is told to keep that one
    often = ("-o", 'notification_channels=["email", "github"]', "-o", "feedback.max_waits=2")
    told = []
    for _ in range(4):
        ran = lab.pr("fix", str(pull.number), *often)
        assert ran.code == ExitCode.USAGE, ran
        told.append(lab.workspace.selfreview("notify", "status").out.count("feedback waits"))
    assert told == [0, 1, 1, 1]
    assert nothing_happened(lab, pull)
    lab.workspace.git("config", "--fixed-value", "--unset", "remote.origin.fetch", kept)
    assert fix(lab, pull, *often).code == ExitCode.PASSED
    assert "times in a row" not in lab.pr("status", str(pull.number)).out


def test_errors_of_this_machine_are_known_by_what_caused_them() -> None:
    error = FixError("there is no place for a workspace")
    assert transient_reason(error) is None
    error.__cause__ = OSError(errno.ENOSPC, "full")
    assert transient_reason(error) == "there is no room on the disk"
    error.__cause__ = OSError(errno.ENAMETOOLONG, "as long as it was before")
    assert transient_reason(error) is None
    assert transient_reason(StoreError("a patch cannot be kept")) is not None
    assert transient_reason(AwayError("fatal: unable to access")) is None


def test_what_hooks_print_of_networks_is_no_failure_of_the_commit() -> None:
    assert transient_reason_in(RESET) is not None
    assert not isinstance(refusal("it was refused", RESET.encode()), NotFreeError)
    assert isinstance(refusal("it was refused", LOCK.encode()), NotFreeError)
    assert isinstance(refusal("it was refused", b"E   ConnectionResetError: Connection reset by peer"), CycleError)


@pytest.mark.parametrize(
    "said",
    [
        "Author identity unknown\n\n*** Please tell me who you are.\n\n"
        "fatal: no email was given and auto-detection is disabled",
        "Committer identity unknown\n\nfatal: unable to auto-detect email address (got 'dev@host.(none)')",
        "fatal: empty ident name (for <dev@example.com>) not allowed",
    ],
)
def test_git_that_does_not_know_who_commits_is_of_this_machine(said: str) -> None:
    assert "who commits" in str(transient_reason_in(said))
