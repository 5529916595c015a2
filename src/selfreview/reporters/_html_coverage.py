"""The page's part on what was looked at, by whom, and what nobody saw."""

from __future__ import annotations

from typing import NamedTuple

from selfreview.api import Result
from selfreview.model.result import ResultStatus, ReviewerReport
from selfreview.reporters import _words as words
from selfreview.text.layout import fold, plural


class Paths(NamedTuple):
    """Files with the same reason, and which."""

    why: str
    paths: list[str]


class Coverage(NamedTuple):
    """Coverage in words; ``reviewers`` come with the outcome of each, and the reason for it."""

    facts: list[tuple[str, str]]
    reviewers: list[tuple[ReviewerReport, str, str]]
    text_only: list[str]
    excluded: list[Paths]


def coverage(result: Result) -> Coverage:
    """Return the coverage of a result."""
    return Coverage(
        list(_facts(result)),
        [(report, words.spoken(report.status.value), _why(report)) for report in result.reviewers],
        result.coverage.text_only,
        _excluded(result),
    )


def _facts(result: Result) -> list[tuple[str, str]]:
    known = result.coverage
    if result.status not in (ResultStatus.COMPLETE, ResultStatus.INCOMPLETE):
        return []
    facts = [
        ("Files", f"{known.reviewed_files} of {known.files} reviewed"),
        (
            "Added lines",
            f"{known.added_lines}: model {known.depth.model}, static {known.depth.static}, text {known.depth.text}",
        ),
    ]
    if known.not_reviewed:
        facts.append(("Not reviewed", ", ".join(f"{reason.files} {fold(reason.why)}" for reason in known.not_reviewed)))
    if known.left_out:
        facts.append(("Left out", words.left_out(known.left_out)))
    usage = result.usage
    if usage.requests:
        sent = usage.input_tokens + usage.cache_read_tokens + usage.cache_write_tokens
        cost = f"{plural(usage.requests, 'request')}, {sent} tokens in, {usage.output_tokens} out"
        facts.append(("Model", cost + words.dollars(usage)))
    return facts


def _why(report: ReviewerReport) -> str:
    why = fold(report.error or "")
    hint = fold(report.hint or "")
    return f"{why} ({hint})" if why and hint else why or hint


def _excluded(result: Result) -> list[Paths]:
    by_reason: dict[str, list[str]] = {}
    for item in result.coverage.excluded:
        by_reason.setdefault(item.why, []).append(item.path)
    return [Paths(why, paths) for why, paths in by_reason.items()]
