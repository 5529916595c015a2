"""The end of the terminal report: unfinished reviewers, coverage and the summary line; and the one line of a hook."""

from __future__ import annotations

from collections.abc import Iterator
from typing import BinaryIO

from selfreview.api import Reporter, Result, ReviewContext, ReviewerStatus, Verdict
from selfreview.model.result import NotPassed, ResultStatus
from selfreview.reporters import refined, words
from selfreview.reporters.terminal.code import Paint
from selfreview.review.summary import NO_MODEL, not_run
from selfreview.review.verdict import Threshold
from selfreview.text.escape import visible
from selfreview.text.layout import cells, fold, pack, plural, wrap

LABEL = 10
"""Columns of the labels."""


def labelled(label: str, text: str, paint: Paint, width: int) -> Iterator[str]:
    """Yield text beside a label, wrapped."""
    first, *rest = wrap(text, max(20, width - LABEL))
    yield paint(label, "dim") + " " * (LABEL - len(label)) + first
    yield from (" " * LABEL + line for line in rest)


def incomplete(result: Result, paint: Paint, width: int) -> Iterator[str]:
    """Yield what was not reviewed, in a form that is hard to overlook."""
    yield paint(f"{' INCOMPLETE: this change has not passed ':!^{width}}", "bold", "red")
    reports = words.missing(result)
    for report in reports:
        name = visible(report.name)
        first, *rest = wrap(words.without(report), width - 2)
        yield paint(name, "bold", "red") + first.removeprefix(name)
        yield from (f"  {line}" for line in rest)
        if report.hint:
            yield from (f"  {line}" for line in wrap(f"hint: {fold(report.hint)}", width - 2))
    for gap in words.gaps(result):
        first, *rest = wrap(gap, width - 2)
        yield first
        yield from (f"  {line}" for line in rest)
    names = " and ".join(visible(report.name) for report in reports)
    text = f"What {names} would have found is not known." if names else ""
    coverage = result.coverage
    unseen = coverage.files - len(coverage.excluded) - coverage.reviewed_files
    if unseen > 0:
        text += f" {unseen} of {plural(coverage.files, 'file')} had no review at all."
    if not (reports or words.gaps(result)):
        text = f"{fold(result.summary)}{text}"
    if text:
        yield from wrap(text.strip(), width)
    yield ""


def _cost(result: Result) -> Iterator[str]:
    usage = result.usage
    if usage.requests:
        sent = usage.input_tokens + usage.cache_read_tokens + usage.cache_write_tokens
        text = f"{plural(usage.requests, 'request')}, {sent} tokens in, {usage.output_tokens} out"
        yield f"{text}{words.dollars(usage)}"


def _facts(result: Result) -> Iterator[tuple[str, str]]:
    """Yield pairs of a label and a text."""
    if result.status in (ResultStatus.COMPLETE, ResultStatus.INCOMPLETE):
        if result.scope is not None:
            yield "change", words.compared(result.scope)
        for line in words.coverage(result):
            yield "reviewed", line
        for line in _cost(result):
            yield "model", line
    if result.coverage.excluded:
        yield "excluded", words.excluded(result)
    for name, why in words.skipped(result):
        yield "skipped", f"{name}: {why}"
    for note in words.notes(result):
        yield "note", note
    for label, text in (
        ("refined", refined.stopped(result)),
        ("patch", refined.patch(result)),
        ("held", refined.held(result)),
    ):
        if text:
            yield label, text


def footer(result: Result, paint: Paint, width: int) -> Iterator[str]:
    """Yield coverage, excluded files, skipped reviewers, notes and the sentence on models."""
    previous = ""
    for label, text in _facts(result):
        file = refined.file_of(result) if label == "patch" else ""
        yield from labelled("" if label == previous else label, text.removesuffix(file), paint, width)
        if file:  # whole, to be copied
            yield " " * LABEL + file
        previous = label
    if words.no_model(result):
        yield from wrap(NO_MODEL, width)


def _outcome(result: Result) -> str:
    verdict = result.verdict.value if result.verdict else "no verdict"
    if result.status is ResultStatus.INCOMPLETE:
        return f"incomplete, {verdict}" if result.verdict else "incomplete"
    if result.passed != (result.verdict is Verdict.PASS):
        return f"{verdict}, {'passed' if result.passed else 'not passed'} ({_why(result)})"
    return verdict


def _why(result: Result) -> str:
    """Return what it is that lets a result pass, or not pass, against its verdict."""
    limit = result.severity_threshold
    level = f"threshold {limit}" if isinstance(limit, str) else "thresholds per category"
    if result.passed or any(map(Threshold(limit).blocks, result.issues)):
        return level
    kinds = dict.fromkeys(result.not_passed_by or ())
    named = [kind.value for kind in kinds if kind is not NotPassed.PLUGIN]
    return ", ".join(named) or "a plugin"


def _time(result: Result) -> str:
    finished = [report.cached for report in result.reviewers if report.status is ReviewerStatus.OK]
    cached = bool(finished) and all(finished)
    return f"{result.duration_ms / 1000:.1f}s" + (", cached" if cached else "")


def closing(result: Result, paint: Paint, width: int) -> Iterator[str]:
    """Yield the summary line; on a narrow terminal it takes several."""
    color = "green" if result.passed else "red"
    partial = "partial · " if result.scope is not None and result.scope.partial else ""
    end = f"{partial}{_outcome(result)} · {_time(result)}"
    parts = [part for part in (words.count_open(result), words.count_others(result), not_run(result), end) if part]
    whole = f" {' · '.join(parts)} "
    if cells(whole) + 2 <= width:
        yield paint(whole.center(width, "="), "bold", color)
        return
    for line in pack(parts, " · ", width - 6):
        yield paint(f"==== {line} ".ljust(width, "="), "bold", color)


_NO_MODEL_BRIEF = "no model, so logic was not read"


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
        yield _NO_MODEL_BRIEF
