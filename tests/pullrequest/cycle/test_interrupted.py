"""A fix cycle that is interrupted, or whose watcher is killed: nobody is called, and it is done when tried again."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from selfreview.errors import ExitCode
from selfreview.testing.messages import RecordedRequest, Reply
from tests.fixers.talks import says
from tests.forge import PullRequest
from tests.nursery import start_program
from tests.pullrequest.lab import Lab, is_analysis, judged, report
from tests.pullrequest.stories import (
    RENAME,
    RENAMED,
    SETTINGS,
    commits,
    configure,
    fix,
    hook,
    model,
    nothing_happened,
    said_by,
    suggest,
)
from tests.pullrequest.watching.scene import AUTO, SOON, beside, named, told

STOP = """
test -e {folder}/stopped && exit 0
touch {folder}/stopped
until [ -s {folder}/pid ]; do :; done
kill -{number} $(cat {folder}/pid)
while kill -0 $(cat {folder}/pid) 2>/dev/null; do sleep 0.05; done
"""
"""Interrupts the program, once, and stays for as long as it is there."""


def ask(lab: Lab, settings: str = SETTINGS) -> PullRequest:
    """Open a pull request on which something is asked for that a model has to do."""
    configure(lab, settings)
    pull = lab.open()
    pull.inline(lab.rev, "app.py", 10, "Say it in full.")
    return pull


def speak(request: RecordedRequest) -> Reply:
    """Read feedback, fix it, and report."""
    if is_analysis(request):
        return judged({"description": "say it in full"})
    return says(RENAME) if len(request.body["messages"]) == 1 else report()(request)


def run(lab: Lab, pull: PullRequest, folder: Path, at: int | None, end: Callable[[subprocess.Popen[bytes]], None],
        *options: str) -> tuple[int, str]:  # fmt: skip
    """Run ``pr fix`` as a process whose number is written down, and end it while a question to the model is open."""
    number = 0

    def asked(request: RecordedRequest) -> Reply:
        nonlocal number
        number += 1
        if number == at:
            end(process)
            process.wait()
        return speak(request)

    with model(lab, [asked] * 4):
        env = {**os.environ, **lab.environment}
        command, pipe = ("pr", "fix", str(pull.number), *options), subprocess.PIPE
        process = start_program(command, cwd=lab.workspace.root, env=env, stdin=pipe, stdout=pipe, stderr=pipe)
        (folder / "pid").write_text(str(process.pid))
        assert process.stderr is not None
        err = process.stderr.read().decode()
        code = process.wait()
        for stream in (process.stdin, process.stdout, process.stderr):
            assert stream is not None
            stream.close()
    return code, err


def is_done(lab: Lab, pull: PullRequest) -> None:
    """Try it again, and see that it is done once."""
    with model(lab, [speak] * 4):
        ran = fix(lab, pull)
    assert ran.code == ExitCode.PASSED, ran
    assert lab.file() == RENAMED
    assert (len(commits(lab)), len(pull.comments), len(pull.threads[0].comments)) == (1, 1, 2)
    assert not pull.labels


@pytest.mark.parametrize(
    ("at", "number"),
    [
        pytest.param(2, signal.SIGINT, id="fixing"),
        pytest.param(1, signal.SIGINT, id="reading", marks=pytest.mark.long),
        pytest.param(3, signal.SIGINT, id="reporting", marks=pytest.mark.long),
        pytest.param(2, signal.SIGTERM, id="SIGTERM", marks=pytest.mark.long),
        pytest.param(2, signal.SIGHUP, id="SIGHUP", marks=pytest.mark.long),
    ],
)
def test_interrupted_while_a_model_is_asked_it_calls_nobody(lab: Lab, tmp_path: Path, at: int, number: int) -> None:
    pull = ask(lab)
    code, err = run(lab, pull, tmp_path, at, lambda process: process.send_signal(number))
    assert (code, err.splitlines()[-1]) == (ExitCode.INTERRUPTED, "error: interrupted")
    assert nothing_happened(lab, pull)
    is_done(lab, pull)


@pytest.mark.long
@pytest.mark.parametrize("what", ["check", "pre-commit", "pre-push"])
def test_interrupted_while_a_program_runs_it_calls_nobody(lab: Lab, tmp_path: Path, what: str) -> None:
    script = STOP.format(folder=tmp_path, number="INT")
    (tmp_path / "stop").write_text(script)
    checks = f'[checks]\nown = "sh {tmp_path}/stop"\n' if what == "check" else ""
    pull = ask(lab, SETTINGS + checks)
    if what != "check":
        hook(lab.workspace.root / ".git" / "hooks", what, script)
    code, err = run(lab, pull, tmp_path, None, lambda _: None)
    assert (code, err.splitlines()[-1]) == (ExitCode.INTERRUPTED, "error: interrupted")
    assert (tmp_path / "stopped").exists()
    assert nothing_happened(lab, pull)
    is_done(lab, pull)


@pytest.mark.long
def test_a_cycle_whose_watcher_is_gone_calls_nobody(lab: Lab, tmp_path: Path) -> None:
    def let_go(process: subprocess.Popen[bytes]) -> None:
        assert process.stdin is not None
        process.stdin.close()

    pull = ask(lab)
    code, _ = run(lab, pull, tmp_path, 2, let_go, "--tied")
    assert code == ExitCode.INTERRUPTED
    assert nothing_happened(lab, pull)
    is_done(lab, pull)


@pytest.mark.long
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM], ids=["killed", "asked twice to end"])
def test_a_watcher_that_is_ended_while_a_fix_is_made_calls_nobody(lab: Lab, number: int) -> None:
    pull = ask(lab)

    def asked(request: RecordedRequest) -> Reply:
        if not is_analysis(request):
            watcher.process.send_signal(number)
            if number == signal.SIGTERM:
                watcher.wait_for("stopping")
                watcher.process.send_signal(number)
            watcher.process.wait()
        return speak(request)

    with model(lab, [asked] * 4), beside(lab, *SOON, *AUTO) as watcher:
        watcher.over()
    assert nothing_happened(lab, pull)
    with model(lab, [speak] * 4):
        ran = lab.pr("watch", "--once", *AUTO)
    assert ran.code == ExitCode.PASSED, ran
    assert [event["outcome"] for event in named(told(ran), "ended")] == ["fixed"]
    assert len(commits(lab)) == 1
    assert not pull.labels


@pytest.mark.long
def test_what_takes_too_long_again_and_again_is_told_here_and_not_on_the_forge(lab: Lab, tmp_path: Path) -> None:
    pull = ask(lab)
    often = ("-o", "feedback.max_waits=2", "-o", 'notification_channels=["email", "github"]')
    heard = []
    for _ in range(3):
        run(lab, pull, tmp_path, 1, lambda process: process.send_signal(signal.SIGTERM), *often)
        lines = lab.workspace.selfreview("notify", "status").out.splitlines()
        heard.append(sum("email" in line and "feedback waits" in line for line in lines))
    assert heard == [0, 1, 1]
    assert nothing_happened(lab, pull)
    is_done(lab, pull)


def test_what_a_push_leaves_unsaid_is_said_as_if_nothing_had_happened(lab: Lab) -> None:
    configure(lab)
    pull = lab.open()
    thread = suggest(lab, pull).thread
    pull.comment(lab.rev, "This whole approach is wrong, let us talk.")
    lab.forge.fail("POST", "*/replies", times=None)
    assert fix(lab, pull).code == ExitCode.INCOMPLETE
    assert (len(commits(lab)), pull.requested) == (1, [])
    thread.commit = lab.head()  # as a forge has it for lines that still stand
    lab.forge.mend()
    assert fix(lab, pull).code == ExitCode.ISSUES
    (summary,) = [said for said in said_by(pull, "dev") if "Please re-review" in said]
    assert "I've addressed 1 of 2 review comments" in summary
    assert "The rest is left to a person." in summary
    assert [user.login for user in pull.requested] == ["rev"]
