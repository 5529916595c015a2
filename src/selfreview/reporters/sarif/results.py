"""Places as SARIF names them."""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import quote

from selfreview.model.issue import Category, Edit, Issue, IssueStatus, Place, Severity, Side
from selfreview.text.escape import readable
from selfreview.text.layout import fold

SRCROOT = "SRCROOT"
_LINK = re.compile(r"\[([^\[\]]*)\](?=\()")


def message(text: str) -> dict[str, str]:
    """Return a plain text message; what would be a link in it is escaped, as the standard asks."""
    shown = readable(text)
    return {"text": _LINK.sub(r"\\[\1\\]", shown) if "](" in shown else shown}


def artifact(path: str) -> dict[str, str]:
    """Return a file's location: its exact bytes, percent-encoded, relative to the top level."""
    try:
        raw = path.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:  # surrogates that no bytes stand behind, from a reviewer's own text
        raw = path.encode("utf-8", "replace")
    uri = quote(raw, safe="/")
    if uri.startswith("/"):  # from a reviewer's own text: it would name another root, or a host
        uri = "%2F" + uri[1:]
    return {"uri": uri, "uriBaseId": SRCROOT}


def of_issue(issue: Issue) -> dict[str, Any]:
    """Return an issue's own location; a removed line is named in words, as its number counts in the old file."""
    if issue.commit is not None:
        line = f"line {issue.commit_line} of " if issue.commit_line else ""
        return _whole_file(issue.file, f"{line}commit {issue.commit}")
    if issue.side is Side.OLD or not issue.line_start:
        return _whole_file(issue.file, _removed(issue.side, issue.line_start, issue.line_end))
    region = {"startLine": issue.line_start}
    if issue.column:
        region["startColumn"] = issue.column
    if issue.line_end > issue.line_start:
        region["endLine"] = issue.line_end
    return {"physicalLocation": {"artifactLocation": artifact(issue.file), "region": region}}


def of_place(place: Place, number: int) -> dict[str, Any]:
    """Return a related location.

    Args:
        place: The place.
        number: Its id within the result, from 1.
    """
    words = _removed(place.side, place.line_start, place.line_end)
    if place.side is Side.OLD or place.line_start < 1:
        location = _whole_file(place.file, words)
    else:
        region = {"startLine": place.line_start}
        if place.line_end > place.line_start:
            region["endLine"] = place.line_end
        location = {"physicalLocation": {"artifactLocation": artifact(place.file), "region": region}}
    said = ": ".join(filter(None, (words, place.note)))
    return {"id": number, **location, **({"message": message(said)} if said else {})}


def _whole_file(path: str, words: str) -> dict[str, Any]:
    location: dict[str, Any] = {"physicalLocation": {"artifactLocation": artifact(path)}}
    if words:
        location["message"] = message(words)
    return location


def _removed(side: Side, first: int, last: int) -> str:
    if side is Side.NEW or first < 1:
        return ""
    return f"line {first} of the old file" if last <= first else f"lines {first} to {last} of the old file"


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
