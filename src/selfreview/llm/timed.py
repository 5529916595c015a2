"""A deadline for one task out of several."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Protocol

from selfreview.errors import ToolTimeout


class RunsFor(Protocol):
    """What starts programs for as long as it is told, such as a reviewer's context."""

    def run(
        self,
        argv: Sequence[str],
        *,
        cwd: Path,
        timeout: float,
        stdin: bytes | None = None,
        ok: Iterable[int] = (0,),
        env: dict[str, str] | None = None,
        max_output: int = 64 * 1024 * 1024,
    ) -> subprocess.CompletedProcess[bytes]:
        """Run a program."""


class Timed:
    """A context that gives one task its own time.

    Args:
        context: Runs programs.
        seconds: From now until the task's deadline, whatever the context's own.
    """

    def __init__(self, context: RunsFor, seconds: float) -> None:
        self._context = context
        self._seconds = seconds
        self._deadline = time.monotonic() + seconds

    def run(
        self,
        argv: Sequence[str],
        *,
        cwd: Path,
        stdin: bytes | None = None,
        ok: Iterable[int] = (0,),
        env: dict[str, str] | None = None,
        max_output: int = 64 * 1024 * 1024,
    ) -> subprocess.CompletedProcess[bytes]:
        """Run a program until it ends or the deadline comes.

        Raises:
            ToolTimeout: If the deadline comes first.
        """
        left = self._deadline - time.monotonic()
        name = Path(argv[0]).name
        late = ToolTimeout(f"{name} did not finish within {self._seconds:g} s")
        if left <= 0:
            raise late
        try:
            return self._context.run(argv, cwd=cwd, stdin=stdin, ok=ok, env=env, max_output=max_output, timeout=left)
        except ToolTimeout as error:
            late.said = error.said
            raise late from error
