"""Report outputs: ``--format NAME[:FILE]``, and the reports' way to a file or to standard output."""

from __future__ import annotations

import contextlib
import dataclasses
import io
import os
import secrets
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from selfreview.api import Registry, Reporter, Result, ReviewContext
from selfreview.api.reporter import PatchReporter
from selfreview.app.ui import Ui
from selfreview.errors import OutputError, SelfreviewError, UsageError
from selfreview.git.repo import Repo
from selfreview.model.result import ResultStatus


class Output(NamedTuple):
    """One report: its format, and a file or None for standard output.

    Attributes:
        folder: What the file's path is relative to.
    """

    reporter: Reporter
    file: Path | None = None
    folder: Path = Path()


def parse_outputs(formats: Sequence[str], registry: Registry[Reporter], folder: Path) -> list[Output]:
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
            check_place(Path(file), folder, os.environ)
        if file and (folder / file).is_dir():
            raise UsageError(f"--format {text} names a folder, not a file")
        outputs.append(Output(reporter, Path(file) if file else None, folder))
    files = [(folder / output.file).resolve() for output in outputs if output.file is not None]
    if len(set(files)) < len(files):
        raise UsageError("two formats cannot share one file")
    if sum(1 for output in outputs if output.file is None) > 1:
        raise UsageError("two formats cannot share standard output", hint="send one to a file: --format json:FILE")
    return outputs


@dataclasses.dataclass(frozen=True, kw_only=True)
class ReportWriter:
    """Writes reports.

    Attributes:
        ui: The front end, which has standard output.
        color: ``auto``, ``always`` or ``never``.
        context: Where code comes from, or None.
        repo: Where the patches of refinements are kept, for the formats that show them, or None.
        blamed: Returns what an exception is to a person, where it is a plugin's. That report is not written, which is
            said; the others are.
    """

    ui: Ui
    color: str = "never"
    context: ReviewContext | None = None
    repo: Repo | None = None
    blamed: Callable[[BaseException], SelfreviewError | None] = lambda _: None

    def write(self, outputs: Sequence[Output], result: Result) -> list[str]:
        """Write every report, those to standard output last: after an error with a file, that has nothing to take back.

        Returns:
            The formats of the reports that are missing.

        Raises:
            OutputError: If a file cannot be written.
            UsageError: If a file may not be written.
        """
        missing = []
        for output in sorted(outputs, key=lambda output: output.file is None):
            try:
                reporter = self._with_patches(output.reporter, result)
                data = self._rendered(reporter, result, to_file=output.file is not None)
            except KeyboardInterrupt:
                raise
            except BaseException as error:
                found = self.blamed(error)
                if found is None:
                    raise
                missing.append(output.reporter.name)
                self.ui.note(f"error: the report {output.reporter.name} is not written: {found.message}")
                self.ui.note(f"hint: {found.hint}")
                if output.file is not None:
                    remove_report(output.file, output.folder, self.ui)
                continue
            if output.file is None:
                self.ui.write(data)
            else:
                self._write_file(output, output.file, result, data)
        return missing

    def _with_patches(self, reporter: Reporter, result: Result) -> Reporter:
        if self.repo is None or not result.iterations or not isinstance(reporter, PatchReporter):
            return reporter
        from selfreview.app.patch_text import patches_of

        return reporter.with_patches(patches_of(self.repo))

    def _rendered(self, reporter: Reporter, result: Result, *, to_file: bool) -> bytes:
        """Return a whole report in memory: one that fails halfway is printed nowhere."""
        memory = _Memory()
        color = not to_file and self.ui.uses_color(self.color)
        reporter.write(result, memory, context=self.context, color=color, width=80 if to_file else self.ui.columns)
        return memory.getvalue()

    def _write_file(self, output: Output, file: Path, result: Result, data: bytes) -> None:
        """Write beside the target and move it into place: a report is whole or not there. Devices and pipes are opened.

        Folders that are missing are made; of a link to nothing none is.
        """
        check_place(file, output.folder, os.environ)
        place = output.folder / file
        if place.exists() and not place.is_file():
            with _written(file), place.open("wb") as stream:
                stream.write(data)
            return
        if output.reporter.name == "sarif" and result.status in (ResultStatus.ERROR, ResultStatus.INCOMPLETE):
            remove_report(file, output.folder, self.ui)  # GitHub heeds no executionSuccessful
            self.ui.note(
                f"note: {file} is not written: the review is incomplete, and code scanning would close the "
                "issues that it lacks"
            )
            return
        with _written(file):
            place.parent.mkdir(parents=True, exist_ok=True)
        place = place.resolve()  # a link stays a link
        temporary = place.with_name(f".{place.name}.{secrets.token_hex(8)}.tmp")
        try:
            with _written(place):
                with temporary.open("xb") as stream:  # never what a change has put there
                    stream.write(data)
                temporary.replace(place)
        finally:
            temporary.unlink(missing_ok=True)  # gone already where it was moved


class _Memory(io.BytesIO):
    """A stream that stays readable after a text wrapper around it is closed."""

    def close(self) -> None:
        """Stay open."""


@contextlib.contextmanager
def _written(file: Path) -> Iterator[None]:
    """Turn an error of the system into one for a person."""
    try:
        yield
    except OSError as error:
        raise OutputError(f"{file} cannot be written: {error.strerror or error}") from error


def remove_report(file: Path, folder: Path, ui: Ui) -> None:
    """Remove the report of an earlier run; devices, pipes, folders and targets of links are not reports."""
    try:
        check_place(file, folder, os.environ)
        if (folder / file).is_file():
            (folder / file).resolve().unlink()
            ui.note(f"note: {file} was removed: it was of an earlier run")
    except UsageError as error:
        ui.warn(error.message)
    except OSError as error:
        ui.warn(f"{file} is of an earlier run and cannot be removed: {error.strerror or error}")


def check_place(file: Path, folder: Path, environ: Mapping[str, str]) -> None:
    """Refuse a file whose path goes through a symbolic link below a repository's working tree.

    Such a link can be a part of the change, and would have the report overwrite any file it likes. Links elsewhere are
    a person's own.

    Args:
        file: Where a report is to go, relative to the folder or absolute.
        folder: An absolute path.
        environ: Names the working tree where git's own variables do.

    Raises:
        UsageError: If there is such a link.
    """
    place = folder
    for part in file.parts:  # ".." is followed as the system does: from where a link leads to
        name = place / part
        is_link = os.path.islink(name)  # noqa: PTH114 - Path.is_symlink raises for a name that cannot be
        if is_link and part not in ("..", file.anchor) and _in_working_tree(place, folder, environ):
            raise UsageError(
                f"{file} is not written: {part} is a symbolic link of the working tree",
                hint="name a file outside of the repository, or remove the link",
            )
        place = Path(os.path.realpath(name))  # unlike Path.resolve, of a loop too


def _in_working_tree(place: Path, folder: Path, environ: Mapping[str, str]) -> bool:
    above = (place, *place.parents)
    if any(os.path.lexists(parent / ".git") for parent in above):
        return True
    named = environ.get("GIT_WORK_TREE") or ("." if environ.get("GIT_DIR") else None)
    return named is not None and (folder / named).resolve() in above
