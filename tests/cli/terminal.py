"""The program on a real terminal, and what it shows there."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from tests.nursery import start_program

QUESTION = b"[y/N]"


class Shown(NamedTuple):
    """How a command ended on a terminal.

    Attributes:
        code: The exit code.
        text: All that the terminal showed, colours included.
        out: Standard output, where that was not the terminal.
    """

    code: int
    text: str
    out: bytes


def on_terminal(argv: Sequence[str], cwd: Path, *answers: bytes, piped: bool = False, **env: str) -> Shown:
    """Run the program with a terminal on all its streams, and answer its questions in turn.

    Args:
        argv: The arguments.
        cwd: Where to run it.
        answers: What is typed whenever it asks.
        piped: Whether standard output is a pipe instead.
        env: Variables besides those that are there.
    """
    import pty

    control, side = pty.openpty()
    child = start_program(
        argv,
        cwd=cwd,
        env={**os.environ, "TERM": "xterm", **env},
        stdin=side,
        stdout=subprocess.PIPE if piped else side,
        stderr=side,
        start_new_session=True,
    )
    os.close(side)
    shown, left = b"", list(answers)
    while True:
        try:
            piece = os.read(control, 4096)
        except OSError:  # the other side is closed
            break
        if not piece:
            break
        shown += piece
        if left and shown.count(QUESTION) > len(answers) - len(left):
            os.write(control, left.pop(0))
    out, _ = child.communicate(timeout=60)
    os.close(control)
    return Shown(child.returncode, shown.decode().replace("\r\n", "\n"), out or b"")
