"""Kill ``selfreview pr fix`` at some time, lose the store or not, go on, and say what did not happen exactly once."""

from __future__ import annotations

import contextlib
import os
import random
import signal
import subprocess
import time
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from tests.forge import PullRequest
from tests.nursery import start_program
from tests.pullrequest.lab import Lab
from tests.pullrequest.stories import SUGGESTED, commits, suggest

MOST_TRIES = 12


class Kill(NamedTuple):
    """One process that ends.

    Attributes:
        share: Of the time that a whole one takes: when.
        group: Whether its children end with it.
        lost: Whether the store is lost after it.
    """

    share: float
    group: bool
    lost: bool

    @classmethod
    def some(cls, source: random.Random) -> list[Kill]:
        """Return one to three of them, one after the other."""
        number = source.choice((1, 1, 2, 3))
        return [cls(source.random(), source.random() < 0.5, source.random() < 0.4) for _ in range(number)]


def begin(lab: Lab) -> PullRequest:
    """Open the pull request, with a suggestion in a review that asks for changes."""
    pull = lab.open()
    suggest(lab, pull, review=pull.review(lab.rev, "CHANGES_REQUESTED", ""))
    return pull


def timed(lab: Lab, pull: PullRequest) -> float:
    """Return the seconds that a process takes from its start to its end."""
    began = time.monotonic()
    with _started(lab, pull) as process:
        assert process.wait(120) == 0
    return time.monotonic() - began


def kill(lab: Lab, pull: PullRequest, kills: Sequence[Kill], seconds: float) -> list[str]:
    """Kill processes one after the other, then run whole ones; return what is wrong then."""
    for one in kills:
        with _started(lab, pull) as process:
            time.sleep(one.share * seconds)
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL) if one.group else process.kill()
            process.wait(60)
        _settle(lab)
        if one.lost:
            for file in (lab.workspace.root / ".git" / "selfreview").glob("store.db*"):
                file.unlink()
    for _ in range(2):
        for _ in range(MOST_TRIES):
            ran = lab.pr("fix", str(pull.number))
            if ran.code == 0:
                break
            if "index.lock" not in ran.out + ran.err:  # of a git that outlived its parent
                return [f"going on: {ran}"]
    return wrong(lab, pull)


def wrong(lab: Lab, pull: PullRequest) -> list[str]:
    """Return what did not happen exactly once."""
    counts = {
        "fix commits": len(commits(lab)),
        "answers": sum(len(thread.comments) - 1 for thread in pull.threads),
        "summaries": len(pull.comments),
        "requests for a review": [user.login for user in pull.requested].count("rev"),
    }
    found = [f"{number} {name}" for name, number in counts.items() if number != 1]
    if lab.file() != SUGGESTED:
        found.append("the fix is not there")
    if lab.workspace.git("status", "--porcelain"):
        found.append("the working tree is not clean")
    if lab.workspace.git("rev-parse", "HEAD") != lab.head():
        found.append("the branch here is not the one there")
    return found


def _settle(lab: Lab) -> None:
    """Wait for a git that outlived its parent."""
    lock = lab.workspace.root / ".git" / "index.lock"
    until = time.monotonic() + 0.5
    while lock.exists() and time.monotonic() < until:
        time.sleep(0.02)


@contextlib.contextmanager
def _started(lab: Lab, pull: PullRequest) -> Iterator[subprocess.Popen[bytes]]:
    with start_program(
        ["pr", "fix", str(pull.number)],
        cwd=lab.workspace.root,
        env=os.environ | lab.environment,
        start_new_session=True,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ) as process:
        yield process
