from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from selfreview.errors import ToolError, ToolTimeout
from selfreview.proc import Runner, clean_environment, reap

PYTHON = [sys.executable, "-c"]


def test_output_input_and_status(tmp_path: Path) -> None:
    code = "import sys; data = sys.stdin.buffer.read(); print(len(data)); sys.exit(3)"
    done = Runner().run([*PYTHON, code], cwd=tmp_path, timeout=60, stdin=b"x" * 300_000, ok=(0, 3))
    assert (done.returncode, done.stdout.strip()) == (3, b"300000")


def test_a_child_has_no_input_unless_it_is_given_some(tmp_path: Path) -> None:
    done = Runner().run([*PYTHON, "import sys; print(repr(sys.stdin.read()))"], cwd=tmp_path, timeout=60)
    assert done.stdout.strip() == b"''"


def test_input_that_is_not_read_is_no_error(tmp_path: Path) -> None:
    assert Runner().run([*PYTHON, "pass"], cwd=tmp_path, timeout=60, stdin=b"x" * 5_000_000).returncode == 0


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("import sys; sys.exit('went wrong')", "ended with status 1: went wrong"),
        ("import os, signal; os.kill(os.getpid(), signal.SIGSEGV)", "was killed by SIGSEGV"),
        ("import sys; sys.stdout.write('x' * 2**21)", "printed more than 1 MiB"),
        ("import sys; sys.stderr.write('x' * 2**21)", "printed more than 1 MiB"),
    ],
)
def test_every_bad_end_is_an_error(tmp_path: Path, code: str, message: str) -> None:
    with pytest.raises(ToolError, match=message):
        Runner().allowing(2**20).run([*PYTHON, code], cwd=tmp_path, timeout=60)


def test_a_missing_program_and_an_impossible_argument(tmp_path: Path) -> None:
    with pytest.raises(ToolError, match="cannot be started: there is no such program"):
        Runner().run(["no-such-program-anywhere"], cwd=tmp_path, timeout=5)
    with pytest.raises(ToolError, match="cannot be started"):
        Runner().run([*PYTHON, "a\0b"], cwd=tmp_path, timeout=5)


@pytest.mark.skipif(sys.platform == "win32", reason="process groups are POSIX's")
def test_the_deadline_kills_grandchildren_too(tmp_path: Path) -> None:
    fifo = tmp_path / "alive"
    os.mkfifo(fifo)
    # The grandchild holds the FIFO open for writing for ever; reading it ends only when the grandchild is dead.
    grandchild = f"import threading; f = open({str(fifo)!r}, 'w'); threading.Event().wait()"
    code = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {grandchild!r}])"
    reader = os.open(fifo, os.O_RDONLY | os.O_NONBLOCK)
    with pytest.raises(ToolTimeout):
        Runner().run([*PYTHON, code], cwd=tmp_path, timeout=1.0)
    os.set_blocking(reader, True)
    assert os.read(reader, 1) == b""
    os.close(reader)


@pytest.mark.skipif(sys.platform == "win32", reason="process groups are POSIX's")
@pytest.mark.parametrize("stream", ["stdout", "stderr"])
def test_output_that_a_process_of_another_group_still_holds_is_not_taken_for_all(tmp_path: Path, stream: str) -> None:
    fifo = tmp_path / "until"
    os.mkfifo(fifo)
    held = os.open(fifo, os.O_RDWR)
    closed = {"stdout", "stderr"} - {stream}
    code = (
        "import subprocess, sys; print('the first half', flush=True);"
        f"subprocess.Popen([sys.executable, '-c', {f'open({str(fifo)!r}).read(1)'!r}], start_new_session=True,"
        f"{closed.pop()}=subprocess.DEVNULL)"
    )
    try:
        with pytest.raises(ToolError, match="still holds its output"):
            Runner().run([*PYTHON, code], cwd=tmp_path, timeout=60)
    finally:
        os.write(held, b"x")
        os.close(held)


def test_what_is_killed_from_another_thread_ends(tmp_path: Path) -> None:
    runner = Runner()
    more = runner.allowing(2**28)
    runner.kill_all()
    with pytest.raises(ToolError, match="the run is ending"):
        runner.run([*PYTHON, "pass"], cwd=tmp_path, timeout=5)
    with pytest.raises(ToolError, match="the run is ending"):
        more.run([*PYTHON, "pass"], cwd=tmp_path, timeout=5)


def test_only_listed_variables_reach_a_child() -> None:
    source = {
        "PATH": "/bin", "HOME": "/h", "LC_ALL": "C", "GIT_DIR": "x", "GITHUB_TOKEN": "t", "ANTHROPIC_API_KEY": "k",
        "AWS_SECRET_ACCESS_KEY": "s", "SELFREVIEW_OFFLINE": "1", "LD_PRELOAD": "evil.so", "PYTHONPATH": ".",
    }  # fmt: skip
    assert clean_environment(source, {"EXTRA": "1"}) == {"PATH": "/bin", "HOME": "/h", "LC_ALL": "C", "EXTRA": "1"}


@pytest.mark.skipif(sys.platform == "win32", reason="Popen has no such lock there")
def test_a_child_is_waited_for_whatever_an_interrupt_left_locked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("selfreview.proc._KILL_GRACE_S", 0.01)
    child = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    assert child._waitpid_lock.acquire(blocking=False)  # type: ignore[attr-defined]
    child.kill()
    reap(child)
    assert child.returncode == -9
    assert child.stdin is not None
    child.stdin.close()
