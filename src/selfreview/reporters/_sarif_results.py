"""Issues as SARIF results."""

from __future__ import annotations

from typing import Any

from selfreview.model.issue import Category, Edit, Issue, IssueStatus, Severity
from selfreview.reporters._sarif_places import artifact, message, of_issue, of_place
from selfreview.text.layout import fold

MOST_LOCATIONS = 999
"""Related places of a result: with its own, the 1,000 that GitHub takes."""
LEVELS = {
    Severity.CRITICAL: "error",
    Severity.HIGH: "error",
    Severity.MEDIUM: "warning",
    Severity.LOW: "note",
    Severity.SUGGESTION: "note",
}
_STEP = 20
"""Ranks, from 0 to 100, that a severity spans; confidence decides within it."""
SUPPRESSIONS = {
    IssueStatus.SUPPRESSED: ("inSource", "accepted"),
    IssueStatus.BASELINED: ("external", "accepted"),
    IssueStatus.ACCEPTED: ("external", "accepted"),
    IssueStatus.DISMISSED: ("external", "accepted"),
    IssueStatus.UNCONFIRMED: ("external", "underReview"),
}


def to_result(issue: Issue, rule: str, rule_index: int) -> dict[str, Any]:
    """Return an issue as a result.

    Args:
        issue: The issue.
        rule: Its rule's id in the log.
        rule_index: Where its rule stands in the driver's list.
    """
    result: dict[str, Any] = {
        "ruleId": rule,
        "ruleIndex": rule_index,
        "level": LEVELS[issue.severity],
        "rank": rank(issue),
        "message": message(_text(issue)),
        "locations": [of_issue(issue)] if issue.file else [],
        "partialFingerprints": {"selfreview/v1": issue.fingerprint},
        "properties": _properties(issue),
    }
    if issue.related:
        places = issue.related[:MOST_LOCATIONS]
        result["relatedLocations"] = [of_place(place, number) for number, place in enumerate(places, start=1)]
    if issue.edits and issue.file:
        result["fixes"] = [_fix(issue)]
    if issue.status in SUPPRESSIONS:
        kind, status = SUPPRESSIONS[issue.status]
        reason = f"{issue.status.value}: {fold(issue.status_reason)}" if issue.status_reason else issue.status.value
        result["suppressions"] = [{"kind": kind, "status": status, "justification": reason}]
    return result


def rank(issue: Issue) -> float:
    """Return 0 to 100: a worse issue ranks higher, and of two alike the surer one."""
    doubt = 1 - min(max(issue.confidence, 0.0), 1.0) if issue.confidence is not None else 0.0
    return round(_STEP * (issue.severity.rank + 1) - _STEP * doubt, 1)


def _text(issue: Issue) -> str:
    if not issue.suggested_fix:
        return issue.description
    return f"{issue.description}\n\nSuggested fix: {issue.suggested_fix}"


def _properties(issue: Issue) -> dict[str, Any]:
    properties: dict[str, Any] = {
        "id": issue.id,
        "severity": issue.severity.value,
        "category": issue.category.value,
        "reviewer": issue.reviewer,
        "status": issue.status.value,
        "side": issue.side.value,
        "tags": [issue.category.value],
    }
    if issue.also_reported_by:
        properties["alsoReportedBy"] = issue.also_reported_by
    if issue.confidence is not None:
        properties["confidence"] = issue.confidence
    if issue.category is Category.SECURITY:
        properties["security-severity"] = SECURITY[issue.severity]
    return properties


SECURITY = {
    Severity.CRITICAL: "9.5",
    Severity.HIGH: "8.0",
    Severity.MEDIUM: "5.5",
    Severity.LOW: "2.0",
    Severity.SUGGESTION: "0.5",
}
"""Scores that GitHub shows as critical (above 9.0), high (from 7.0), medium (from 4.0) and low."""


def _fix(issue: Issue) -> dict[str, Any]:
    replacements = [_replacement(edit) for edit in issue.edits]
    return {
        "description": message(issue.suggested_fix or "Apply the mechanical fix."),
        "artifactChanges": [{"artifactLocation": artifact(issue.file), "replacements": replacements}],
    }


def _replacement(edit: Edit) -> dict[str, Any]:
    region = {
        "startLine": edit.line_start,
        "startColumn": edit.column_start + 1,
        "endLine": edit.line_end,
        "endColumn": edit.column_end + 1,
    }
    replacement: dict[str, Any] = {"deletedRegion": region}
    if edit.replacement:
        replacement["insertedContent"] = {"text": edit.replacement}
    return replacement
