"""Ruff's JSON as findings."""

from __future__ import annotations

import msgspec

from selfreview.api import Edit, Finding
from selfreview.errors import ToolError
from selfreview.reviewers import _ruff_rules as rules


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
    """What ruff reports."""

    code: str | None
    filename: str
    location: Location
    end_location: Location
    message: str
    fix: Fix | None = None
    name: str | None = None
    severity: str | None = None
    cell: int | None = None

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
    except (msgspec.DecodeError, RecursionError) as error:
        raise ToolError(f"ruff printed something that is not its JSON: {error}") from error


def finding(diagnostic: Diagnostic, path: str) -> Finding:
    """Make a finding of a diagnostic."""
    fix = diagnostic.fix
    return Finding(
        file=path,
        line_start=diagnostic.location.row,
        line_end=_last_line(diagnostic),
        column=diagnostic.location.column,
        severity=rules.severity(diagnostic.rule),
        category=rules.category(diagnostic.rule),
        description=diagnostic.message,
        rule=diagnostic.rule,
        suggested_fix=fix.message if fix else None,
        edits=tuple(map(_edit, fix.edits)) if fix and fix.applicability == "safe" else (),
    )


def _last_line(diagnostic: Diagnostic) -> int:
    start, end = diagnostic.location, diagnostic.end_location
    return end.row - 1 if end.row > start.row and end.column == 1 else max(end.row, start.row)


def _edit(edit: RuffEdit) -> Edit:
    return Edit(
        line_start=edit.location.row,
        column_start=edit.location.column - 1,
        line_end=edit.end_location.row,
        column_end=edit.end_location.column - 1,
        replacement=edit.content or "",
    )
