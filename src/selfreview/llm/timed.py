"""Deadline for one task out of several."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from selfreview.errors import ToolTimeout


class Timed:
    """Context that gives one task its own time.

    Args:
        run: Runs a program, as a context does, for at most ``timeout`` seconds.
        seconds: From now until the task's deadline, whatever the context's own.
    """

    def __init__(self, run: Callable[..., subprocess.CompletedProcess[bytes]], seconds: float) -> None:
        self._run = run
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
        """Run a program until it ends or the deadline passes.

        Raises:
            ToolTimeout: If the deadline comes first.
        """
        left = self._deadline - time.monotonic()
        name = Path(argv[0]).name
        late = ToolTimeout(f"{name} did not finish within {self._seconds:g} s")
        if left <= 0:
            raise late
        try:
            return self._run(argv, cwd=cwd, stdin=stdin, ok=ok, env=env, max_output=max_output, timeout=left)
        except ToolTimeout as error:
            late.said = error.said
            raise late from error
