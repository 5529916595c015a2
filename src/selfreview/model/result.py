"""The result of a review: what `--format json` prints and the store keeps."""

from __future__ import annotations

import enum

import msgspec

from selfreview.model.change import LeftOut
from selfreview.model.issue import DEFAULT_THRESHOLD, Issue
from selfreview.model.refinement import Refinement, Stop
from selfreview.model.usage import Outage
from selfreview.model.usage import Usage as Usage  # noqa: PLC0414 - part of what a result is made of

SCHEMA_VERSION = 1


class Verdict(enum.StrEnum):
    """The verdict on the open issues."""

    PASS = "pass"  # noqa: S105 - a verdict, not a password
    NEEDS_WORK = "needs_work"
    CRITICAL_ISSUES = "critical_issues"


class ResultStatus(enum.StrEnum):
    """The status of the review: whether it took place."""

    COMPLETE = "complete"
    INCOMPLETE = "incomplete"
    NOTHING_TO_REVIEW = "nothing_to_review"
    ERROR = "error"


class NotPassed(enum.StrEnum):
    """A kind of reason for which a review does not pass, besides issues that block."""

    MAX_ISSUES = "max_issues"
    STRICT = "strict"
    PLUGIN = "plugin"


class ReviewerStatus(enum.StrEnum):
    """The status of one reviewer's part."""

    OK = "ok"
    SKIPPED = "skipped"
    NOT_APPLICABLE = "not_applicable"
    FAILED = "failed"
    TIMED_OUT = "timed_out"
    OVER_BUDGET = "over_budget"

    @property
    def incomplete(self) -> bool:
        """Return whether this status means that the change was not reviewed as asked."""
        return self in (ReviewerStatus.FAILED, ReviewerStatus.TIMED_OUT, ReviewerStatus.OVER_BUDGET)


class Depth(enum.StrEnum):
    """The depth of a review: text, static or model; ordered from shallow to deep."""

    TEXT = "text"
    STATIC = "static"
    MODEL = "model"


class Counts(msgspec.Struct, kw_only=True):
    """Open issues by severity.

    Attributes:
        critical, high, medium, low, suggestion: How many there are of it.
    """

    critical: int = 0
    high: int = 0
    medium: int = 0
    low: int = 0
    suggestion: int = 0


class ScopeSummary(msgspec.Struct, kw_only=True, rename="camel"):
    """The scope as the result names it; see :class:`selfreview.model.change.Scope`.

    Attributes:
        mode: ``branch``, ``head``, ``staged``, ``commit``, ``range`` or ``diff``.
        base: The base as the person or the discovery named it, or None.
        merge_base: Object id of the commit or tree on the old side, or None.
        head: Object id of the commit on the new side, or None.
        tree: Git's id of the tree that was reviewed, or None.
        branch: The checked-out branch, or None.
        uncommitted: Whether the change holds content that is not committed.
        files: How many files the change touches.
        added_lines, removed_lines: Its size.
        notes: Sentences that a person should know about the scope.
        limits: Those of the result's notes that say what ``partial`` and ``asked_less`` are of; missing without any.
        partial: Whether the command line limited the review, to paths or to reviewers; a note says to which.
        asked_less: Whether the command line or the environment asked for less than the files of settings do, such as
            a higher threshold or fewer files; a note says in what.
    """

    mode: str
    base: str | None = None
    merge_base: str | None = None
    head: str | None = None
    tree: str | None = None
    branch: str | None = None
    uncommitted: bool = False
    partial: bool = False
    asked_less: bool = False
    files: int = 0
    added_lines: int = 0
    removed_lines: int = 0
    notes: list[str] = []
    limits: list[str] | msgspec.UnsetType = msgspec.UNSET

    @property
    def whole(self) -> bool:
        """Return whether the review covers the whole branch, with everything that its settings ask for."""
        return self.mode in ("branch", "head") and not self.partial and not self.asked_less


class Excluded(msgspec.Struct, kw_only=True, rename="camel"):
    """A file that no reviewer saw, and why.

    Attributes:
        path: The file, from the top of the repository.
        why: The reason, in words.
        path_bytes: Base64 of the path where it is not UTF-8, else None.
    """

    path: str
    why: str
    path_bytes: str | None = None


class NotReviewed(msgspec.Struct, kw_only=True, rename="camel"):
    """A reason why files were not reviewed, with their number.

    Attributes:
        why: The reason, in words.
        files: How many files it holds for.
    """

    why: str
    files: int


class DepthLines(msgspec.Struct, kw_only=True):
    """The number of added lines that a reviewer of each depth saw.

    Attributes:
        text: Lines that were scanned as text.
        static: Lines that a static analyser read.
        model: Lines that a model read.
    """

    text: int = 0
    static: int = 0
    model: int = 0


class Coverage(msgspec.Struct, kw_only=True, rename="camel"):
    """The coverage of a review: what was looked at, and how deeply.

    Attributes:
        files, added_lines: Of the whole change, excluded files included.
        reviewed_files: Files that at least one reviewer finished.
        depth: Added lines that a reviewer of that depth finished.
        text_only: Paths that no static analyser for their language and no model saw.
        excluded: Files that nobody saw, and why.
        not_reviewed: Why files are not among the reviewed, those that are excluded included; the most frequent first.
        left_out: Work that is no part of what was asked for, such as unstaged files with ``--staged``.
    """

    files: int = 0
    reviewed_files: int = 0
    added_lines: int = 0
    depth: DepthLines = msgspec.field(default_factory=DepthLines)
    text_only: list[str] = []
    excluded: list[Excluded] = []
    not_reviewed: list[NotReviewed] = []
    left_out: list[LeftOut] = []


class ReviewerReport(msgspec.Struct, kw_only=True, rename="camel"):
    """The report on one reviewer's part.

    Attributes:
        name: The reviewer.
        status: How its part ended.
        duration_ms: Wall time in milliseconds.
        files: How many files it reviewed.
        usage: What it cost, or None.
        issues: Issues it reported, of every status.
        cached: Whether everything came from the cache and no tool was started.
        error: Why it failed, was skipped or had nothing to do, in one line.
        hint: What a person can do about it.
        depth: How deep it looks.
        required: Whether the result is incomplete without it.
        outage: Why its model could not be asked; missing where it was asked, or it has none.
        gap: Which of ``incomplete_reasons`` is about its end; missing where none is.
    """

    name: str
    status: ReviewerStatus
    duration_ms: int = 0
    issues: int = 0
    cached: bool = False
    usage: Usage | None = None
    error: str | None = None
    hint: str | None = None
    depth: Depth | None = None
    files: int = 0
    required: bool = False
    outage: Outage | msgspec.UnsetType = msgspec.UNSET
    gap: str | msgspec.UnsetType = msgspec.UNSET

    @property
    def is_missing(self) -> bool:
        """Return whether the result is incomplete without it, or would be if nothing else decided that."""
        return self.status.incomplete or (self.required and self.status is ReviewerStatus.SKIPPED)


class ErrorInfo(msgspec.Struct, kw_only=True, rename="camel"):
    """An error for a person, as JSON.

    Attributes:
        message: What is wrong, in one line.
        hint: What to do about it, or None.
        exit_code: The exit code that it leads to.
    """

    message: str
    hint: str | None = None
    exit_code: int = 4


class KeptPatch(msgspec.Struct, kw_only=True, rename="camel"):
    """The patch that refinement led to.

    Attributes:
        id: Its name, for ``selfreview apply``.
        file: The same as a patch file, which ``git apply`` takes.
        iteration: The refinement that it leads to.
        files: How many files it changes.
        applied: Whether it was applied to the person's tree.
        staged: Whether it was staged too.
        reason: Why it was not applied, or None.
        better: Whether it leads to a state that is better than the tree that was reviewed. One that is not waits, too,
            and is never applied unasked.
        held: The edits of it that wait for a person, as they are of tests that were there, each with its place and why.
            Such a patch is never applied unasked.
    """

    id: str
    file: str
    iteration: int
    files: int
    applied: bool = False
    staged: bool = False
    reason: str | None = None
    better: bool = True
    held: list[str] = []


class Iteration(msgspec.Struct, kw_only=True, rename="camel"):
    """One refinement, and the review after it, of the workspace as it then was.

    Attributes:
        refinement: What was attempted.
        review: The review after it.
        addressed: The issues that it addressed, which no review after it holds.
    """

    refinement: Refinement
    review: Result
    addressed: list[Issue] = []


class Result(msgspec.Struct, kw_only=True, rename="camel"):
    """A review's whole outcome; version 1 of the wire form only ever gains keys.

    Attributes:
        schema_version: Version of this form.
        status: Whether the review took place.
        summary: The outcome in one line, for a person.
        issues: Every issue, those that do not count included.
        counts: Open issues by severity.
        scope: What was reviewed, or None where that was not known yet.
        coverage: How much of it was looked at, and how deeply.
        reviewers: How each reviewer's part went.
        usage: What models were sent and cost in all.
        error: What ended the run, or None.
        verdict: None when incomplete, unless the open issues already decide it.
        passed: Complete, and nothing open at or above the threshold.
        severity_threshold: The lowest severity that blocks; per category where configured so.
        model_reviewed: Whether a model took part.
        duration_ms: Wall time of the whole run in milliseconds, without what a person took to answer questions.
        iteration: Number of refinements before this review.
        timestamp: UTC, ISO 8601, ending in ``Z``.
        notes: Sentences for a person that belong to every output.
        incomplete_reasons: Why the change was not reviewed as asked, a sentence each; empty when it was.
        not_passed_reasons: What else keeps it from passing besides issues at or above the threshold, a clause each.
        not_passed_by: The same as kinds, in the same order; missing without any.
        iterations: What refinement did, oldest first; the result itself is of the tree as the person has it.
        stop: Why refinement ended, or None where there was none.
        stop_reason: The same in words, or None.
        patch: What refinement led to, or None.
        held: What else waits for a person, as it edits tests that were there; on top of the patch, if that is applied.
        run_id: The id under which the store keeps it, or None.
    """

    schema_version: int = SCHEMA_VERSION
    verdict: Verdict | None = None
    status: ResultStatus = ResultStatus.COMPLETE
    passed: bool = False
    severity_threshold: str | dict[str, str] = DEFAULT_THRESHOLD
    summary: str = ""
    iteration: int = 0
    timestamp: str = ""
    run_id: str | None = None
    model_reviewed: bool = False
    duration_ms: int = 0
    notes: list[str] = []
    incomplete_reasons: list[str] = []
    not_passed_reasons: list[str] = []
    not_passed_by: list[NotPassed] | msgspec.UnsetType = msgspec.UNSET
    issues: list[Issue] = []
    counts: Counts = msgspec.field(default_factory=Counts)
    scope: ScopeSummary | None = None
    coverage: Coverage = msgspec.field(default_factory=Coverage)
    reviewers: list[ReviewerReport] = []
    usage: Usage = msgspec.field(default_factory=Usage)
    iterations: list[Iteration] = []
    stop: Stop | None = None
    stop_reason: str | None = None
    patch: KeptPatch | None = None
    held: KeptPatch | None = None
    error: ErrorInfo | None = None

    @property
    def open_issues(self) -> list[Issue]:
        """The issues that count."""
        return [issue for issue in self.issues if issue.is_open]
