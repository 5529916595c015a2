"""A result in reviewdog's diagnostic format.

Source: https://github.com/reviewdog/reviewdog/tree/master/proto/rdf
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from selfreview.api import ReviewContext, Side
from selfreview.model import wire
from selfreview.model.issue import Issue, Severity
from selfreview.model.result import Result, ResultStatus
from selfreview.reporters import _words as words
from selfreview.reporters._lines import inert
from selfreview.reporters._markdown import worst_first
from selfreview.reporters._rdjson_edits import byte_column, suggestion
from selfreview.reporters._rule_pages import page
from selfreview.reporters._sources import Sources
from selfreview.review.verdict import Threshold
from selfreview.text.layout import fold

OURS = "selfreview"
_SEVERITIES = {
    Severity.CRITICAL: "ERROR",
    Severity.HIGH: "ERROR",
    Severity.MEDIUM: "WARNING",
    Severity.LOW: "INFO",
    Severity.SUGGESTION: "INFO",
}


def report(result: Result, context: ReviewContext | None) -> bytes:
    """Return the document: open issues, and before them what else keeps the result from passing."""
    threshold, sources = Threshold(result.severity_threshold), Sources(context)
    diagnostics = [_told(text, context) for text in _first(result)]
    diagnostics += [_diagnostic(issue, threshold, sources) for issue in worst_first(result)]
    return wire.document({"source": {"name": OURS}, "diagnostics": diagnostics})


def _first(result: Result) -> Iterator[str]:
    if result.error is not None:
        hint = f"\nhint: {fold(result.error.hint)}" if result.error.hint else ""
        yield f"The review could not take place: {fold(result.error.message)}{hint}"
    elif result.status is ResultStatus.ERROR:
        yield "The review could not take place."
    elif result.status is ResultStatus.INCOMPLETE:
        yield f"Not everything was reviewed: {words.why_incomplete(result)}"
    for reason in result.not_passed_reasons:
        yield f"Not passed: {fold(reason)}"


def _told(text: str, context: ReviewContext | None) -> dict[str, Any]:
    """Return a diagnostic about the review; on the first line of the change, as reviewdog drops what is elsewhere."""
    location: dict[str, Any] = {"path": "."}
    for file in context.change.reviewable if context is not None else ():
        if file.added:
            line = {"line": file.added[0].first}
            location = {"path": wire.display_path(file.path), "range": {"start": line, "end": line}}
            break
    return {"message": inert(text), "location": location, "severity": "ERROR", "source": {"name": OURS}}


def _diagnostic(issue: Issue, threshold: Threshold, sources: Sources) -> dict[str, Any]:
    text, _ = sources.find(issue)
    message = issue.description + (f"\n\nSuggested fix: {issue.suggested_fix}" if issue.suggested_fix else "")
    location: dict[str, Any] = {"path": wire.display_path(issue.file)}
    if issue.side is Side.NEW and issue.line_start:
        location["range"] = _range(issue, byte_column(text, issue.line_start, issue.column))
    elif issue.line_start:
        message = f"Line {issue.line_start} of the old file: {message}"
    code: dict[str, str] = {"value": fold(issue.rule or issue.category.value)}
    address = page(issue)
    if address is not None:
        code["url"] = address
    diagnostic: dict[str, Any] = {
        "message": inert(message),
        "location": location,
        "severity": "ERROR" if threshold.blocks(issue) else _SEVERITIES[issue.severity],
        "source": {"name": fold(issue.reviewer)},
        "code": code,
        "original_output": f"{words.place(issue)}: {issue.severity.value}: {fold(issue.description)}",
    }
    suggested = suggestion(issue, text)
    if suggested is not None:
        diagnostic["suggestions"] = [suggested]
    return diagnostic


def _range(issue: Issue, column: int | None) -> dict[str, Any]:
    if column is not None and issue.line_end <= issue.line_start:
        return {"start": {"line": issue.line_start, "column": column}}
    return {"start": {"line": issue.line_start}, "end": {"line": max(issue.line_end, issue.line_start)}}
