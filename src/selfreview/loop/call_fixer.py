"""Call a fixer: what it raises, or returns instead of an answer, becomes its report."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping

from selfreview.api import ConfigView, Fix, FixAnswer, Fixer, FixRequest, Issue
from selfreview.errors import SelfreviewError
from selfreview.loop.context import FixerContext

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
        seconds = getattr(fixer, "timeout", None)
        limit = float(seconds(config)) if seconds is not None else float(config["fixer_timeout"])
        made = context(min(deadline, time.monotonic() + limit))
        return _checked(fixer.fix(request, made))
    except SelfreviewError as error:
        return Fix(error=error.message, hint=error.hint)
    except KeyboardInterrupt:
        if made is not None:
            made.stop()
        raise
    except Exception as error:  # noqa: BLE001 - one fixer's crash must not lose what the others did; it is reported
        where = crash_report(f"fixer {fixer.name}", error)
        return Fix(error=f"it crashed: {type(error).__name__}: {error}", hint=f"see {where}" if where else None)


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
