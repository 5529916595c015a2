"""The concise report, line by line."""

from __future__ import annotations

import re
from collections.abc import Iterator

from selfreview.api import Issue, Result, Side
from selfreview.model.result import ResultStatus
from selfreview.reporters import words
from selfreview.review.summary import not_run
from selfreview.review.verdict import Threshold
from selfreview.text.escape import visible
from selfreview.text.layout import fold

_PLACE = re.compile(r":(\d+):(\d+):")


def _message(text: str) -> str:
    """Return a text as one line in which no editor finds a place of its own."""
    return _PLACE.sub(r" line \1 column \2:", fold(text))


def _issue(issue: Issue) -> str:
    # Editors need both numbers: an issue with the whole file is shown at its first line.
    file = f"./{issue.file}" if issue.file.startswith(":") else issue.file  # where "::" begins a log command in CI
    where = f"{visible(file)}:{issue.line_start or 1}:{issue.column or 1}"
    removed = "(removed line) " if issue.side is Side.OLD and issue.line_start else ""
    return f"{where}: {issue.severity.value}: {removed}{_message(issue.description)} [{words.author(issue, '/')}]"


def _order(issue: Issue) -> tuple[str, int, int, int]:
    return issue.file, issue.line_start, issue.column or 0, -issue.severity.rank


def _not_passed(result: Result) -> list[str]:
    """Return what keeps a review from passing that no line about an issue shows."""
    blocks = Threshold(result.severity_threshold).blocks
    if result.not_passed_reasons or result.passed or result.status is not ResultStatus.COMPLETE:
        return result.not_passed_reasons
    return [] if any(map(blocks, result.open_issues)) else [result.summary or "a plugin decided so"]


def report(result: Result) -> Iterator[str]:
    """Yield the lines of the report, without their line feeds.

    Besides issues only what says what the review was of, and what it was not: who reads this reads places.
    """
    if result.error is not None:
        yield f"selfreview: error: {_message(result.error.message)}"
        if result.error.hint:
            yield f"selfreview: hint: {_message(result.error.hint)}"
    yield from map(_issue, sorted(result.open_issues, key=_order))
    if result.status is ResultStatus.INCOMPLETE:
        yield f"selfreview: incomplete: {_message(words.why_incomplete(result))}"
    for note in words.limits(result):
        yield f"selfreview: {_message(note)}"
    for reason in _not_passed(result):
        yield f"selfreview: not passed: {_message(reason)}"
    if result.status is ResultStatus.NOTHING_TO_REVIEW:
        yield f"selfreview: {words.nothing(result)}"
    looked_at = words.looked_at(result)
    if looked_at:
        yield f"selfreview: {_message(looked_at)}"
    if unrun := not_run(result):
        yield f"selfreview: {unrun}"
    others = words.count_others(result)
    if others:
        yield f"selfreview: not counted: {others}"
