"""Formats of a command's output besides SARIF: lines that a pattern matches, and reviewdog's diagnostics."""

from __future__ import annotations

import re
from typing import Annotated

import msgspec

from selfreview.errors import ToolError
from selfreview.reviewers.tools.results import Change, Reported, Span, Spot, ToolReport, decode_json, decode_text

GROUPS = ("file", "line", "end_line", "column", "severity", "code", "rule", "message")
"""Named groups that mean something; ``file`` is required, ``code`` and ``rule`` are the same."""

_MAX_DIGITS = 9


def parse_pattern(data: bytes, tool: str, pattern: re.Pattern[str]) -> ToolReport:
    """Read every line that the pattern matches somewhere; other lines are passed over.

    Args:
        data: What the tool printed.
        tool: Its name, for messages.
        pattern: With named groups of :data:`GROUPS`.

    Raises:
        ToolError: If a number that was matched is none.
    """
    matches = (pattern.search(line.rstrip("\r")) for line in data.decode("utf-8", "surrogateescape").split("\n"))
    return ToolReport(results=[_matched(match, tool) for match in matches if match])


def _matched(match: re.Match[str], tool: str) -> Reported:
    groups = {name: value for name, value in match.groupdict().items() if value is not None}
    line = _number(groups, "line", tool)
    span = Span(
        line=line, column=_number(groups, "column", tool), end_line=max(_number(groups, "end_line", tool), line)
    )
    return Reported(
        message=groups.get("message", match.string).strip() or match.string.strip() or "no message",
        spot=Spot(groups.get("file"), span),
        level=groups.get("severity"),
        rule=groups.get("code") or groups.get("rule"),
    )


def _number(groups: dict[str, str], name: str, tool: str) -> int:
    text = groups.get(name, "").strip()
    if not text:
        return 0
    if not (text.isascii() and text.isdigit() and len(text) <= _MAX_DIGITS):
        raise ToolError(f"the pattern of {tool} takes {text[:40]!r} for a {name} number")
    return int(text)


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


def parse_rdjson(data: bytes, tool: str) -> ToolReport:
    """Read one ``rdjson`` document.

    Args:
        data: What the tool printed.
        tool: Its name, for messages.

    Raises:
        ToolError: If it is not one whole document.
    """
    document = decode_json(decode_text(data, tool), Document, tool)
    return ToolReport(results=[_result(d, document.severity) for d in document.diagnostics], unit="byte")


def parse_rdjsonl(data: bytes, tool: str) -> ToolReport:
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
