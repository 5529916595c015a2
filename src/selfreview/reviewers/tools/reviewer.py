"""Reviewer for a tool that a record describes: its command line, its files, and how its output is read and graded."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from selfreview.api import ChangedFile, Depth, FileStatus, Finding, Review, ReviewContext
from selfreview.reviewers.tools.program import Tool
from selfreview.syntax.languages import may_be_script

if TYPE_CHECKING:
    from selfreview.reviewers.tools.results import Grade, Placer, ToolReport


class Reading(NamedTuple):
    """Output of one run of a tool.

    Attributes:
        report: Its results.
        foreign: Paths of files that the tool cannot judge.
        hint: What a person should know besides, or None.
        refusal: Why it looked at nothing: one of the files is none that it reads. None where it did.
    """

    report: ToolReport
    foreign: Collection[str] = ()
    hint: str | None = None
    refusal: str | None = None


class ToolOutput(NamedTuple):
    """Parser and severity table of a tool.

    Attributes:
        read: Reads a run's output; raises :class:`~selfreview.errors.ToolError` where it cannot be understood.
        grade: Returns the severity and category of a result.
        unparsed: Rule by which the tool says that it could not parse a file, and so looked no further.
        refused: Returns the finding for a file that the tool refuses, and why it does; None where the file is just
            none of its own.
    """

    read: Callable[[Tool, subprocess.CompletedProcess[bytes]], Reading]
    grade: Grade
    unparsed: str | None = None
    refused: Callable[[ChangedFile, str], Finding | None] | None = None


class ToolRecord(NamedTuple):
    """One tool.

    Attributes:
        name: Name of the reviewer and of the executable.
        package: What to install it by with pip.
        arguments: What stands before the paths on its command line.
        names: Regular expression for the whole paths of the files that it takes.
        output: Its parser and severity table.
        settings: Names of its configuration files, looked for in every folder above a changed file.
        ok: Exit statuses that mean success.
        applies: Whether a selected file is for the tool, by its content; None where the name decides.
        scripts: Whether it takes files, too, whose language their first line decides.
        takes_any_name: Whether it takes names that are not UTF-8.
    """

    name: str
    package: str
    arguments: tuple[str, ...]
    names: str
    output: ToolOutput
    settings: tuple[str, ...] = ()
    ok: tuple[int, ...] = (0,)
    applies: Callable[[ChangedFile, ReviewContext], bool] | None = None
    scripts: bool = False
    takes_any_name: bool = True


class ToolReviewer:
    """Runs a tool over the files of a change, as many at a time as a command line takes.

    Args:
        record: The tool.
        program: The executable; by default found beside our interpreter or on PATH.
    """

    depth = Depth.STATIC
    default = True

    def __init__(self, record: ToolRecord, program: Path | None = None) -> None:
        self.name = record.name
        self._record = record
        self._tool = Tool(record.name, record.package, settings=record.settings, program=program)

    def selects(self, file: ChangedFile) -> bool:
        """Take the tool's files that exist on the new side."""
        named = re.fullmatch(self._record.names, file.path) is not None
        known = named and file.status is not FileStatus.DELETED and not file.is_symlink
        return known or (self._record.scripts and may_be_script(file))

    def unavailable(self) -> tuple[str, str] | None:
        """Return why the tool is not available, with how to install it; None where it is installed."""
        return self._tool.unavailable()

    def cache_key(self, context: ReviewContext) -> bytes | None:
        """Cover the executable and the repository's configuration of it."""
        return self._tool.cache_key(filter(self.selects, context.change.reviewable), context)

    def review(self, files: Sequence[ChangedFile], context: ReviewContext) -> Review:
        """Run the tool over the files.

        Raises:
            ToolError: If it fails, does not end in time, or cannot be understood.
        """
        applies = self._record.applies
        chosen = [file for file in files if applies is None or applies(file, context)]
        review = self._review(chosen, context) if chosen else Review()
        review.not_applicable += [file.path for file in files if file not in chosen]
        return review

    def _review(self, files: Sequence[ChangedFile], context: ReviewContext) -> Review:
        if self._tool.find() is None:
            return self._tool.missing()
        from selfreview.model.wire import base64_path
        from selfreview.programs import as_argument, batches
        from selfreview.reviewers.tools.results import Placer

        review, output = Review(), self._record.output
        placer = Placer(context, context.workspace(self._record.settings), files, output.grade)
        given = {}
        for file in files:
            if self._record.takes_any_name or base64_path(file.path) is None:
                given[as_argument(file.path)] = file
            else:
                review.unreviewed[file.path] = f"{self.name} takes no name that is not UTF-8"
        for batch in batches(given, used=self._record.arguments):
            whole = self._run(batch, output, context)
            # A file that it refuses keeps it from the others: then each is looked at by itself.
            runs = (
                [(batch, whole)] if whole.refusal is None else [([a], self._run([a], output, context)) for a in batch]
            )
            for arguments, reading in runs:
                if reading.refusal is None:
                    _add(review, reading, placer, output)
                elif output.refused and (refused := output.refused(given[arguments[0]], reading.refusal)) is not None:
                    review.findings.append(refused)
                else:
                    review.not_applicable.append(given[arguments[0]].path)
        return review

    def _run(self, arguments: Sequence[str], output: ToolOutput, context: ReviewContext) -> Reading:
        done = self._tool.run(context, [*self._record.arguments, *arguments], ok=self._record.ok)
        return output.read(self._tool, done)


def _add(review: Review, reading: Reading, placer: Placer, output: ToolOutput) -> None:
    """Add what a run found to a review."""
    review.hint = reading.hint or review.hint
    findings = placer.findings(reading.report)
    review.findings += findings
    for found in findings:
        if output.unparsed is not None and found.rule == output.unparsed:
            review.text_only[found.file] = f"its syntax is not understood at line {found.line_start}"
    review.not_applicable += filter(None, map(placer.path, reading.foreign))
