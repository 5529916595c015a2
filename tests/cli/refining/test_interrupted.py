"""Ctrl-C during a refinement: it ends there, nothing is applied, and what was kept can be applied or gone on with."""

from __future__ import annotations

import signal
import sys
import time

import pytest

from selfreview.errors import ExitCode
from tests.cli.refining.lab import Lab
from tests.conftest import Workspace

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="POSIX signals")


@pytest.fixture
def lab(workspace: Workspace) -> Lab:
    return Lab(workspace)


def test_the_review_of_a_refinement_is_not_gone_on_from(lab: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    lab.use("partial")
    before = lab.snapshot()
    waits = lab.outside / "told-waits"
    monkeypatch.setenv("MARKS_WAIT", str(waits))
    with lab.start("--apply") as run:
        while not waits.exists():
            assert run.poll() is None, run.communicate()
            time.sleep(0.01)
        run.send_signal(signal.SIGINT)
        _, err = run.communicate()
    assert run.returncode == ExitCode.INTERRUPTED, err
    assert lab.snapshot() == before
    assert lab.workspaces == []
    session = lab.session()
    assert (session.iteration, session.stop) == (1, "interrupted")
    moves = [e.data["new"] for e in lab.events() if e.kind == "session.state_changed"]
    assert moves.count("refining") == 1
    monkeypatch.delenv("MARKS_WAIT")
    assert lab.refine("--apply", command="resume").json["stop"] == "no_change"
