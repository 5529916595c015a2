"""Semgrep's JSON as results."""

from __future__ import annotations

from typing import Any

import msgspec

from selfreview.api import Category, Severity
from selfreview.reviewers.tools.results import Reported, Span, Spot, ToolReport

_SEVERITIES = {
    "critical": Severity.CRITICAL,
    "high": Severity.HIGH,
    "error": Severity.HIGH,
    "medium": Severity.MEDIUM,
    "warning": Severity.MEDIUM,
    "low": Severity.LOW,
    "info": Severity.LOW,
    "inventory": Severity.SUGGESTION,
    "experiment": Severity.SUGGESTION,
}
"""The repository wrote the rules, so their own severities count; medium for any other."""

_CATEGORIES = {
    "security": Category.SECURITY,
    "correctness": Category.LOGIC,
    "performance": Category.PERFORMANCE,
    "maintainability": Category.ARCHITECTURE,
    "best-practice": Category.STYLE,
    "style": Category.STYLE,
}
"""By the ``category`` in a rule's metadata; logic for any other."""

_MAX_TEXT = 300


class Position(msgspec.Struct):
    """Both count from 1; the column in bytes."""

    line: int
    col: int


class Extra(msgspec.Struct):
    """Message, severity and metadata of the rule that matched."""

    message: str
    severity: str
    metadata: dict[str, Any] = {}
    is_ignored: bool = False


class Match(msgspec.Struct):
    """One result."""

    check_id: str
    path: str
    start: Position
    end: Position
    extra: Extra


class Problem(msgspec.Struct):
    """Error that semgrep reports about its own run."""

    level: str
    message: str = "no reason given"
    path: str | None = None

    @property
    def text(self) -> str:
        """The message in one line."""
        return " ".join(self.message.split())[:_MAX_TEXT]


class Paths(msgspec.Struct):
    """Paths of the files that a rule scanned."""

    scanned: list[str]


class Document(msgspec.Struct):
    """A whole report."""

    results: list[Match]
    errors: list[Problem]
    paths: Paths

    @property
    def report(self) -> ToolReport:
        """The results, without those that a ``nosemgrep`` comment suppresses."""
        results = [_result(match) for match in self.results if not match.extra.is_ignored]
        return ToolReport(results=results, unit="byte")


def grade(reported: Reported) -> tuple[Severity, Category]:
    """Return a result's severity and category."""
    severity = _SEVERITIES.get((reported.level or "").lower(), Severity.MEDIUM)
    return severity, _CATEGORIES.get(reported.kind or "", Category.LOGIC)


def _result(match: Match) -> Reported:
    kind = match.extra.metadata.get("category")
    span = Span(
        line=max(match.start.line, 0),
        column=max(match.start.col, 0),
        end_line=max(match.end.line, 0),
        end_column=max(match.end.col, 0),
    )
    return Reported(
        message=match.extra.message.strip() or match.check_id,
        spot=Spot(match.path, span),
        level=match.extra.severity,
        kind=kind if isinstance(kind, str) else None,
        rule=match.check_id,
    )
