"""The loop's life for one branch: its state, its refinements, and what people decided."""

from __future__ import annotations

import enum

import msgspec

from selfreview.model.result import Usage


class SessionState(enum.StrEnum):
    """Where a session stands; which moves are allowed is in :mod:`selfreview.loop.states`."""

    PENDING_SELF_REVIEW = "pending_self_review"
    SELF_REVIEWING = "self_reviewing"
    SELF_REVIEW_PASSED = "self_review_passed"
    SELF_REVIEW_FAILED = "self_review_failed"
    REFINING = "refining"
    PR_CREATED = "pr_created"
    AWAITING_PR_FEEDBACK = "awaiting_pr_feedback"
    ADDRESSING_FEEDBACK = "addressing_feedback"
    READY_FOR_HUMAN_REVIEW = "ready_for_human_review"
    APPROVED = "approved"
    MERGED = "merged"
    FAILED = "failed"
    CLOSED = "closed"


class Stop(enum.StrEnum):
    """Why a loop ended."""

    PASSED = "passed"
    CAP = "cap"
    NO_CHANGE = "no_change"
    SEEN_BEFORE = "seen_before"
    NOT_SHRINKING = "not_shrinking"
    NOTHING_FIXABLE = "nothing_fixable"
    INCOMPLETE = "incomplete"
    BUDGET = "budget"
    DEADLINE = "deadline"
    INTERRUPTED = "interrupted"
    PLUGIN = "plugin"


class FixOutcome(enum.StrEnum):
    """What a fixer says that it did about an issue; whether it is addressed is for the next review to say."""

    ADDRESSED = "addressed"
    FALSE_POSITIVE = "false_positive"
    NEEDS_PERSON = "needs_person"
    NOT_ADDRESSED = "not_addressed"


class FixAnswer(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """A fixer's word on one issue.

    Attributes:
        issue: The issue's id.
        outcome: What it says that it did.
        why: How it did that, or why not, as plain text.
    """

    issue: str
    outcome: FixOutcome
    why: str = ""


class FixerReport(msgspec.Struct, kw_only=True, rename="camel"):
    """How one fixer's part of a refinement went.

    Attributes:
        name: The fixer.
        issues: Ids of the issues that it was given.
        answers: Its word on each, where it gave one.
        files: Paths that it changed and that were kept.
        rejected: Why its patch was not kept, a sentence each; of a first attempt too.
        usage: What it cost, or None.
        error: Why it failed, in one line, or None.
        duration_ms: Wall time in milliseconds.
    """

    name: str
    issues: list[str] = []
    answers: list[FixAnswer] = []
    files: list[str] = []
    rejected: list[str] = []
    notes: str = ""
    usage: Usage | None = None
    error: str | None = None
    duration_ms: int = 0


class Refinement(msgspec.Struct, kw_only=True, rename="camel"):
    """One attempt at the open issues, and what the review after it says of them.

    Attributes:
        addressed_issue_ids: Issues that were open before and are not any more.
        unaddressed_issue_ids: Issues that were given to a fixer and are still open.
        new_issues_introduced: Ids of issues that were not there before.
        notes: What fixers said, and why something was rejected, as sentences.
        fixers: How each fixer's part went.
        files, added_lines, removed_lines: Size of this refinement's own patch.
        patch: Id of the kept patch that leads from the person's tree to the state after this refinement, or None.
        tree: Git's id of the tree after it.
    """

    addressed_issue_ids: list[str] = []
    unaddressed_issue_ids: list[str] = []
    new_issues_introduced: list[str] = []
    notes: str = ""
    fixers: list[FixerReport] = []
    files: int = 0
    added_lines: int = 0
    removed_lines: int = 0
    patch: str | None = None
    tree: str | None = None
    usage: Usage = msgspec.field(default_factory=Usage)
    duration_ms: int = 0


class Decision(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """What a person decided about a session, or about one issue of it.

    Attributes:
        action: ``accept``, ``skip``, ``ready``, ``reset``, ``retry``, ``refine`` or ``resume``.
        who: The person, as git names the author of commits.
        at: UTC, ISO 8601, ending in ``Z``.
        reason: Why, in their words.
        fingerprint: Of the issue, for ``accept``.
    """

    action: str
    who: str
    at: str
    reason: str = ""
    fingerprint: str | None = None


class Session(msgspec.Struct, kw_only=True, rename="camel"):
    """A session.

    Attributes:
        id: ``s-`` and a random part.
        branch: The branch, or ``""`` for a detached HEAD.
        worktree: The top level that it belongs to: two worktrees of one repository have sessions of their own.
        state: Where it stands.
        iteration: Refinements so far.
        max_iterations: How many there may be.
        tree: Git's id of the tree that was last reviewed, as the person has it.
        run_id: The last stored result.
        patch: Id of a kept patch that waits to be applied, or None.
        stop: Why the last loop ended, or None.
        human_review_required: Why a person must look, or None; ``human_review_at`` says since when.
        failed_in: The state in which it failed, to which ``resume`` goes back; ``error`` says why.
        decisions: What people decided, oldest first.
    """

    id: str
    branch: str
    worktree: str
    created: str
    updated: str
    state: SessionState = SessionState.PENDING_SELF_REVIEW
    iteration: int = 0
    max_iterations: int = 3
    base: str | None = None
    tree: str | None = None
    run_id: str | None = None
    patch: str | None = None
    stop: Stop | None = None
    human_review_required: str | None = None
    human_review_at: str | None = None
    failed_in: SessionState | None = None
    error: str | None = None
    decisions: list[Decision] = []
