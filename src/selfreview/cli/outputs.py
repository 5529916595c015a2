"""Where reports go: ``--format NAME[:FILE]``."""

from __future__ import annotations

import os
import secrets
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from selfreview.api import Registry, Reporter, ReviewContext
from selfreview.api.reporter import PatchReporter
from selfreview.cli.outputplace import check_place
from selfreview.errors import OutputError, UsageError
from selfreview.git.repo import Repo
from selfreview.model.result import Result


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
) -> None:
    """Write every report, those to standard output last: after an error with a file, that has nothing to take back.

    Args:
        outputs: Which, and where to.
        result: What to report.
        context: Where code comes from, or None.
        color: ``auto``, ``always`` or ``never``.
        repo: Where the patches of its refinements are kept, for the formats that show them, or None.

    Raises:
        OutputError: If a file cannot be written.
        UsageError: If a file may not be written.
    """
    for given, file in sorted(outputs, key=lambda output: output.file is None):
        reporter = _with_patches(given, repo) if repo is not None and result.iterations else given
        if file is None:
            stream = sys.stdout.buffer
            colored = use_color(color, sys.stdout.isatty())
            width = shutil.get_terminal_size((80, 24)).columns
            try:
                reporter.write(result, stream, context=context, color=colored, width=width)
                stream.flush()
            except BrokenPipeError:
                continue  # the reader has what it wanted; console.flush tidies up
        else:
            _write_file(reporter, file, result, context)


def _with_patches(reporter: Reporter, repo: Repo) -> Reporter:
    if not isinstance(reporter, PatchReporter):
        return reporter
    from selfreview.cli.patchtext import patches_of

    return reporter.with_patches(patches_of(repo))


def _write_file(reporter: Reporter, file: Path, result: Result, context: ReviewContext | None) -> None:
    """Write beside the target and move it into place: a report is whole or not there. Devices and pipes are opened.

    Folders that are missing are made; of a link to nothing none is.
    """
    check_place(file, os.environ)
    if file.exists() and not file.is_file():
        _write_directly(reporter, file, result, context)
        return
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError(f"{file} cannot be written: {error.strerror or error}") from error
    file = file.resolve()  # a link stays a link
    temporary = file.with_name(f".{file.name}.{secrets.token_hex(8)}.tmp")
    try:
        with temporary.open("xb") as stream:  # never what a change has put there
            reporter.write(result, stream, context=context, color=False, width=80)
        temporary.replace(file)
    except OSError as error:
        raise OutputError(f"{file} cannot be written: {error.strerror or error}") from error
    finally:
        temporary.unlink(missing_ok=True)  # gone already where it was moved


def _write_directly(reporter: Reporter, file: Path, result: Result, context: ReviewContext | None) -> None:
    try:
        with file.open("wb") as stream:
            reporter.write(result, stream, context=context, color=False, width=80)
    except OSError as error:
        raise OutputError(f"{file} cannot be written: {error.strerror or error}") from error


def use_color(setting: str, is_terminal: bool) -> bool:
    """Decide about colour: as configured; else on a terminal, unless ``NO_COLOR`` (no-color.org) or a dumb terminal."""
    if setting != "auto":
        return setting == "always"
    return is_terminal and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
