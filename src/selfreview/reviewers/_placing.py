"""Ties what a tool reported to the tree under review: paths, lines, columns, severities."""

from __future__ import annotations

import bisect
from collections.abc import Callable, Iterable, Sequence
from itertools import accumulate
from pathlib import Path

from selfreview.api import Category, ChangedFile, Edit, Finding, Place, ReviewContext, Severity, SourceText
from selfreview.reviewers._paths import PathReader
from selfreview.reviewers._report import Change, Reported, Span, Spot, ToolReport, Unit

NOWHERE = "."
"""Path of a result that names no file: the tree as a whole, so it is shown and is out of the change's scope."""

Grade = Callable[[Reported], tuple[Severity, Category]]
"""Function that returns a result's severity and category."""


class Placer:
    """Converter of tools' results to findings.

    Args:
        context: What is under review.
        root: Folder that stands for the top level, where the tool ran.
        files: The files it was given.
        grade: How bad each result is.
    """

    def __init__(self, context: ReviewContext, root: Path, files: Iterable[ChangedFile], grade: Grade) -> None:
        self._context = context
        self._read_path = PathReader(root, files)
        self._grade = grade
        self._changed = {file.path: file for file in context.change.files}
        self._starts: dict[str, list[int]] = {}
        self.outside: dict[str, None] = {}
        """Paths outside of the tree that were named, in order."""

    def findings(self, report: ToolReport) -> list[Finding]:
        """Return a report's findings; those in files outside of the tree are noted in :attr:`outside` instead."""
        return [found for result in report.results if (found := self._finding(result, report.unit)) is not None]

    def path(self, printed: str) -> str | None:
        """Return the repository's name of a path, or None after noting one outside of the tree."""
        path = self._read_path(printed)
        if path is None:
            self.outside.setdefault(printed)
        return path

    def _finding(self, reported: Reported, unit: Unit) -> Finding | None:
        printed = reported.spot.path
        path = NOWHERE if printed is None else self.path(printed)
        if path is None:
            return None
        span = self._lines(path, reported.spot.span, unit)
        severity, category = self._grade(reported)
        return Finding(
            file=path,
            line_start=span.line,
            line_end=_last_line(span),
            column=self._offset(path, span.line, span.column, unit) + 1 if span.column else None,
            severity=severity,
            category=category,
            description=reported.message,
            rule=reported.rule,
            suggested_fix=reported.suggestion,
            related=tuple(place for spot in reported.related if (place := self._place(spot, unit)) is not None),
            edits=self._edits(path, reported.changes, unit),
        )

    def _place(self, spot: Spot, unit: Unit) -> Place | None:
        path = self._read_path(spot.path or "")
        if path is None:
            return None
        span = self._lines(path, spot.span, unit)
        return Place(file=path, line_start=span.line, line_end=_last_line(span), note=spot.note) if span.line else None

    def _edits(self, path: str, changes: Sequence[Change], unit: Unit) -> tuple[Edit, ...]:
        """Return a fix's edits, or none at all where one of them does not fit the file."""
        edits = []
        text = self._text(path)
        for change in changes:
            span = self._lines(path, change.span, unit)
            if text is None or not 1 <= span.line <= len(text.lines) or not span.line <= span.end_line:
                return ()
            whole = not span.end_column and span.column <= 1
            if span.end_line > len(text.lines) + (1 if span.end_column == 1 else 0):
                return ()
            end = len(text.line(span.end_line)) if whole else self._offset(path, span.end_line, span.end_column, unit)
            start = self._offset(path, span.line, span.column, unit)
            if not whole and not span.end_column:
                return ()
            edits.append(
                Edit(
                    line_start=span.line,
                    column_start=start,
                    line_end=span.end_line,
                    column_end=end,
                    replacement=change.text.removesuffix("\n") if whole else change.text,
                )
            )
        return tuple(edits)

    def _lines(self, path: str, span: Span, unit: Unit) -> Span:
        """Replace a character offset by lines and columns."""
        if span.line or span.offset is None:
            return span
        text = self._text(path)
        if text is None:
            return Span()
        starts = self._starts.get(path)
        if starts is None:
            sizes = (_size(line, unit) + 1 for line in text.lines)
            starts = self._starts[path] = list(accumulate(sizes, initial=0))
        first = bisect.bisect_right(starts, span.offset)
        last = bisect.bisect_right(starts, span.offset + span.length)
        if first > len(text.lines):
            return Span()
        return Span(
            line=first,
            column=span.offset - starts[first - 1] + 1,
            end_line=last,
            end_column=span.offset + span.length - starts[last - 1] + 1,
        )

    def _offset(self, path: str, line: int, column: int, unit: Unit) -> int:
        """Return a column as a 0-based offset in code points."""
        if unit == "codepoint" or column <= 1:
            return max(column - 1, 0)
        text = self._text(path)
        content = text.line(line) if text else ""
        return column - 1 if content.isascii() else _code_points(content, column - 1, unit)

    def _text(self, path: str) -> SourceText | None:
        """Return the text of a changed file; what stands elsewhere is out of scope and needs no exact columns."""
        file = self._changed.get(path)
        return None if file is None else self._context.text(file)


def _last_line(span: Span) -> int:
    """Return the last line that a region touches: an end at the very start of a line is before it."""
    return span.end_line - 1 if span.end_line > span.line and span.end_column == 1 else max(span.end_line, span.line)


def _size(text: str, unit: Unit) -> int:
    if unit == "codepoint":
        return len(text)
    if unit == "utf16":
        return len(text) + sum(char > "\uffff" for char in text)
    return len(text.encode("utf-8", "surrogateescape"))


def _code_points(text: str, units: int, unit: Unit) -> int:
    """Count the code points in the first so many units of a text."""
    for count, size in enumerate(accumulate((_size(char, unit) for char in text), initial=0)):
        if size >= units:
            return count
    return len(text) + units - _size(text, unit)
