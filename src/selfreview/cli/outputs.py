"""Report outputs: parsing of ``--format NAME[:FILE]``, and writing of the reports."""

from __future__ import annotations

import io
import os
import secrets
import shutil
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from selfreview.api import Registry, Reporter, ReviewContext
from selfreview.api.reporter import PatchReporter
from selfreview.cli import console
from selfreview.cli.outputplace import check_place
from selfreview.errors import OutputError, SelfreviewError, UsageError
from selfreview.git.repo import Repo
from selfreview.model.result import Result, ResultStatus


class Output(NamedTuple):
    """One report: its format, and a file or None for standard output."""

    reporter: Reporter
    file: Path | None


def parse_outputs(formats: Sequence[str], registry: Registry[Reporter]) -> list[Output]:
    """Parse the values of ``--format``.

    Raises:
        UsageError: If there is no such format, if two of them want standard output, or if a file may not be written.
    """
    outputs = []
    for text in formats or ("terminal",):
        name, colon, file = text.partition(":")
        reporter = registry.get(name)
        if reporter is None:
            raise UsageError(f"there is no format {name!r}", hint=f"there are: {', '.join(registry.names())}")
        if colon and not file:
            raise UsageError(f"--format {text} names no file", hint=f"--format {name}:FILE, or --format {name}")
        if file:
            check_place(Path(file), os.environ)
        if file and Path(file).is_dir():
            raise UsageError(f"--format {text} names a folder, not a file")
        outputs.append(Output(reporter, Path(file) if file else None))
    files = [output.file.resolve() for output in outputs if output.file is not None]
    if len(set(files)) < len(files):
        raise UsageError("two formats cannot share one file")
    if sum(1 for output in outputs if output.file is None) > 1:
        raise UsageError("two formats cannot share standard output", hint="send one to a file: --format json:FILE")
    return outputs


def write_outputs(
    outputs: Sequence[Output],
    result: Result,
    context: ReviewContext | None,
    color: str,
    repo: Repo | None = None,
    *,
    blamed: Callable[[BaseException], SelfreviewError | None] = lambda _: None,
) -> int | None:
    """Write every report, those to standard output last: after an error with a file, that has nothing to take back.

    Args:
        outputs: Which, and where to.
        result: What to report.
        context: Where code comes from, or None.
        color: ``auto``, ``always`` or ``never``.
        repo: Where the patches of its refinements are kept, for the formats that show them, or None.
        blamed: Returns what an exception is to a person, where it is a plugin's. That report is not written, which is
            said; the others are.

    Returns:
        The exit code where a report is missing, or None.

    Raises:
        OutputError: If a file cannot be written.
        UsageError: If a file may not be written.
    """
    missing: int | None = None
    for given, file in sorted(outputs, key=lambda output: output.file is None):
        try:
            reporter = _with_patches(given, repo) if repo is not None and result.iterations else given
            data = _rendered(reporter, result, context, color, file)
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            found = blamed(error)
            if found is None:
                raise
            missing = OutputError.exit_code
            console.note(f"error: the report {given.name} is not written: {found.message}")
            console.note(f"hint: {found.hint}")
            if file is not None:
                remove_report(file)
            continue
        if file is not None:
            _write_file(reporter, file, result, data)
            continue
        try:
            sys.stdout.buffer.write(data)
            sys.stdout.buffer.flush()
        except BrokenPipeError:
            continue  # the reader has what it wanted; console.flush tidies up
    return missing


class _Memory(io.BytesIO):
    """A stream that stays readable after a text wrapper around it is closed."""

    def close(self) -> None:
        """Stay open."""


def _rendered(
    reporter: Reporter, result: Result, context: ReviewContext | None, color: str, file: Path | None
) -> bytes:
    """Return a whole report in memory: one that fails halfway is printed nowhere."""
    memory = _Memory()
    if file is not None:
        reporter.write(result, memory, context=context, color=False, width=80)
    else:
        colored = use_color(color, sys.stdout.isatty())
        reporter.write(result, memory, context=context, color=colored, width=shutil.get_terminal_size((80, 24)).columns)
    return memory.getvalue()


def _with_patches(reporter: Reporter, repo: Repo) -> Reporter:
    if not isinstance(reporter, PatchReporter):
        return reporter
    from selfreview.cli.patchtext import patches_of

    return reporter.with_patches(patches_of(repo))


def _write_file(reporter: Reporter, file: Path, result: Result, data: bytes) -> None:
    """Write beside the target and move it into place: a report is whole or not there. Devices and pipes are opened.

    Folders that are missing are made; of a link to nothing none is.
    """
    check_place(file, os.environ)
    if file.exists() and not file.is_file():
        _write_directly(file, data)
        return
    if reporter.name == "sarif" and result.status in (ResultStatus.ERROR, ResultStatus.INCOMPLETE):
        remove_report(file)  # GitHub heeds no executionSuccessful
        console.note(
            f"note: {file} is not written: the review is not whole, and code scanning would close what it leaves out"
        )
        return
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError(f"{file} cannot be written: {error.strerror or error}") from error
    file = file.resolve()  # a link stays a link
    temporary = file.with_name(f".{file.name}.{secrets.token_hex(8)}.tmp")
    try:
        with temporary.open("xb") as stream:  # never what a change has put there
            stream.write(data)
        temporary.replace(file)
    except OSError as error:
        raise OutputError(f"{file} cannot be written: {error.strerror or error}") from error
    finally:
        temporary.unlink(missing_ok=True)  # gone already where it was moved


def remove_report(file: Path) -> None:
    """Remove the report of an earlier run; devices, pipes, folders and targets of links are not reports."""
    try:
        check_place(file, os.environ)
        if file.is_file():
            file.resolve().unlink()
            console.note(f"note: {file} was removed: it was of an earlier run")
    except UsageError as error:
        console.warn(error.message)
    except OSError as error:
        console.warn(f"{file} is of an earlier run and cannot be removed: {error.strerror or error}")


def _write_directly(file: Path, data: bytes) -> None:
    try:
        with file.open("wb") as stream:
            stream.write(data)
    except OSError as error:
        raise OutputError(f"{file} cannot be written: {error.strerror or error}") from error


def use_color(setting: str, is_terminal: bool) -> bool:
    """Decide about colour: as configured; else by ``NO_COLOR`` or ``FORCE_COLOR``; else on a terminal that is not dumb.

    Source: https://no-color.org, https://force-color.org; where both are set, colour is not wanted.
    """
    if setting != "auto":
        return setting == "always"
    if os.environ.get("NO_COLOR"):
        return False
    return bool(os.environ.get("FORCE_COLOR")) or (is_terminal and os.environ.get("TERM") != "dumb")
