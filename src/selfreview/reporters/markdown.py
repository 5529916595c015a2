"""The report as Markdown, for comments and step summaries; nothing in it can be markup, a mention or a reference."""

from __future__ import annotations

from collections.abc import Iterator

from selfreview.model.result import Result, ResultStatus
from selfreview.reporters import refined, words
from selfreview.review.summary import NO_MODEL, not_run
from selfreview.review.verdict import Threshold
from selfreview.text.layout import fold, plural
from selfreview.text.markdown import code, plain

MOST_ISSUES = 200
"""Issues that are listed; a forge cuts a comment off at 65,536 characters, and nobody reads more."""


def report(result: Result) -> Iterator[str]:
    """Yield the lines of the report, without their line feeds."""
    yield f"## selfreview: {_headline(result)}"
    yield ""
    if result.error is not None:
        yield f"**Error:** {plain(fold(result.error.message))}"
        if result.error.hint:
            yield f"<br>{plain(fold(result.error.hint))}"
        return
    if result.scope is not None:
        files = plural(result.scope.files, "file")
        yield f"{plain(words.compared(result.scope))}: {files}, {plain(words.count_open(result))}."
        yield ""
    if result.status is ResultStatus.INCOMPLETE:
        yield f"**Not everything was reviewed:** {plain(words.why_incomplete(result))}"
        yield ""
    yield from _table(result)
    looked_at = words.looked_at(result)
    if looked_at:
        yield f"- {plain(looked_at)}"
    for name, why in words.skipped(result):
        yield f"- {plain(f'skipped {name}: {why}')}"
    for note in words.notes(result):
        yield f"- {plain(note)}"
    if result.patch is not None:
        ways = "" if result.patch.applied else refined.ways(result.patch)
        command = code(f"selfreview apply {result.patch.id}") if ways else ""
        yield f"- {plain('the refinement: ' + refined.patch(result).removesuffix(ways))}{command}"
    if result.held is not None:
        ways = refined.ways(result.held)
        command = code(f"selfreview apply {result.held.id}")
        yield f"- {plain(refined.held(result).removesuffix(ways))}{command}"
    if words.no_model(result):
        yield f"- {plain(NO_MODEL)}"
    others = words.count_others(result)
    if others:
        yield f"- {plain('not counted: ' + others)}"


def _headline(result: Result) -> str:
    if result.error is not None:
        return "error"
    if result.status is ResultStatus.INCOMPLETE:
        return "incomplete"
    if result.status is ResultStatus.NOTHING_TO_REVIEW:
        return "nothing to review"
    return ", ".join(["passed", *filter(None, [plain(not_run(result))])]) if result.passed else "did not pass"


def _table(result: Result) -> Iterator[str]:
    issues = words.worst_first(result)
    if not issues:
        return
    threshold = Threshold(result.severity_threshold)
    yield "| severity | where | what | reported by |"
    yield "|---|---|---|---|"
    for issue in issues[:MOST_ISSUES]:
        severity = f"**{issue.severity.value}**" if threshold.blocks(issue) else issue.severity.value
        what = plain(fold(issue.description))
        yield f"| {severity} | {code(words.place(issue))} | {what} | {code(words.author(issue, '/'))} |"
    yield ""
    if len(issues) > MOST_ISSUES:
        yield f"- and {len(issues) - MOST_ISSUES} more"
