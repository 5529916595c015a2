"""A result as GitLab's code quality report.

Source: https://docs.gitlab.com/ci/testing/code_quality/#code-quality-report-format
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from itertools import starmap
from typing import Any

from selfreview.model import wire
from selfreview.model.issue import Issue, Severity, Side
from selfreview.model.result import Result
from selfreview.reporters import words
from selfreview.reporters.words import rule_id, worst_first
from selfreview.text.escape import visible
from selfreview.text.layout import fold

_SEVERITIES = {
    Severity.CRITICAL: "blocker",
    Severity.HIGH: "critical",
    Severity.MEDIUM: "major",
    Severity.LOW: "minor",
    Severity.SUGGESTION: "info",
}
CONFIGURATION = ".gitlab-ci.yml"
"""File on which a missing review is reported: an entry needs a file, and this one requests the review."""


def report(result: Result) -> bytes:
    """Return the report: open issues, and before them what else keeps the result from passing."""
    entries = [*starmap(_failure, words.failures(result)), *map(_entry, worst_first(result))]
    return wire.document(list(_distinct(entries)))


def _failure(check: str, text: str, hint: str) -> dict[str, Any]:
    name = f"selfreview/{check}"
    described = f"{text} ({hint})" if hint else text
    return _made(described, name, mark=name, severity="blocker", path=CONFIGURATION, line=1)


def _entry(issue: Issue) -> dict[str, Any]:
    text = fold(issue.description)
    if issue.suggested_fix:
        text += f" Suggested fix: {fold(issue.suggested_fix)}"
    line = issue.line_start
    if issue.side is Side.OLD and line:
        text = f"Line {line} of the old file: {text}"
        line = 1
    return _made(
        text,
        rule_id(issue),
        mark=issue.fingerprint,
        severity=_SEVERITIES[issue.severity],
        path=wire.display_path(issue.file),
        line=max(line, 1),
    )


def _made(text: str, check: str, *, mark: str, severity: str, path: str, line: int) -> dict[str, Any]:
    return {
        "description": text,
        "check_name": check,
        "fingerprint": visible(mark),
        "severity": severity,
        "location": {"path": path, "lines": {"begin": line}},
    }


def _distinct(entries: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Yield the entries, each with a fingerprint of its own: GitLab shows the first of those that share one."""
    taken: set[str] = set()
    for entry in entries:
        mark, number = entry["fingerprint"], 1
        while entry["fingerprint"] in taken:
            number += 1
            entry["fingerprint"] = hashlib.sha256(f"{mark}\0{number}".encode()).hexdigest()
        taken.add(entry["fingerprint"])
        yield entry
