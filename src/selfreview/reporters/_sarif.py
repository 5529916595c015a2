"""A result as a SARIF 2.1.0 log, within what GitHub's code scanning takes.

Source: https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html and
https://docs.github.com/en/code-security/code-scanning/integrating-with-code-scanning/sarif-support-for-code-scanning
"""

from __future__ import annotations

import zlib
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from selfreview import __version__
from selfreview.model import wire
from selfreview.model.issue import Issue, IssueStatus
from selfreview.model.result import Result
from selfreview.reporters._rule_pages import rule_id
from selfreview.reporters._sarif_places import SRCROOT
from selfreview.reporters._sarif_results import MOST_LOCATIONS, to_result
from selfreview.reporters._sarif_rules import rules
from selfreview.reporters._sarif_run import NOTIFICATIONS, invocation, provenance
from selfreview.review.verdict import Threshold

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
MOST_RESULTS = 25_000
"""Results of a run; a log with more is refused."""
MOST_BYTES = 10 * 1024 * 1024
"""Size of a log under gzip; a larger one is refused."""
ELSEWHERE = frozenset({IssueStatus.DUPLICATE, IssueStatus.OUT_OF_SCOPE, IssueStatus.ADDRESSED})
"""Statuses that are counted and not listed: another result stands for them, or they are not of this change as it is."""


def log(result: Result, environ: Mapping[str, str], *, incomplete_fails: bool = False) -> bytes:
    """Return the log.

    Args:
        result: What to report.
        environ: Where CI systems say which repository it is.
        incomplete_fails: Whether it is known that an incomplete review fails; else its exit code is left out.
    """
    issues = worst_first(result)
    limit = MOST_RESULTS
    while True:
        data = wire.document(_log(result, issues[:limit], len(issues), environ, incomplete_fails=incomplete_fails))
        size = _compressed(data)
        if size <= MOST_BYTES or not limit:
            return data
        limit = min(limit, len(issues)) * MOST_BYTES // size * 9 // 10


def worst_first(result: Result) -> list[Issue]:
    """Return the issues that are listed: the open ones before the others, those that block first, the worst first."""
    threshold = Threshold(result.severity_threshold)
    listed = [issue for issue in result.issues if issue.status not in ELSEWHERE]
    return sorted(listed, key=lambda issue: (not issue.is_open, not threshold.blocks(issue), -issue.severity.rank))


def _compressed(data: bytes) -> int:
    # Only what is larger uncompressed can be too large. Level 1 compresses least: others send less than this.
    return len(zlib.compress(data, 1)) if len(data) > MOST_BYTES else len(data)


def _log(
    result: Result, issues: Sequence[Issue], total: int, environ: Mapping[str, str], *, incomplete_fails: bool
) -> dict[str, Any]:
    names = [rule_id(issue) for issue in issues]
    described = rules(names, issues)
    index = {rule["id"]: number for number, rule in enumerate(described)}
    run: dict[str, Any] = {
        "tool": {
            "driver": {
                "name": "selfreview",
                "version": __version__,
                "semanticVersion": __version__,
                "rules": described,
                "notifications": NOTIFICATIONS,
            }
        },
        "automationDetails": {"id": f"selfreview/{result.run_id or ''}"},
        "columnKind": "unicodeCodePoints",
        "originalUriBaseIds": {SRCROOT: {"description": {"text": "The top level of the repository."}}},
        "invocations": [invocation(result, _left_out(result, issues, total), incomplete_fails=incomplete_fails)],
        "results": [to_result(issue, name, index[name]) for name, issue in zip(names, issues, strict=True)],
        "properties": {
            "status": result.status.value,
            "verdict": result.verdict.value if result.verdict is not None else None,
            "passed": result.passed,
            "severityThreshold": result.severity_threshold,
            "summary": result.summary,
        },
    }
    where = provenance(result, environ)
    if where is not None:
        run["versionControlProvenance"] = [where]
    return {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}


def _left_out(result: Result, issues: Sequence[Issue], total: int) -> list[str]:
    """Return what the results do not show, a sentence each."""
    told = []
    if total > len(issues):
        told.append(
            f"{total - len(issues)} of {total} issues are left out, the least severe ones: the log would be too large."
        )
    places = sum(max(len(issue.related) - MOST_LOCATIONS, 0) for issue in issues)
    if places:
        told.append(f"{places} related places are left out: there are more than {MOST_LOCATIONS} for one issue.")
    tally = Counter(issue.status for issue in result.issues)
    words = [f"{tally[status]} {status.value.replace('_', ' ')}" for status in IssueStatus if status in ELSEWHERE]
    if any(tally[status] for status in ELSEWHERE):
        told.append(f"Issues that are not results: {', '.join(word for word in words if word[0] != '0')}.")
    return told
