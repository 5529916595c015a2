"""Places as SARIF names them."""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import quote

from selfreview.model.issue import Issue, Place, Side
from selfreview.reporters._lines import readable

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
