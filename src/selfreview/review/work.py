"""Run the reviewers side by side, each behind its own error boundary and deadline."""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple, Protocol

import msgspec

from selfreview.api import Depth, Finding, Review, Reviewer
from selfreview.errors import SelfreviewError, ToolTimeout
from selfreview.model.change import ChangedFile
from selfreview.model.issue import Category, Severity
from selfreview.model.result import ReviewerStatus
from selfreview.review.cache import Blobs, FindingCache
from selfreview.review.context import RunContext, Workbench

GRACE_S = 2.0
"""Seconds past its deadline that a reviewer may take to come back by itself."""

CrashReport = Callable[[str, BaseException], str | None]


class Watcher(Protocol):
    """Told when reviewers start and end; called from worker threads."""

    def started(self, name: str) -> None:
        """Note a start."""

    def finished(self, name: str, status: ReviewerStatus) -> None:
        """Note an end."""


class Task(NamedTuple):
    """One reviewer and the files it gets."""

    reviewer: Reviewer
    files: tuple[ChangedFile, ...]


Clean = Callable[[Finding], Finding]


class Outcome(NamedTuple):
    """How a task ended.

    Attributes:
        keep: Keeps what is new in the cache, each finding passed through a function first.
    """

    task: Task
    review: Review
    duration_ms: int
    cached: bool
    keep: Callable[[Clean], None]


class Settings(NamedTuple):
    """How tasks are run.

    Attributes:
        timeout: Seconds that each reviewer may take.
        jobs: How many run at once.
        blobs: Where findings are cached, or None.
        watcher: Who is told.
        crash_report: Writes a crash report and returns its path.
    """

    timeout: float
    jobs: int
    blobs: Blobs | None
    watcher: Watcher
    crash_report: CrashReport


def assign(reviewers: Iterable[Reviewer], bench: Workbench) -> list[Task]:
    """Give every reviewer the files that it selects; a static one gets only files that are known in full."""
    tasks = []
    for reviewer in reviewers:
        files = tuple(
            file
            for file in bench.change.reviewable
            if reviewer.selects(file) and not (reviewer.depth is Depth.STATIC and bench.content.is_partial(file))
        )
        tasks.append(Task(reviewer, files))
    return tasks


def run_all(tasks: Sequence[Task], bench: Workbench, settings: Settings) -> list[Outcome]:
    """Run all tasks and return their outcomes in the same order; never raises for what a reviewer does.

    A reviewer that does not come back is left behind in its daemon thread: its children are killed with the run.
    """
    slots = threading.Semaphore(settings.jobs)
    done: queue.SimpleQueue[tuple[int, Outcome]] = queue.SimpleQueue()
    begun: dict[int, float] = {}

    def work(index: int, task: Task) -> None:
        with slots:
            begun[index] = time.monotonic()
            settings.watcher.started(task.reviewer.name)
            outcome = _guarded(task, bench, settings)
            settings.watcher.finished(task.reviewer.name, outcome.review.status)
            done.put((index, outcome))

    outcomes: dict[int, Outcome] = {}
    waiting = set()
    for index, task in enumerate(tasks):
        if task.files or _sees_excluded(task, bench):
            waiting.add(index)
            threading.Thread(target=work, args=(index, task), daemon=True, name=task.reviewer.name).start()
        else:
            nothing = Review(status=ReviewerStatus.NOT_APPLICABLE)
            outcomes[index] = Outcome(task, nothing, 0, cached=False, keep=_keep_nothing)
    while waiting:
        now = time.monotonic()
        late = [i for i in waiting if i in begun and now > begun[i] + settings.timeout + GRACE_S]
        for index in late:
            waiting.discard(index)
            outcomes[index] = _late(tasks[index], settings)
            slots.release()  # the thread keeps its slot for ever; the next one needs it
            settings.watcher.finished(tasks[index].reviewer.name, ReviewerStatus.TIMED_OUT)
        try:
            index, outcome = done.get(timeout=_patience(waiting, begun, settings.timeout))
        except queue.Empty:
            continue
        if index in waiting:
            waiting.discard(index)
            outcomes[index] = outcome
    return [outcomes[index] for index in range(len(tasks))]


def _patience(waiting: Iterable[int], begun: dict[int, float], timeout: float) -> float:
    """Seconds until the next deadline can have passed; short while a task has yet to begin."""
    ends = [begun[i] + timeout + GRACE_S for i in waiting if i in begun]
    return max(min(ends, default=time.monotonic()) - time.monotonic(), 0.01) + 0.01 if ends else 0.05


def _guarded(task: Task, bench: Workbench, settings: Settings) -> Outcome:
    """Run one task; whatever is raised becomes an outcome that fails closed."""
    start = time.monotonic()
    cached = False
    keep: Callable[[Clean], None] = _keep_nothing
    try:
        review, cached, keep = _review(task, bench, settings)
        _check(review, task)
    except SelfreviewError as error:
        review = Review(status=ReviewerStatus.FAILED, error=error.message, hint=error.hint)
    except BaseException as error:  # noqa: BLE001 - the boundary: native code raises BaseException (a Rust panic)
        path = settings.crash_report(task.reviewer.name, error)
        text = " ".join(f"{type(error).__name__}: {error}".split())[:300]
        hint = f"the crash report is in {path}" if path else None
        review = Review(status=ReviewerStatus.FAILED, error=f"crashed: {text}", hint=hint)
    return Outcome(task, review, round((time.monotonic() - start) * 1000), cached, keep)


def _keep_nothing(_clean: Clean) -> None:
    """Keep nothing: there is no cache, or nothing new."""


def _sees_excluded(task: Task, bench: Workbench) -> bool:
    """Whether a reviewer asks for changes of which it is given no file, because it looks at excluded files' names."""
    return bool(getattr(task.reviewer, "sees_excluded", False)) and any(f.excluded for f in bench.change.files)


def _review(task: Task, bench: Workbench, settings: Settings) -> tuple[Review, bool, Callable[[Clean], None]]:
    """Take what is cached and review the rest."""
    context = RunContext(bench, settings.timeout)
    cache = FindingCache(settings.blobs, task.reviewer, context) if settings.blobs is not None else None
    known = cache.known(task.files) if cache is not None else {}
    left = [file for file in task.files if file.path not in known]
    keep: Callable[[Clean], None] = _keep_nothing
    if not left and known:
        review = Review()
    else:
        review = _ask(task, left, context)
        if cache is not None:
            keep = _keeper(cache, left, review)
    findings = [finding for found, _ in known.values() for finding in found]
    if review.status.incomplete:
        return msgspec.structs.replace(review, findings=[*findings, *review.findings]), False, keep
    if review.status is ReviewerStatus.SKIPPED:
        return review, False, keep
    skipped = [path for path, (_, applicable) in known.items() if not applicable]
    merged = msgspec.structs.replace(
        review,
        status=ReviewerStatus.OK if known else review.status,
        findings=[*findings, *review.findings],
        not_applicable=[*skipped, *review.not_applicable],
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
    def keep(clean: Clean) -> None:
        findings = [clean(finding) for finding in review.findings]
        cache.keep(files, msgspec.structs.replace(review, findings=findings))

    return keep


def _check(review: Review, task: Task) -> None:
    """Refuse contradictory answers."""
    if review.status is not ReviewerStatus.OK and review.findings and not review.status.incomplete:
        raise TypeError(f"review() returned findings together with the status {review.status}")
    unknown = set(review.unreviewed) - {file.path for file in task.files}
    if unknown:
        raise TypeError(f"review() names {sorted(unknown)[0]!r}, which it was not given")


def _late(task: Task, settings: Settings) -> Outcome:
    review = Review(
        status=ReviewerStatus.TIMED_OUT,
        error=f"did not finish within {settings.timeout:g} s",
        hint="raise reviewer_timeout, or leave it out with -p no:" + task.reviewer.name,
    )
    took = round((settings.timeout + GRACE_S) * 1000)
    return Outcome(task, review, took, cached=False, keep=_keep_nothing)
