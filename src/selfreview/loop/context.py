"""Context of a fixer: the workspace, tools under the fixer's own deadline, the project's checks."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from selfreview.api import Change, CheckOutcome, ConfigView
from selfreview.errors import ToolTimeout
from selfreview.git.workspace import Workspace
from selfreview.loop.checks import Check, Checker
from selfreview.proc import Runner


class FixerContext:
    """A :class:`selfreview.api.FixContext`.

    Args:
        workspace: The workspace.
        change: The change as it was before the first refinement.
        config: The configuration.
        runner: Runs tools, and kills them.
        checker: Runs checks.
        checks: The checks that may run.
        deadline: On the monotonic clock.
    """

    def __init__(
        self,
        *,
        workspace: Workspace,
        change: Change,
        config: ConfigView,
        runner: Runner,
        checker: Checker,
        checks: Sequence[Check],
        deadline: float,
    ) -> None:
        self.root = workspace.root
        self._workspace = workspace
        self.change = change
        self.config = config
        self._runner = runner
        self._checker = checker
        self._checks = {check.name: check for check in checks}
        self._deadline = deadline
        self._stops: list[Callable[[], None]] = []

    def edited(self) -> list[str]:
        """Return the paths of new and edited files, as our own git sees them: an agent may have written to its own."""
        return self._workspace.edited()

    @property
    def checks(self) -> Sequence[str]:
        """Names of checks."""
        return list(self._checks)

    def run_check(self, name: str) -> CheckOutcome:
        """Run a check in the workspace."""
        return self._checker.run(self._checks[name], self._deadline)

    def run(
        self,
        argv: Sequence[str],
        *,
        cwd: Path | None = None,
        stdin: bytes | None = None,
        ok: Iterable[int] = (0,),
        env: dict[str, str] | None = None,
        max_output: int = 64 * 1024 * 1024,
        timeout: float | None = None,
    ) -> subprocess.CompletedProcess[bytes]:
        """Run a tool until it ends or the deadline comes."""
        left = self.remaining()
        if left <= 0:
            raise ToolTimeout("the fixer's time is over")
        return self._runner.run(
            argv,
            cwd=self.root if cwd is None else cwd,
            timeout=left if timeout is None else min(timeout, left),
            stdin=stdin,
            ok=ok,
            env=env,
            max_output=max_output,
        )

    def on_stop(self, callback: Callable[[], None]) -> None:
        """Register a function to be called when the run is interrupted."""
        self._stops.append(callback)

    def stop(self) -> None:
        """End the programs that are still running."""
        self._runner.kill_all()
        stops, self._stops = self._stops, []
        for callback in stops:
            callback()

    def remaining(self) -> float:
        """Return the seconds until the deadline."""
        return self._deadline - time.monotonic()
