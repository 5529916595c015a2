"""A watcher that is killed in the middle of a fix, and the next one."""

from __future__ import annotations

import os
import signal
import time

from selfreview.errors import ExitCode
from tests.feedback.lab import APP, Lab
from tests.feedback.watching.scene import AUTO, LIMIT_S, SOON, beside, named, told

SUGGESTION = "Better:\n```suggestion\n    return n + n\n```"


def test_killed_in_the_middle_nothing_is_done_twice(lab: Lab) -> None:
    pull = lab.open()
    review = pull.review(lab.rev, "CHANGES_REQUESTED", "")
    pull.inline(lab.rev, "app.py", 6, SUGGESTION, review=review)
    # The push has happened when the answer is written: what is left is to be done by the next one, and no more.
    lab.forge.slow("POST", f"*/pulls/{pull.number}/comments/*/replies", 30, times=1)
    with beside(lab, *SOON, *AUTO) as watcher:
        watcher.wait_for("begun", number=pull.number)
        until(lambda: len(lab.log()) == 2)
        os.kill(watcher.process.pid, signal.SIGKILL)
        watcher.over()
    ran = lab.pr("watch", "--once", *AUTO)
    assert ran.code == ExitCode.PASSED, ran
    assert named(told(ran), "resumed")[0]["number"] == pull.number
    assert len(named(told(ran), "ended")) == 1
    assert lab.file() == APP.replace("n * 2", "n + n")
    assert len(lab.log()) == 2
    assert (len(pull.comments), len(pull.threads[0].comments)) == (1, 2)
    assert [user.login for user in pull.requested] == ["rev"]
    assert lab.workspace.git("status", "--porcelain") == ""


def until(condition) -> None:
    """Wait for something that another process does."""
    deadline = time.monotonic() + LIMIT_S
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.05)
