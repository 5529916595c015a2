"""A watcher that is killed in the middle of a fix, and the next one."""

from __future__ import annotations

import os
import signal
import time

import pytest

from selfreview.errors import ExitCode
from tests.pullrequest.lab import APP, Lab
from tests.pullrequest.watching.scene import AUTO, LIMIT_S, SOON, beside, named, told

pytestmark = pytest.mark.long

SUGGESTION = "```suggestion\n    return n + n\n```"


def test_killed_in_the_middle_nothing_is_done_twice(lab: Lab) -> None:
    pull = lab.open()
    review = pull.review(lab.rev, "CHANGES_REQUESTED", "")
    pull.inline(lab.rev, "app.py", 6, SUGGESTION, review=review)
    hold_after_the_push(lab)
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


def hold_after_the_push(lab: Lab) -> None:
    """Have the first push that arrives not come back for a while: what comes after it is left to the next watcher."""
    hook = lab.remote / "hooks" / "post-receive"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\nmkdir held 2>/dev/null && exec sleep 20 >/dev/null 2>&1 </dev/null\nexit 0\n")
    hook.chmod(0o755)


def until(condition) -> None:
    """Wait for something that another process does."""
    deadline = time.monotonic() + LIMIT_S
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.05)
