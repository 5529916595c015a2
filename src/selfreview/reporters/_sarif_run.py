"""Facts about the run in a SARIF log: whether the review was complete, and what was reviewed."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any
from urllib.parse import quote

from selfreview.model.result import Result, ResultStatus
from selfreview.reporters import _words as words
from selfreview.reporters._sarif_places import SRCROOT, message
from selfreview.review.verdict import Threshold, exit_code
from selfreview.text.layout import fold, plural

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
