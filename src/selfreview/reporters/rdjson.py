"""A result in reviewdog's diagnostic format.

Source: https://github.com/reviewdog/reviewdog/tree/master/proto/rdf
"""

from __future__ import annotations

from typing import Any

from selfreview.api import ReviewContext, Side, SourceText
from selfreview.model import wire
from selfreview.model.issue import Edit, Issue, Severity
from selfreview.model.result import Result
from selfreview.reporters import words
from selfreview.reporters.words import Sources, rule_page, worst_first
from selfreview.review.verdict import Threshold
from selfreview.text.escape import inert
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
    diagnostics = [
        _failure(f"{text}\nhint: {hint}" if hint else text, context) for _, text, hint in words.failures(result)
    ]
    diagnostics += [_diagnostic(issue, threshold, sources) for issue in worst_first(result)]
    return wire.document({"source": {"name": OURS}, "diagnostics": diagnostics})


def _failure(text: str, context: ReviewContext | None) -> dict[str, Any]:
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
    address = rule_page(issue)
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


def byte_column(text: SourceText | None, line: int, column: int | None) -> int | None:
    """Return a 1-based column in bytes for one in code points; None where the line is not known."""
    if text is None or not column or not 0 < line <= len(text.lines):
        return None
    return (
        len(text.line(line)[: column - 1].encode("utf-8", "surrogatepass" if text.is_utf8 else "surrogateescape")) + 1
    )


def suggestion(issue: Issue, text: SourceText | None) -> dict[str, Any] | None:
    """Return an issue's edits as one replacement, or None where there is none or none that is exact.

    Several suggestions would be several offers, and a part of a fix is no fix: what lies between two edits becomes part
    of the replacement.

    Args:
        issue: The issue.
        text: The text that the edits are of, or None.
    """
    if not issue.edits or issue.side is not Side.NEW or text is None or not text.is_utf8:
        return None
    edits = sorted(issue.edits, key=_start)
    first, last = edits[0], max(edits, key=_end)
    replaced = ""
    at = _start(first)
    for edit in edits:
        if _start(edit) < at:  # they overlap: nobody knows what is meant
            return None
        replaced += _between(text, at, _start(edit)) + edit.replacement
        at = _end(edit)
    start = byte_column(text, first.line_start, first.column_start + 1)
    end = _end_column(text, last)
    if start is None or end is None:
        return None
    span = {
        "start": {"line": first.line_start, "column": start},
        "end": {"line": last.line_end, "column": end},
    }
    return {"range": span, "text": replaced}


def _end_column(text: SourceText, edit: Edit) -> int | None:
    if edit.column_end == 0 and edit.line_end == len(text.lines) + 1:
        return 1  # the end of the file
    return byte_column(text, edit.line_end, edit.column_end + 1)


def _start(edit: Edit) -> tuple[int, int]:
    return edit.line_start, edit.column_start


def _end(edit: Edit) -> tuple[int, int]:
    return edit.line_end, edit.column_end


def _between(text: SourceText, start: tuple[int, int], end: tuple[int, int]) -> str:
    """Return the text from one place, line from 1 and column from 0, to another."""
    if start[0] == end[0]:
        return text.line(start[0])[start[1] : end[1]]
    whole = [text.line(number) for number in range(start[0] + 1, end[0])]
    return "\n".join([text.line(start[0])[start[1] :], *whole, text.line(end[0])[: end[1]]])
