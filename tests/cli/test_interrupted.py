"""Ctrl-C, or a request to end: the run ends at once, its children are gone, and what was found is kept."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from selfreview.errors import ExitCode
from tests.conftest import Workspace
from tests.rows import few

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="POSIX signals")

PLUGIN = """
from selfreview.api import Depth, Review, hookimpl

class Waits:
    name = "waits"
    depth = Depth.TEXT
    default = True
    def selects(self, file): return True
    def cache_key(self, context): return None
    def review(self, files, context):
        import os, sys
        context.on_stop(lambda: open(os.environ["STOPPED"], "w").close())
        program = "import os, time; open(os.environ['STARTED'], 'w').write(str(os.getpid())); time.sleep(600)"
        context.run([sys.executable, "-c", program], cwd=context.workspace(), env={"STARTED": os.environ["STARTED"]})
        return Review()

@hookimpl
def selfreview_register_reviewers(registry, config):
    registry.add(Waits())
"""


def _alive(pid: int) -> bool:
    stat = Path(f"/proc/{pid}/stat")
    return stat.exists() and stat.read_text().rpartition(")")[2].split()[0] != "Z"


@pytest.mark.parametrize("name", few(["SIGINT", "SIGTERM", "SIGHUP"], "SIGINT", "SIGTERM"))
def test_the_run_ends_and_what_was_found_is_kept(workspace: Workspace, tmp_path: Path, name: str) -> None:
    (tmp_path / "waits.py").write_text(PLUGIN)
    workspace.write("app.py", "print(undefined_name)\n")
    started, stopped = tmp_path / "started", tmp_path / "stopped"
    environ = os.environ | {"PYTHONPATH": str(tmp_path), "STARTED": str(started), "STOPPED": str(stopped)}
    argv = [sys.executable, "-m", "selfreview", "run", "-p", "waits", "--format", "json"]
    number = getattr(signal, name)
    with subprocess.Popen(
        argv,
        cwd=workspace.root,
        env=environ,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        preexec_fn=lambda: signal.signal(number, signal.SIG_DFL),  # noqa: PLW1509 - nohup, say, has it ignored
    ) as run:
        while not (started.exists() and started.read_text()) and run.poll() is None:
            time.sleep(0.01)
        run.send_signal(getattr(signal, name))
        out, err = run.communicate()
    assert run.returncode == ExitCode.INTERRUPTED, err
    assert err.decode().splitlines()[-2:] == [
        "error: interrupted",
        "hint: the results so far are kept: selfreview status; selfreview resume continues",
    ]
    assert json.loads(out)["status"] == "error"
    assert stopped.exists()
    assert not _alive(int(started.read_text()))
    shown = workspace.selfreview("status", "--format", "json").json
    latest = shown["result"]
    assert latest["status"] == "incomplete"
    assert not latest["passed"]
    assert "waits failed: interrupted before it was done" in latest["incompleteReasons"]
