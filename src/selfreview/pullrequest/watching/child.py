"""One fix cycle as a child process, which ends when its time is over, and when nobody waits for it any more."""

from __future__ import annotations

import functools
import json
import sys
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from selfreview.errors import ExitCode, SelfreviewError, ToolError
from selfreview.proc import Runner
from selfreview.pullrequest.ports import Outcome
from selfreview.pullrequest.watching.ports import FAILED, Done

_MAX_NOTES = 20
_MAX_TEXT = 500


class FixProcess:
    """Runs ``selfreview pr fix``.

    Args:
        runner: Runs it, and can kill it.
        folder: Says where, and may make that ready; raises what a person can mend.
        options: What the command is given besides.
        timeout_s: Says how many seconds it may take.
    """

    def __init__(
        self, runner: Runner, folder: Callable[[], Path], options: Sequence[str], timeout_s: Callable[[], float]
    ) -> None:
        self._runner = runner
        self._folder = folder
        self._options = tuple(options)
        self._timeout_s = timeout_s
        self._asking: dict[int, Callable[[], None]] = {}
        self._unwanted: set[int] = set()
        self._lock = threading.Lock()

    def stop(self, number: int) -> bool:
        """Ask the process for a pull request, whose answer nobody wants any more, to end; return whether one runs."""
        with self._lock:
            ask = self._asking.get(number)
            if ask is None or number in self._unwanted:
                return False
            self._unwanted.add(number)
            ask()
        return True

    def __call__(self, number: int) -> Done:
        """Run the process for a pull request, and return the outcome."""
        # -P: no module of the repository's is taken for one of this program's.
        begun = functools.partial(self._asking.__setitem__, number)
        program = [sys.executable, "-P", "-m", "selfreview", "pr", "fix", str(number)]
        try:
            ran = self._runner.run_tied(
                [*program, "--format", "json", "--tied", *self._options],
                cwd=self._folder(),
                timeout=self._timeout_s(),
                begun=begun,
            )
        except SelfreviewError as error:
            code = ExitCode.INCOMPLETE if isinstance(error, ToolError) else error.exit_code
            return Done(FAILED, int(code), (error.message,))
        finally:
            with self._lock:
                self._asking.pop(number, None)
                unwanted = number in self._unwanted
                self._unwanted.discard(number)
        if unwanted and ran.returncode != ExitCode.PASSED:
            return Done(Outcome.ENDED.value, int(ExitCode.PASSED), ("it was closed or merged meanwhile",))
        return done_of(ran.returncode, ran.stdout, ran.stderr)


def done_of(code: int, out: bytes, err: bytes) -> Done:
    """Return the outcome of a fix cycle by its exit code and output."""
    notes = [line.strip()[:_MAX_TEXT] for line in err.decode("utf-8", "replace").splitlines() if line.strip()]
    said = _document(out)
    outcome = said.get("outcome")
    if code in (ExitCode.PASSED, ExitCode.ISSUES, ExitCode.INCOMPLETE) and isinstance(outcome, str):
        wait = said.get("wait")
        return Done(
            outcome,
            code,
            _texts(said, "why"),
            tuple(notes[:_MAX_NOTES]),
            not_shown=_texts(said, "notShown"),
            wait_s=float(wait) if isinstance(wait, (int, float)) else None,
            busy=said.get("busy") is True,
        )
    errors = [line.removeprefix("error: ") for line in notes if line.startswith("error: ")]
    how = f"it was ended by signal {-code}" if code < 0 else f"it ended with {code}"
    known = code in ExitCode._value2member_map_
    return Done(
        FAILED, code if known else ExitCode.INTERNAL_ERROR, tuple(errors[-1:]) or (how,), tuple(notes[:_MAX_NOTES])
    )


def _texts(said: dict[str, Any], name: str) -> tuple[str, ...]:
    found = said.get(name)
    return tuple(map(str, found)) if isinstance(found, list) else ()


def _document(out: bytes) -> dict[str, Any]:
    try:
        said = json.loads(out)
    except (ValueError, RecursionError):
        return {}
    return said if isinstance(said, dict) else {}
