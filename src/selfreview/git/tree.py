"""Termination of a git that takes too long, with all child processes: a hook, or what reaches a remote.

It stays in this process's own group and session, so that Ctrl-C reaches all of it, ssh can ask the person at the
terminal, and whoever kills the group of this process kills it, too. So it is ended by who started whom.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterable
from pathlib import Path

from selfreview.proc import reap
from selfreview.programs import find_on_path

_PROC = Path("/proc")
_ENDED = ("Z", "X")
"""States of a process that is over."""
_LOOK_S = 0.05
"""Seconds between two looks at git's child processes: only git's own end is reported."""


def end(child: subprocess.Popen[bytes], grace_s: float) -> None:
    """Terminate a process and all that it started, so that git removes its locks; after a while, kill the remaining.

    Args:
        child: It.
        grace_s: Seconds that they have for that.
    """
    if sys.platform == "win32":
        subprocess.run(["taskkill", "/F", "/T", "/PID", str(child.pid)], capture_output=True, check=False)
        child.wait()
        return
    asked = _below([child.pid], _running())
    _send({child.pid, *asked}, signal.SIGTERM)
    deadline = time.monotonic() + grace_s
    with contextlib.suppress(subprocess.TimeoutExpired):
        child.wait(grace_s)
    while left := _below(_left(asked, running := _running()), running):
        if time.monotonic() >= deadline:
            break
        time.sleep(_LOOK_S)
    _send(left, signal.SIGKILL)
    child.kill()
    reap(child)


def _send(processes: Iterable[int], number: int) -> None:
    for pid in processes:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(pid, number)


def _left(asked: dict[int, str], running: dict[int, tuple[int, str]]) -> list[int]:
    return [pid for pid, began in asked.items() if running.get(pid, (0, ""))[1] == began]


def _below(roots: Iterable[int], running: dict[int, tuple[int, str]]) -> dict[int, str]:
    """Return processes and all that they started, directly or not, each with when it began."""
    found: dict[int, str] = {}
    wanted = [pid for pid in roots if pid in running]
    while wanted:
        pid = wanted.pop()
        found[pid] = running[pid][1]
        wanted += [other for other, (parent, _) in running.items() if parent == pid and other not in found]
    return found


def _running() -> dict[int, tuple[int, str]]:
    """Return all processes: by whom each was started, and when it began, which tells it from a later one.

    One that has ended, and that nobody has asked about yet, is left out: nobody ever may.
    """
    if (_PROC / "self" / "stat").is_file():
        found = (_stat(int(folder.name)) for folder in _PROC.iterdir() if folder.name.isdecimal())
        return dict(one for one in found if one is not None)
    program = find_on_path("ps", os.environ)
    if program is None:
        return {}
    said = subprocess.run(
        [program, "-A", "-o", "pid=,ppid=,stat=,lstart="], capture_output=True, check=False, text=True
    )
    lines = (line.split(None, 3) for line in said.stdout.splitlines())
    return {
        int(line[0]): (int(line[1]), line[3]) for line in lines if len(line) == 4 and not line[2].startswith(_ENDED)
    }


def _stat(pid: int) -> tuple[int, tuple[int, str]] | None:
    try:
        text = (_PROC / str(pid) / "stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None  # it is over
    fields = text.rpartition(")")[2].split()  # its name, which may hold anything, stands before
    return None if fields[0].startswith(_ENDED) else (pid, (int(fields[1]), fields[19]))
