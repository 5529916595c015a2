"""Reviewdog's diagnostic format, as one document (``rdjson``) or one diagnostic a line (``rdjsonl``)."""

from __future__ import annotations

from typing import Annotated

import msgspec

from selfreview.reviewers.tools.results import Change, Reported, Span, Spot, ToolReport, decode_json, decode_text

Number = Annotated[int, msgspec.Meta(ge=0, le=2**53)]
_LEVELS = ("UNKNOWN_SEVERITY", "ERROR", "WARNING", "INFO")


class Position(msgspec.Struct, frozen=True):
    """Both count from 1; the column in bytes of UTF-8."""

    line: Number | None = None
    column: Number | None = None


class Range(msgspec.Struct, frozen=True):
    """From ``start`` to before ``end``; whole lines where no column is given."""

    start: Position | None = None
    end: Position | None = None

    @property
    def span(self) -> Span:
        """The range in the common form of tools' results."""
        start, end = self.start or Position(), self.end or Position()
        line = start.line or 0
        return Span(
            line=line,
            column=start.column or 0,
            end_line=max(end.line or line, line),
            end_column=end.column or 0,
        )


class Location(msgspec.Struct, frozen=True):
    """A place."""

    path: str | None = None
    range: Range | None = None


class Code(msgspec.Struct, frozen=True):
    """A rule id."""

    value: str | None = None


class Suggestion(msgspec.Struct, frozen=True):
    """One replacement."""

    range: Range
    text: str = ""


class Related(msgspec.Struct, frozen=True):
    """Another place."""

    location: Location
    message: str | None = None


class Diagnostic(msgspec.Struct, frozen=True):
    """One diagnostic."""

    message: str
    location: Location | None = None
    severity: str | int | None = None
    code: Code | None = None
    suggestions: list[Suggestion] | None = None
    related_locations: list[Related] | None = None
    relatedLocations: list[Related] | None = None  # noqa: N815 - the format allows both spellings


class Document(msgspec.Struct, frozen=True):
    """A whole report."""

    diagnostics: list[Diagnostic]
    severity: str | int | None = None


def parse(data: bytes, tool: str) -> ToolReport:
    """Read one ``rdjson`` document.

    Args:
        data: What the tool printed.
        tool: Its name, for messages.

    Raises:
        ToolError: If it is not one whole document.
    """
    document = decode_json(decode_text(data, tool), Document, tool)
    return ToolReport(results=[_result(d, document.severity) for d in document.diagnostics], unit="byte")


def parse_lines(data: bytes, tool: str) -> ToolReport:
    """Read ``rdjsonl``: one diagnostic a line; nothing at all is an empty report.

    Raises:
        ToolError: If a line is not a whole diagnostic.
    """
    lines = [line for line in decode_text(data, tool).split("\n") if line.strip()]
    return ToolReport(results=[_result(decode_json(line, Diagnostic, tool), None) for line in lines], unit="byte")


def _result(diagnostic: Diagnostic, default: str | int | None) -> Reported:
    suggestions = diagnostic.suggestions or []
    related = diagnostic.related_locations or diagnostic.relatedLocations or []
    return Reported(
        message=diagnostic.message.strip() or "no message",
        spot=_spot(diagnostic.location, None),
        level=_level(diagnostic.severity) or _level(default),
        rule=diagnostic.code.value if diagnostic.code and diagnostic.code.value else None,
        related=tuple(_spot(r.location, r.message) for r in related if r.location.path),
        changes=(Change(suggestions[0].range.span, suggestions[0].text),) if len(suggestions) == 1 else (),
    )


def _spot(location: Location | None, note: str | None) -> Spot:
    if location is None or not location.path:
        return Spot(note=note)
    return Spot(location.path, location.range.span if location.range else Span(), note)


def _level(value: str | int | None) -> str | None:
    if isinstance(value, int):
        value = _LEVELS[value] if 0 <= value < len(_LEVELS) else None
    return None if value in (None, "", _LEVELS[0]) else value
