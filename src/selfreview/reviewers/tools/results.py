"""Results of a tool, and their conversion to findings: paths, lines, columns, severities."""

from __future__ import annotations

import bisect
import codecs
import json
import os
import posixpath
from collections.abc import Callable, Iterable, Sequence
from itertools import accumulate
from pathlib import Path
from typing import Any, Literal, TypeVar

import msgspec

from selfreview.api import Category, ChangedFile, Edit, Finding, Place, ReviewContext, Severity, SourceText
from selfreview.errors import ToolError
from selfreview.model.wire import display_path

T = TypeVar("T")

Unit = Literal["codepoint", "utf16", "byte"]
"""Unit in which a tool counts columns."""

_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


class Span(msgspec.Struct, frozen=True, kw_only=True):
    """A region as a tool gives it; everything counts from 1, and 0 means that it is not given.

    Attributes:
        line, column: The start.
        end_line, end_column: The end; the column is exclusive.
        offset, length: Instead of lines: characters from the start of the file (from 0), or None.
    """

    line: int = 0
    column: int = 0
    end_line: int = 0
    end_column: int = 0
    offset: int | None = None
    length: int = 0


class Spot(msgspec.Struct, frozen=True):
    """A place in a file, named as the tool names it; the path is None where the tool names none."""

    path: str | None = None
    span: Span = Span()
    note: str | None = None


class Change(msgspec.Struct, frozen=True):
    """One replacement of a fix."""

    span: Span
    text: str


class Reported(msgspec.Struct, frozen=True, kw_only=True):
    """One result of a tool.

    Attributes:
        message: What is wrong.
        spot: The place that the tool names.
        level: The tool's own word for the severity, or None.
        score: A security score from 0 to 10, or None.
        security: Whether the tool calls it a matter of security.
        kind: The tool's own word for the category, or None.
        rule: Its rule id, or None.
        related: Other places.
        suggestion: What to do, in words, or None.
        changes: A mechanical fix in the same file, or nothing.
    """

    message: str
    spot: Spot = Spot()
    level: str | None = None
    score: float | None = None
    security: bool = False
    kind: str | None = None
    rule: str | None = None
    related: tuple[Spot, ...] = ()
    suggestion: str | None = None
    changes: tuple[Change, ...] = ()


class ToolReport(msgspec.Struct, kw_only=True):
    """Results and messages of one run of a tool.

    Attributes:
        results: In the tool's order.
        unit: What it counts columns in.
        suppressed: How many results the code itself suppresses; they are left out.
        unread: Files that the tool says it could not analyse, with the reason.
    """

    results: list[Reported] = []
    unit: Unit = "codepoint"
    suppressed: int = 0
    unread: dict[str, str] = {}


def decode_text(data: bytes, tool: str) -> str:
    """Decode a document, honouring a byte order mark.

    Raises:
        ToolError: If it is not text in that encoding.
    """
    encoding = next((name for mark, name in _MARKS if data.startswith(mark)), "utf-8")
    try:
        return data.decode(encoding)
    except UnicodeDecodeError as error:
        raise ToolError(f"{tool} printed bytes that are not {encoding.upper()}") from error


def decode_json(text: str, kind: type[T], tool: str) -> T:
    """Decode one JSON document of a given shape; unknown keys are ignored.

    Raises:
        ToolError: If it is not one whole document of that shape.
    """
    if not text.strip():
        raise ToolError(f"{tool} printed nothing, where a JSON document was expected")
    try:
        # The standard decoder takes lone surrogates, which tools print when they cut text inside a character.
        value: Any = json.loads(text)
        return msgspec.convert(value, kind)
    except (ValueError, msgspec.ValidationError, RecursionError) as error:
        raise ToolError(f"{tool} printed something that cannot be understood: {error}") from error


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


class PathReader:
    """Turns the paths that a tool prints into paths of the tree under review.

    Args:
        root: The folder that stands for the top level.
        files: The files the tool was given; a name that is not UTF-8 is recognised by how tools print it.
        base: Folder that relative paths count from, relative to ``root``.
    """

    def __init__(self, root: Path, files: Iterable[ChangedFile] = (), *, base: str = "") -> None:
        self._roots = tuple({f"{given}".replace(os.sep, "/").rstrip("/") for given in (root, root.resolve())})
        self._base = base
        self._known: dict[str, str] = {}
        ambiguous = set()
        for file in files:
            for shown in {file.path, display_path(file.path)}:
                if self._known.setdefault(shown, file.path) != file.path:
                    ambiguous.add(shown)
        for shown in ambiguous:
            del self._known[shown]

    def __call__(self, printed: str) -> str | None:
        """Return the repository-relative path, or None for one outside of the tree."""
        path = self._place(printed)
        if path not in self._known and "\\" in printed:
            slashed = self._place(printed.replace("\\", "/"))
            if os.sep == "\\" or slashed in self._known:
                path = slashed
        return path if path is None else self._known.get(path, path)

    def _place(self, printed: str) -> str | None:
        for root in self._roots:
            if printed.startswith(root + "/"):
                path = posixpath.normpath(printed[len(root) + 1 :])
                break
        else:
            if printed.startswith("/"):
                return None
            path = posixpath.normpath(posixpath.join(self._base, printed))
            # A drive, unless the repository has a folder of that name, which only Windows rules out.
            if printed[1:2] == ":" and printed[2:3] in ("/", "\\") and path not in self._known:
                return None
        return None if path in ("", ".", "..") or path.startswith("../") else path
