"""A result as a SARIF 2.1.0 log, within what GitHub's code scanning takes.

Source: https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html and
https://docs.github.com/en/code-security/code-scanning/integrating-with-code-scanning/sarif-support-for-code-scanning
"""

from __future__ import annotations

import re
import zlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any
from urllib.parse import quote

from selfreview import __version__
from selfreview.model import wire
from selfreview.model.issue import Issue, IssueStatus
from selfreview.model.result import Result, ResultStatus
from selfreview.reporters import words
from selfreview.reporters.rule_pages import rule_id
from selfreview.reporters.sarif.results import MOST_LOCATIONS, SRCROOT, message, to_result
from selfreview.reporters.sarif.rules import rules
from selfreview.review.verdict import Threshold, exit_code
from selfreview.text.layout import fold, plural

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


_KINDS = {
    "error": "The review could not take place.",
    "reviewer-failed": "A reviewer did not finish: the change was not reviewed as asked.",
    "not-reviewed": "Something was not reviewed as asked.",
    "not-passed": "Something besides the issues keeps the change from passing.",
    "reviewer-skipped": "A reviewer took no part.",
    "left-out": "Something that was found is not among the results.",
    "note": "Something that a reader should know.",
}
NOTIFICATIONS = [{"id": f"selfreview/{kind}", "shortDescription": {"text": text}} for kind, text in _KINDS.items()]
_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")


def invocation(result: Result, left_out: Sequence[str], *, incomplete_fails: bool) -> dict[str, Any]:
    """Return how the run went; it is no success where something was not reviewed as asked.

    Args:
        result: The result.
        left_out: What the log does not show, as sentences.
        incomplete_fails: Whether it is known that an incomplete review fails. ``on_incomplete = "warn"`` holds in a run
            and not in a gate, so that its exit code is left out.
    """
    whole = result.status in (ResultStatus.COMPLETE, ResultStatus.NOTHING_TO_REVIEW)
    told: dict[str, Any] = {
        "executionSuccessful": whole,
        "toolExecutionNotifications": [
            _notification(kind, level, text)
            for kind, level, text in [*_notes(result), *(("left-out", "warning", text) for text in left_out)]
        ],
    }
    if incomplete_fails or result.status is not ResultStatus.INCOMPLETE:
        code = exit_code(result, Threshold(result.severity_threshold), warn_incomplete=False)
        told |= {"exitCode": int(code), "exitCodeDescription": code.name.lower().replace("_", " ")}
    if _TIME.fullmatch(result.timestamp):
        told["endTimeUtc"] = result.timestamp
    return told


def _notification(kind: str, level: str, text: str) -> dict[str, Any]:
    index = list(_KINDS).index(kind)
    return {"descriptor": {"id": f"selfreview/{kind}", "index": index}, "level": level, "message": message(text)}


def _notes(result: Result) -> Iterator[tuple[str, str, str]]:
    """Yield kind, level and text of everything to know that is no issue."""
    if result.error is not None:
        hint = f"\nhint: {fold(result.error.hint)}" if result.error.hint else ""
        yield "error", "error", f"{fold(result.error.message)}{hint}"
    failed = words.missing(result)
    for report in failed:
        hint = f" ({fold(report.hint)})" if report.hint else ""
        yield "reviewer-failed", "error", f"{words.without(result, report)}{hint}"
    gaps = words.gaps(result)
    for gap in gaps:
        yield "not-reviewed", "error", gap
    if result.status is ResultStatus.INCOMPLETE and not failed and not gaps:
        yield "not-reviewed", "error", words.why_incomplete(result)
    for name, why in words.skipped(result):
        yield "reviewer-skipped", "note", f"{name}: {why}"
    if result.coverage.excluded:
        count = plural(len(result.coverage.excluded), "file")
        yield "note", "note", f"{count} excluded: {words.excluded(result)}"
    for reason in result.not_passed_reasons:
        yield "not-passed", "error", fold(reason)
    for note in words.notes(result):
        if not note.startswith("not passed: "):
            yield "note", "note", note


def provenance(result: Result, environ: Mapping[str, str]) -> dict[str, Any] | None:
    """Return which revision of which repository was reviewed, where both are known and it is that revision exactly.

    Only CI systems say which repository it is.
    """
    scope = result.scope
    address = _repository(environ)
    if address is None or scope is None or not scope.head or scope.uncommitted or scope.mode in ("diff", "staged"):
        return None
    told: dict[str, Any] = {
        "repositoryUri": address,
        "revisionId": scope.head,
        "mappedTo": {"uriBaseId": SRCROOT},
    }
    if scope.branch:
        told["branch"] = scope.branch
    return told


def _repository(environ: Mapping[str, str]) -> str | None:
    server, name = environ.get("GITHUB_SERVER_URL", ""), environ.get("GITHUB_REPOSITORY", "")
    address = f"{server}/{name}" if server and name else environ.get("CI_PROJECT_URL", "")
    return quote(address, safe="/:%.-_~") if re.match(r"https?://[^/]", address) else None
