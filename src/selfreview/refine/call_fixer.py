"""Call a fixer with its context: workspace, tools under its deadline, checks; failures become its report."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from selfreview.api import Change, CheckOutcome, ConfigView, Fix, FixAnswer, Fixer, FixRequest, Issue, capabilities
from selfreview.errors import SelfreviewError, ToolTimeout
from selfreview.plugins.attribution import in_plugin
from selfreview.refine.checks import Check
from selfreview.secrets.scanner import mask_secrets

if TYPE_CHECKING:
    from selfreview.refine.check_runner import Checker


class FixerContext:
    """A :class:`selfreview.api.FixContext`.

    Args:
        checker: Runs checks in the workspace.
        checks: The checks that may run.
        change: The change as it was before the first refinement.
        config: The configuration.
        deadline: On the monotonic clock.
    """

    def __init__(
        self, checker: Checker, checks: Sequence[Check], change: Change, config: ConfigView, deadline: float
    ) -> None:
        self.root = checker.workspace.root
        self._workspace = checker.workspace
        self.change = change
        self.config = config
        self._runner = checker.runner
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
        timeout: float | None = None,
    ) -> subprocess.CompletedProcess[bytes]:
        """Run a tool until it ends or the deadline comes."""
        remaining = self.remaining()
        if remaining <= 0:
            raise ToolTimeout("the fixer's time is over")
        return self._runner.run(
            argv,
            cwd=self.root if cwd is None else cwd,
            timeout=remaining if timeout is None else min(timeout, remaining),
            stdin=stdin,
            ok=ok,
            env=env,
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


CrashReport = Callable[[str, BaseException], str | None]


def would_take(fixer: Fixer, issue: Issue, config: ConfigView) -> bool:
    """Return whether a fixer takes an issue; a fixer that raises is given it, and its error is reported when it tries.

    An issue in a commit alone goes to no fixer: no edit of the files fixes it.
    """
    if issue.commit is not None:
        return False
    try:
        return bool(fixer.takes(issue, config))
    except Exception:  # noqa: BLE001 - ask reports it
        return True


def ask(
    fixer: Fixer,
    request: FixRequest,
    config: ConfigView,
    context: Callable[[float], FixerContext],
    deadline: float,
    *,
    crash_report: CrashReport,
) -> Fix:
    """Call a fixer with issues; whatever it raises becomes an error in its report.

    Args:
        fixer: The fixer.
        request: What it is to do.
        config: The configuration.
        context: Makes what it works with from its deadline.
        deadline: That of all fixers, on the monotonic clock.
        crash_report: Writes a report of a crash, and returns where.
    """
    made: FixerContext | None = None
    try:
        for issue in request.issues:
            fixer.takes(issue, config)
        made = context(min(deadline, time.monotonic() + capabilities.of_fixer(fixer).seconds(config)))
        return _checked(fixer.fix(request, made))
    except SelfreviewError as error:
        return Fix(error=error.message, hint=error.hint)
    except KeyboardInterrupt:
        if made is not None:
            made.stop()
        raise
    except Exception as error:  # noqa: BLE001 - one fixer's crash must not lose what the others did; it is reported
        where = crash_report(f"fixer {fixer.name}", error)
        text = f"it crashed: {type(error).__name__}: {error}{in_plugin(error, fixer)}"
        return Fix(error=text, hint=f"see {where}" if where else None)


def _checked(fix: object) -> Fix:
    """Return the value that a fixer returned, if it is valid."""
    if not isinstance(fix, Fix):
        raise TypeError(f"fix() returned {type(fix).__name__}, not Fix")
    parts: Mapping[str, object] = vars(fix)  # whatever their types were to be
    if not isinstance(parts["notes"], str) or not isinstance(parts["reasons"], Mapping):
        raise TypeError("fix() returned a Fix whose notes are no text, or whose reasons are no mapping")
    if not all(isinstance(answer, FixAnswer) for answer in fix.answers):
        raise TypeError("fix() returned a Fix with answers that are no FixAnswer")
    return fix


def masked(text: str) -> str:
    """Return a fixer's text with every secret masked: it may quote files, and is kept and shown."""
    return mask_secrets(text) if text else text
