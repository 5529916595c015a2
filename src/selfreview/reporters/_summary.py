"""The end of the terminal report: what did not finish, what was covered, and the line that says it all."""

from __future__ import annotations

from collections.abc import Iterator

from selfreview.api import Result, ReviewerStatus, Verdict
from selfreview.model.result import ResultStatus
from selfreview.reporters import _words as words
from selfreview.reporters._escape import visible
from selfreview.reporters._paint import Paint
from selfreview.reporters._text import cells, fold, listing, plural, wrap

LABEL = 10


def labelled(label: str, text: str, paint: Paint, width: int) -> Iterator[str]:
    """Yield text beside a label, wrapped."""
    lines = wrap(text, max(20, width - LABEL))
    yield paint(f"{label:<{LABEL}}", "dim") + lines[0]
    for line in lines[1:]:
        yield " " * LABEL + line


def incomplete(result: Result, paint: Paint, width: int) -> Iterator[str]:
    """Yield what was not reviewed, in a form that nobody overlooks."""
    title = " INCOMPLETE: this change has not passed "
    yield paint(f"{title:!^{width}}", "bold", "red")
    reports = words.missing(result)
    for report in reports:
        name = paint(visible(report.name), "bold")
        lines = wrap(words.ending(report), max(20, width - cells(visible(report.name)) - 1))
        yield f"{name} {lines[0]}"
        yield from (f"  {line}" for line in lines[1:])
        if report.hint:
            yield from (f"  {line}" for line in wrap(f"hint: {fold(report.hint)}", width - 2))
    names = ", ".join(visible(report.name) for report in reports)
    coverage = result.coverage
    unseen = coverage.files - len(coverage.excluded) - coverage.reviewed_files
    text = f"What {names} would have found is not known." if names else fold(result.summary)
    if unseen > 0:
        text += f" {plural(unseen, 'file')} of {coverage.files} had no review at all."
    yield from wrap(text, width)
    yield ""


def _coverage(result: Result) -> Iterator[str]:
    coverage = result.coverage
    total = coverage.added_lines
    text = f"{coverage.reviewed_files} of {plural(coverage.files, 'file')}, {plural(total, 'added line')}"
    if coverage.reviewed_files == coverage.files:
        text = f"{plural(coverage.files, 'file')}, {plural(total, 'added line')}"
    depth = coverage.depth
    parts = [
        f"{number} by {how}"
        for number, how in ((depth.model, "a model"), (depth.static, "static analysis"), (depth.text, "text scan"))
        if number
    ]
    yield text + (f": {', '.join(parts)}" if parts else "")
    if coverage.text_only:
        yield f"only a text scan saw {listing(map(visible, coverage.text_only), 3)}"


def footer(result: Result, paint: Paint, width: int) -> Iterator[str]:
    """Yield coverage, skipped reviewers, excluded files, notes and the sentence on models."""
    for report in result.reviewers:
        if report.status is ReviewerStatus.SKIPPED and not report.required and (report.error or report.hint):
            hint = f" ({fold(report.hint)})" if report.hint else ""
            yield from labelled("skipped", f"{report.name}: {fold(report.error or 'skipped')}{hint}", paint, width)
    if result.coverage.excluded:
        yield from labelled("excluded", words.excluded(result), paint, width)
    for note in result.notes:
        yield from labelled("note", fold(note), paint, width)
    if result.status in (ResultStatus.COMPLETE, ResultStatus.INCOMPLETE):
        for index, line in enumerate(_coverage(result)):
            yield from labelled("" if index else "reviewed", line, paint, width)
    usage = result.usage
    if usage.requests:
        sent = usage.input_tokens + usage.cache_read_tokens + usage.cache_write_tokens
        text = (
            f"{plural(usage.requests, 'request')}, {sent} tokens in, {usage.output_tokens} out, ${usage.cost_usd:.2f}"
        )
        yield from labelled("model", text, paint, width)
    if words.no_model(result):
        yield from wrap(words.NO_MODEL, width)


def _outcome(result: Result) -> tuple[str, str]:
    """Return the outcome in words and its colour."""
    if result.status is ResultStatus.INCOMPLETE:
        return f"incomplete, {result.verdict.value}" if result.verdict else "incomplete", "red"
    verdict = result.verdict.value if result.verdict else "no verdict"
    limit = result.severity_threshold
    if result.passed:
        if result.verdict is Verdict.PASS:
            return "pass", "green"
        level = limit if isinstance(limit, str) else "per category"
        return f"{verdict}, but passed (threshold {level})", "green"
    if result.verdict is Verdict.PASS:
        level = limit if isinstance(limit, str) else "per category"
        return f"{verdict}, but not passed (threshold {level})", "red"
    return verdict, "red" if result.counts.critical or result.counts.high else "yellow"


def _seconds(result: Result) -> str:
    slowest = max((report.duration_ms for report in result.reviewers), default=0)
    return f"{slowest / 1000:.1f}s"


def closing(result: Result, paint: Paint, width: int) -> Iterator[str]:
    """Yield the summary line."""
    outcome, color = _outcome(result)
    parts = [words.count_open(result), words.count_others(result), outcome, _seconds(result)]
    text = " · ".join(part for part in parts if part)
    if cells(text) + 10 <= width:
        yield paint(f" {text} ".center(width, "="), "bold", color)
    else:
        for line in wrap(text, width - 5):
            yield paint(f"==== {line}", "bold", color)
