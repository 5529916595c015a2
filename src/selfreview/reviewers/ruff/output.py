"""Ruff's JSON as findings."""

from __future__ import annotations

import re
from typing import NamedTuple

import msgspec

from selfreview.api import Edit, Finding, SourceText
from selfreview.errors import ToolError
from selfreview.reviewers.ruff import rules


class Location(msgspec.Struct, frozen=True):
    """A place: both count from 1, columns in code points."""

    row: int
    column: int


class RuffEdit(msgspec.Struct, frozen=True):
    """One replacement."""

    content: str | None
    location: Location
    end_location: Location


class Fix(msgspec.Struct, frozen=True):
    """A fix with ruff's own opinion of it."""

    applicability: str
    message: str | None
    edits: list[RuffEdit]


class Diagnostic(msgspec.Struct, frozen=True):
    """Diagnostic of ruff; the code is None for a rule that has only a name."""

    code: str | None
    filename: str
    location: Location
    end_location: Location
    message: str
    fix: Fix | None = None
    name: str | None = None
    severity: str | None = None

    @property
    def rule(self) -> str:
        """The code or, for a rule without one, the name."""
        return self.code or self.name or "unknown"


def decode(output: bytes) -> list[Diagnostic]:
    """Decode what ruff prints.

    Raises:
        ToolError: If it is not one whole JSON document of ruff's shape.
    """
    try:
        return msgspec.json.decode(output, type=list[Diagnostic])
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise ToolError(f"ruff printed something that is not its JSON: {error}") from error


def make_finding(diagnostic: Diagnostic, path: str, lines: LineMap) -> Finding:
    """Make a finding of a diagnostic."""
    fix, rule = diagnostic.fix, diagnostic.rule
    line, column = lines.position(diagnostic.location.row, diagnostic.location.column)
    end_line, end_column = lines.position(diagnostic.end_location.row, diagnostic.end_location.column)
    if end_column == 1 and end_line > line:
        end_line -= 1  # it ends before that line
    return Finding(
        file=path,
        line_start=line,
        line_end=max(line, end_line),
        column=column,
        severity=rules.severity(rule),
        category=rules.category(rule),
        description=rules.description(rule, diagnostic.message),
        rule=rule,
        suggested_fix=fix.message if fix else None,
        edits=tuple(_edit(edit, lines) for edit in fix.edits) if fix and fix.applicability == "safe" else (),
    )


def _edit(edit: RuffEdit, lines: LineMap) -> Edit:
    line, column = lines.position(edit.location.row, edit.location.column)
    end_line, end_column = lines.position(edit.end_location.row, edit.end_location.column)
    return Edit(
        line_start=line,
        column_start=column - 1,
        line_end=end_line,
        column_end=end_column - 1,
        replacement=edit.content or "",
    )


_LONE_RETURN = re.compile(r"\r(?!$)")


class _Start(NamedTuple):
    line: int
    offset: int


class LineMap:
    """Translates positions in one file.

    Args:
        text: The file as we split it.
    """

    def __init__(self, text: SourceText) -> None:
        self._starts: list[_Start] | None = None
        if any(_LONE_RETURN.search(line) for line in text.lines):
            self._starts = [
                _Start(number, offset)
                for number, line in enumerate(text.lines, 1)
                for offset in (0, *(match.end() for match in _LONE_RETURN.finditer(line)))
            ]

    def position(self, row: int, column: int) -> tuple[int, int]:
        """Return our line and column, both from 1, of a row and column of ruff's."""
        if self._starts is None or not 1 <= row <= len(self._starts):
            return row, column
        start = self._starts[row - 1]
        return start.line, start.offset + column
