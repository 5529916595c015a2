"""A git that takes too long is ended with all that it started, and nothing else is."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from selfreview.git import tree
from selfreview.git.tree import end

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="there one program does all of it")

STUBBORN = "trap '' TERM; sleep 3600 & echo begun; wait; wait"


def start(script: str) -> subprocess.Popen[bytes]:
    """Start a shell, and return when what it runs has begun."""
    child = subprocess.Popen(["sh", "-c", script], stdout=subprocess.PIPE)
    assert child.stdout is not None
    assert child.stdout.readline() == b"begun\n"
    return child


@pytest.fixture(params=["proc", "ps"])
def source(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Have processes listed in each way that there is."""
    if request.param == "ps":
        monkeypatch.setattr(tree, "_PROC", Path("/nonexistent"))
    usable = shutil.which("ps") if request.param == "ps" else Path("/proc/self/stat").is_file()
    if not usable:
        pytest.skip(f"there is no {request.param}")


@pytest.mark.usefixtures("source")
@pytest.mark.parametrize("script", ["sleep 3600 & echo begun; wait", f"sh -c '{STUBBORN}' & wait", STUBBORN])
def test_all_that_it_started_ends(script: str) -> None:
    child, other = start(script.replace("''", '""')), start("echo begun; exec sleep 3600")
    try:
        end(child, 0.2)
        assert child.returncode is not None
        assert child.stdout is not None
        assert child.stdout.read() == b""  # it is closed by the last of them
        assert other.poll() is None
    finally:
        for one in (child, other):
            one.kill()
            one.communicate()


@pytest.mark.usefixtures("source")
def test_it_may_do_what_is_left_to_be_done_when_it_is_asked_to_end() -> None:
    child = start("trap 'echo tidied; exit 3' TERM; echo begun; while :; do sleep 0.02; done")
    end(child, 60)
    assert child.communicate()[0] == b"tidied\n"
    assert child.returncode == 3


LATE = """sh -c 'trap "while kill -0 $PPID; do sleep 0.02; done; echo tidied; exit" TERM
    echo begun; while :; do sleep 0.02; done' 2>&- & wait"""


@pytest.mark.usefixtures("source")
def test_what_it_started_may_do_that_too_when_it_itself_has_ended() -> None:
    child = start(LATE)
    end(child, 60)
    assert child.communicate()[0] == b"tidied\n"


def test_one_that_has_ended_and_that_nobody_asks_about_is_not_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, state in (("self", "R"), ("12", "Z"), ("13", "S")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "stat").write_text(f"{name} (a) b) {state} 7 {' '.join(map(str, range(40)))}\n")
    monkeypatch.setattr(tree, "_PROC", tmp_path)
    assert tree._running() == {13: (7, "17")}


@pytest.mark.usefixtures("source")
def test_one_that_is_over_is_no_matter() -> None:
    child = start("echo begun")
    child.wait()
    end(child, 0.2)
    assert child.communicate()[0] == b""


def test_where_processes_cannot_be_listed_it_alone_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tree, "_running", dict)
    child = start("echo begun; exec sleep 3600")
    end(child, 60)
    child.communicate()
    assert child.returncode == -signal.SIGTERM


def test_a_number_that_another_process_has_by_now_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    sent: list[tuple[int, int]] = []
    child = start("echo begun; exec sleep 3600")
    listed = [{child.pid: (1, "a"), -5: (child.pid, "a"), -6: (-5, "a")}, {-5: (1, "b"), -6: (1, "a"), -7: (-6, "c")}]
    monkeypatch.setattr(tree, "_running", lambda: listed.pop(0) if len(listed) > 1 else listed[0])
    kill = os.kill
    monkeypatch.setattr(os, "kill", lambda pid, number: kill(pid, number) if pid > 0 else sent.append((pid, number)))
    end(child, 0)
    child.communicate()
    assert sorted(sent) == sorted(
        [(-5, signal.SIGTERM), (-6, signal.SIGTERM), (-6, signal.SIGKILL), (-7, signal.SIGKILL)]
    )
