"""Edits as one suggestion, with columns in bytes of UTF-8."""

from __future__ import annotations

from typing import Any

from selfreview.api import Side, SourceText
from selfreview.model.issue import Edit, Issue


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
