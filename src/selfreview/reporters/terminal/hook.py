"""Output of a hook: one line when git goes on, the whole report when it does not."""

from __future__ import annotations

from collections.abc import Iterator
from typing import BinaryIO

from selfreview.api import Reporter, Result, ReviewContext
from selfreview.model.result import ResultStatus
from selfreview.reporters import words
from selfreview.review.summary import not_run
from selfreview.text.layout import plural

NO_MODEL = "no model, so logic was not read"


class HookReporter:
    """The ``terminal`` format for hooks: each commit and each push prints it, so a pass has to be short.

    Args:
        whole: Writes the report of a review that did not pass.
    """

    name = "terminal"

    def __init__(self, whole: Reporter) -> None:
        self._whole = whole

    def write(self, result: Result, out: BinaryIO, *, context: ReviewContext | None, color: bool, width: int) -> None:
        """Write the line or the report; see :class:`selfreview.api.Reporter`."""
        if result.passed or result.status is ResultStatus.NOTHING_TO_REVIEW:
            out.write("".join(f"{line}\n" for line in _lines(result)).encode("utf-8"))
        else:
            self._whole.write(result, out, context=context, color=color, width=width)


def _lines(result: Result) -> Iterator[str]:
    if result.status is ResultStatus.NOTHING_TO_REVIEW:
        yield f"selfreview: {words.nothing(result)}"
    else:
        yield f"selfreview: {', '.join(_parts(result))}"
    yield from (f"selfreview: note: {note}" for note in words.notes(result))


def _parts(result: Result) -> Iterator[str]:
    coverage = result.coverage
    yield "passed"
    yield plural(coverage.reviewed_files, "file")
    if coverage.excluded:
        yield f"{len(coverage.excluded)} excluded"
    if coverage.text_only:
        yield f"{len(coverage.text_only)} by a text scan only"
    if result.open_issues:
        yield f"{words.count_open(result)} (selfreview status)"
    others = words.count_others(result)
    if others:
        yield others
    if unrun := not_run(result):
        yield unrun
    if words.no_model(result):
        yield NO_MODEL
