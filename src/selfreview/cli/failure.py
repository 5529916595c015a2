"""Reporting of an error that ends a command: on standard error, and as a result in every requested report.

A report file that an earlier run left must not stand for this one: it is replaced by the error, or removed.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from selfreview.cli import console
from selfreview.cli.commands import COMMANDS, load, writes_reports
from selfreview.errors import ExitCode, SelfreviewError, StoreError

if TYPE_CHECKING:
    from selfreview.api import Reporter
    from selfreview.model.result import Result

_FOR_PEOPLE = ("terminal", "concise")
"""Formats that print nothing for an error on standard output, unlike documents: it is on standard error already."""


def named_formats(arguments: Sequence[str]) -> tuple[str, ...]:
    """Return the values of ``--format``, as far as one can tell without parsing the command line.

    Files count for the commands that write reports only: no other one writes any.
    """
    found: list[str] = []
    rest = iter(arguments)
    for word in rest:
        if word == "--":
            break
        if word in ("--format", "-f"):
            found.append(next(rest, ""))
        elif word.startswith("--format="):
            found.append(word.removeprefix("--format="))
        elif word.startswith("-f"):
            found.append(word.removeprefix("-f"))
    return tuple(text for text in found if writes_reports(arguments) or ":" not in text)


def keep(error: BaseException, arguments: Sequence[str], message: str, hint: str | None, code: int) -> None:
    """Keep an error as an event of the repository, where nothing did that yet; whatever fails at it is nothing.

    Args:
        error: The error.
        arguments: The command line.
        message, hint, code: As in :func:`fail`.
    """
    from selfreview.app.crash import keep_error, was_told

    code = code or ExitCode.USAGE
    if was_told(error) or isinstance(error, StoreError):
        return
    from selfreview.git.repo import discover

    with contextlib.suppress(SelfreviewError, OSError):
        keep_error(discover(Path.cwd(), os.environ), _stage(arguments), lambda: (message, hint, int(code)))


def _stage(arguments: Sequence[str]) -> str:
    """Return the command of a command line, as far as it names one."""
    name, below = (*arguments, "", "")[:2]
    if name not in COMMANDS:
        return ""
    import click

    from selfreview.cli import plugin_commands

    found = plugin_commands.built_in(name) if name in plugin_commands.BUILT_IN else load(name)
    is_below = isinstance(found, click.Group) and below in found.list_commands(click.Context(found))
    return f"{name} {below}" if is_below else name


def fail(message: str, hint: str | None, code: int, *, formats: Sequence[str]) -> int:
    """Report an error for a person, without secrets, and return the exit code.

    Args:
        message: What is wrong, in one line.
        hint: What to do about it, or None.
        code: The exit code; no error has that of a success, whatever a plugin's says.
        formats: The values of ``--format``.
    """
    from selfreview.secrets.scanner import mask_secrets

    code = code or ExitCode.USAGE
    message, hint = mask_secrets(message), hint and mask_secrets(hint)  # they quote settings, tools and files
    console.note(f"error: {message}")
    if hint:
        console.note(f"hint: {hint}")
    if formats:
        _report(message, hint, int(code), formats)
    return int(code)


def _report(message: str, hint: str | None, code: int, formats: Sequence[str]) -> None:
    from selfreview.model.result import ErrorInfo, Result, ResultStatus
    from selfreview.model.wire import utc_now

    result = Result(
        status=ResultStatus.ERROR,
        error=ErrorInfo(message=message, hint=hint, exit_code=code),
        summary=message,
        timestamp=utc_now(),
    )
    for text in dict.fromkeys(formats):
        name, _, file = text.partition(":")
        if file or name not in _FOR_PEOPLE:
            _write(name, Path(file) if file else None, result)


def _write(name: str, file: Path | None, result: Result) -> None:
    from selfreview.app.outputs import Output, ReportWriter
    from selfreview.cli.terminal import Terminal

    try:
        here = Path.cwd()
    except FileNotFoundError:  # removed, which may be the error
        here = Path()
    try:
        reporter = _built_in(name)
        if reporter is not None:
            ReportWriter(ui=Terminal()).write([Output(reporter, file, here)], result)
            return
    except Exception:  # noqa: BLE001, S110 - the error has been said; what is left is that no old report stays
        pass
    if file is not None:
        from selfreview.app.outputs import remove_report

        remove_report(file, here, Terminal())


def _built_in(name: str) -> Reporter | None:
    """Return one of selfreview's own reporters; a plugin's may be what failed."""
    from selfreview.reporters import formats

    found = vars(formats).get(name)
    return found if isinstance(found, formats.Format) else None
