"""Ask one reviewer, behind an error boundary: whatever it does becomes an outcome that fails closed."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

import msgspec

from selfreview.api import Review
from selfreview.errors import SelfreviewError, ToolTimeout
from selfreview.model.change import ChangedFile
from selfreview.model.issue import Category, Severity
from selfreview.model.result import ReviewerStatus
from selfreview.review.cache import FindingCache
from selfreview.review.context import RunContext, Workbench
from selfreview.review.tasks import Clean, Outcome, Settings, Task, failed, keep_nothing

MOST_S = 1_000_000
"""Seconds that a reviewer may ask for: as many as the configuration takes."""


def seconds(task: Task, settings: Settings) -> float:
    """Return how long a task may take: as its reviewer says, else as all.

    Raises:
        TypeError: If the reviewer's ``timeout`` is no number of seconds.
    """
    own = getattr(task.reviewer, "timeout", None)
    if own is None:
        return settings.timeout
    if isinstance(own, bool) or not isinstance(own, (int, float)) or not 0 < own <= MOST_S:
        raise TypeError(f"the reviewer's timeout must be a number of seconds above 0, not {own!r}")
    return float(own)


def outcome_of(task: Task, bench: Workbench, settings: Settings) -> Outcome:
    """Run one task; never raises."""
    start = time.monotonic()
    try:
        review, cached, keep = _review(task, bench, settings)
        _check(review, task)
    except SelfreviewError as error:
        review = Review(status=ReviewerStatus.FAILED, error=error.message, hint=error.hint)
        cached, keep = False, keep_nothing
    except BaseException as error:  # noqa: BLE001 - the boundary: native code raises BaseException (a Rust panic)
        return failed(task, error, settings, _milliseconds(start))
    return Outcome(task, review, _milliseconds(start), cached, keep)


def _milliseconds(start: float) -> int:
    return round((time.monotonic() - start) * 1000)


def _review(task: Task, bench: Workbench, settings: Settings) -> tuple[Review, bool, Callable[[Clean], None]]:
    """Take what is cached and review the rest."""
    if task.fault is not None:
        raise task.fault
    context = RunContext(bench, seconds(task, settings))
    cache = FindingCache(settings.blobs, task.reviewer, context) if settings.blobs is not None else None
    known = cache.known(task.files) if cache is not None else {}
    left = [file for file in task.files if file.path not in known]
    keep: Callable[[Clean], None] = keep_nothing
    if not left and known:
        review = Review()
    else:
        review = _ask(task, left, context)
        if cache is not None:
            keep = _keeper(cache, left, review)
    told = getattr(task.reviewer, "notes", None)
    if told is not None and review.status is not ReviewerStatus.SKIPPED:
        review = msgspec.structs.replace(review, notes=[*told(context), *review.notes])
    findings = [finding for entry in known.values() for finding in entry.findings]
    if review.status.incomplete:
        return msgspec.structs.replace(review, findings=[*findings, *review.findings]), False, keep
    if review.status is ReviewerStatus.SKIPPED:
        return review, False, keep
    hints = dict.fromkeys([*(entry.hint for entry in known.values()), review.hint])
    merged = msgspec.structs.replace(
        review,
        status=ReviewerStatus.OK if known else review.status,
        findings=[*findings, *review.findings],
        hint="; ".join(hint for hint in hints if hint) or None,
        not_applicable=[*(path for path, entry in known.items() if not entry.applicable), *review.not_applicable],
    )
    return merged, not left, keep


def _ask(task: Task, files: list[ChangedFile], context: RunContext) -> Review:
    """Call the reviewer; a tool's failure becomes its answer, so that what is known from the cache still stands."""
    try:
        review = task.reviewer.review(files, context)
    except ToolTimeout as error:
        return Review(status=ReviewerStatus.TIMED_OUT, error=error.message, hint=error.hint)
    except SelfreviewError as error:
        return Review(status=ReviewerStatus.FAILED, error=error.message, hint=error.hint)
    if not isinstance(review, Review):
        raise TypeError(f"review() returned {type(review).__name__}, not a Review")
    for finding in review.findings:
        # Structs do not check what a plugin puts into them, and a plain word would fail far from here.
        Severity(finding.severity), Category(finding.category)
        if type(finding.severity) is not Severity or type(finding.category) is not Category:
            raise TypeError("a finding's severity and category must be Severity and Category, not text")
    return review


def _keeper(cache: FindingCache, files: Sequence[ChangedFile], review: Review) -> Callable[[Clean], None]:
    return lambda clean: cache.keep(files, clean(review))


def _check(review: Review, task: Task) -> None:
    """Refuse contradictory answers."""
    if review.status is not ReviewerStatus.OK and review.findings and not review.status.incomplete:
        raise TypeError(f"review() returned findings together with the status {review.status}")
    unknown = set(review.unreviewed) - {file.path for file in task.files}
    if unknown:
        raise TypeError(f"review() names {sorted(unknown)[0]!r}, which it was not given")
