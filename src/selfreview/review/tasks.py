"""Tasks of the reviewers, and their outcomes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple, Protocol

from selfreview.api import Depth, Review, Reviewer, capabilities
from selfreview.api.capabilities import ReviewerCapabilities
from selfreview.model.change import ChangedFile
from selfreview.model.result import ReviewerStatus
from selfreview.plugins.attribution import in_plugin
from selfreview.review.cache import Blobs
from selfreview.review.context import Workbench
from selfreview.review.select_reviewers import Selected

CrashReport = Callable[[str, BaseException], str | None]
Clean = Callable[[Review], Review]
Entries = Callable[[Clean], Mapping[bytes, bytes]]


class ProgressListener(Protocol):
    """Observer of reviewers that start and end; called from worker threads."""

    def started(self, name: str) -> None:
        """Note a start."""

    def advanced(self, name: str, done: int, of: int) -> None:
        """Note how many files of all that it was given a reviewer has finished."""

    def finished(self, name: str, status: ReviewerStatus) -> None:
        """Note an end."""


class Task(NamedTuple):
    """One reviewer and the files it gets.

    Attributes:
        reviewer: Who reviews.
        files: What it selected.
        fault: What it raised when it was asked to select, or None.
    """

    reviewer: Reviewer
    files: tuple[ChangedFile, ...]
    fault: Exception | None = None

    @property
    def capabilities(self) -> ReviewerCapabilities:
        """The optional parts of the reviewer."""
        return capabilities.of_reviewer(self.reviewer)


class Outcome(NamedTuple):
    """Outcome of a task.

    Attributes:
        duration_ms: Wall time in milliseconds.
        cached: Whether nothing had to be reviewed again.
        entries: Returns what is new for the cache, the review passed through a function first.
    """

    task: Task
    review: Review
    duration_ms: int
    cached: bool
    entries: Entries


class Settings(NamedTuple):
    """Settings for running tasks.

    Attributes:
        timeout: Seconds that a reviewer may take that has no ``timeout`` of its own.
        jobs: How many run at once.
        blobs: Where findings are cached, or None.
        watcher: Who is told.
        crash_report: Writes a crash report and returns its path.
    """

    timeout: float
    jobs: int
    blobs: Blobs | None
    watcher: ProgressListener
    crash_report: CrashReport


def assign(reviewers: Iterable[Reviewer], bench: Workbench) -> list[Task]:
    """Give every reviewer the files that it selects; a static one gets only files that are known in full."""
    return [_assign(reviewer, bench) for reviewer in reviewers]


def _assign(reviewer: Reviewer, bench: Workbench) -> Task:
    try:
        files = tuple(
            file
            for file in bench.change.reviewable
            if reviewer.selects(file) and not (reviewer.depth is Depth.STATIC and bench.content.is_partial(file))
        )
    except Exception as error:  # noqa: BLE001 - the boundary: it is raised again where its outcome is made
        return Task(reviewer, (), error)
    return Task(reviewer, files)


def no_entries(_clean: Clean) -> Mapping[bytes, bytes]:
    """Return nothing: there is no cache, or nothing new."""
    return {}


def failed(task: Task, error: BaseException, settings: Settings, duration_ms: int = 0) -> Outcome:
    """Return the outcome of a task in which something was raised that nobody expected; never raises itself."""
    return Outcome(task, crashed(task, error, settings), duration_ms, cached=False, entries=no_entries)


def crashed(task: Task, error: BaseException, settings: Settings) -> Review:
    """Return the review of a reviewer that met a defect, and write the crash report; never raises itself."""
    text = " ".join(f"{type(error).__name__}: {error}".split())
    try:
        path = settings.crash_report(task.reviewer.name, error)
        hint = f"the crash report is in {path}" if path else None
    except Exception as failure:  # noqa: BLE001 - the boundary: what is reported here must not get lost
        hint = f"the crash report cannot be written: {type(failure).__name__}: {failure}"
    place = in_plugin(error, task.reviewer)
    return Review(status=ReviewerStatus.FAILED, error=f"crashed: {text}{place}", hint=hint)


class FinishedFiles:
    """Files that each reviewer has finished; models do not count, for their answers vary.

    Args:
        outcomes: How the reviewers' tasks ended.
        selected: Who was to take part.
    """

    def __init__(self, outcomes: Iterable[Outcome], selected: Selected) -> None:
        self._names = selected.registered
        self._limited = selected.limited
        self._files: dict[str, dict[str, bool]] = {}
        for task, review, *_ in outcomes:
            if task.reviewer.depth is Depth.MODEL or review.status is ReviewerStatus.NOT_APPLICABLE:
                continue
            for file in task.files:
                left_out = any(
                    file.path in some for some in (review.unreviewed, review.not_applicable, review.text_only)
                )
                done = review.status is ReviewerStatus.OK and not left_out
                self._files.setdefault(file.path, {})[task.reviewer.name] = done

    def has_finished(self, reviewer: str, path: str) -> bool:
        """Return whether a reviewer has finished a file."""
        return self._files.get(path, {}).get(reviewer, False)

    def would_know(self, name: str, path: str) -> bool:
        """Return whether every reviewer that could report a name in a file has finished the file.

        Args:
            name: A reviewer, a rule, or both as ``reviewer/rule``.
            path: The file.
        """
        reviewer, slash, _ = name.partition("/")
        if slash or reviewer in self._names:
            return self.has_finished(reviewer, path)
        finished = self._files.get(path, {})
        return bool(finished) and not self._limited and all(finished.values())
