"""Shared parts of reviewers whose program takes a list of files and prints one report about them."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import NamedTuple

from selfreview.api import Category, ChangedFile, Review, ReviewContext, Severity
from selfreview.programs import batches
from selfreview.reviewers.tools.program import Tool
from selfreview.reviewers.tools.results import Placer, Reported, ToolReport


class Reading(NamedTuple):
    """Report of one run of the program.

    Attributes:
        report: Its results.
        foreign: Paths of files that the program cannot judge.
        hint: What a person should know besides, or None.
    """

    report: ToolReport
    foreign: Collection[str] = ()
    hint: str | None = None


def review_batched(
    tool: Tool,
    arguments: Sequence[str],
    files: Sequence[ChangedFile],
    context: ReviewContext,
    *,
    read: Callable[[subprocess.CompletedProcess[bytes]], Reading],
    grade: Callable[[Reported], tuple[Severity, Category]],
    unparsed: str,
    ok: Iterable[int] = (0,),
) -> Review:
    """Run a program over files, as many at a time as a command line takes.

    Args:
        tool: The program.
        arguments: What stands before the paths.
        files: The files.
        context: The change.
        read: Makes sense of one run.
        grade: Gives a result's severity and category.
        unparsed: Rule by which the program says that it could not parse a file, and so looked no further.
        ok: Exit statuses that mean success.

    Raises:
        ToolError: If it fails, does not end in time, or cannot be understood.
    """
    if tool.find() is None:
        return tool.missing()
    review = Review()
    placer = Placer(context, context.workspace(tool.settings), files, grade)
    for batch in batches((file.path for file in files), used=arguments):
        reading = read(tool.run(context, [*arguments, *batch], ok=tuple(ok)))
        review.hint = reading.hint or review.hint
        findings = placer.findings(reading.report)
        review.findings += findings
        review.text_only |= {
            found.file: f"its syntax is not understood at line {found.line_start}"
            for found in findings
            if found.rule == unparsed
        }
        review.not_applicable += filter(None, map(placer.path, reading.foreign))
    return review
