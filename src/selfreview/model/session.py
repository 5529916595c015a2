"""The loop's life for one branch: its state, its refinements, and what people decided."""

from __future__ import annotations

import enum

import msgspec

from selfreview.model.refinement import Stop


class SessionState(enum.StrEnum):
    """The state of a session; the allowed transitions are in :mod:`selfreview.refine.states`."""

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


class Flagged(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """The identity of an accepted issue where an edit beside it gives it another fingerprint.

    Attributes:
        fingerprint: Of the issue when it was accepted.
        key: A digest of who reports what on which lines of which file.
        alike: How many issues had that key then.
    """

    fingerprint: str
    key: str
    alike: int = 1


class Decision(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """A person's decision about a session, or about an issue of it.

    Attributes:
        action: ``accept``, ``withdraw`` (of an ``accept``), ``skip``, ``ready``, ``reset``, ``retry``, ``refine``,
            ``resume``, ``apply`` or ``undo``.
        who: The person, as git names the author of commits.
        at: UTC, ISO 8601, ending in ``Z``.
        reason: Why, in their words; for ``apply`` and ``undo`` the id of the patch.
        fingerprint: Of the issue, for ``accept`` and ``withdraw``.
        also: Fingerprints of the duplicates that were shown as one with it, for ``accept``.
        tree: Git's id of the tree that they had in front of them, where that matters.
        flagged: What these issues are known by besides, where that could be read, for ``accept``.
    """

    action: str
    who: str
    at: str
    reason: str = ""
    fingerprint: str | None = None
    also: list[str] = []
    tree: str | None = None
    flagged: list[Flagged] = []


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
        stop: Why the last loop ended, or None; ``interrupted`` until it has ended.
        human_review_required: Why a person must look, or None; ``human_review_at`` says since when.
        failed_in: The state in which it failed, to which ``resume`` goes back; ``error`` says why.
        decisions: What people decided, oldest first.
        forge: The repository of its pull request, as ``host/owner/name``; empty where there is none.
        request, request_url: The pull request's number and address, or None and empty.
        fix_cycle: Answers to feedback so far, as the branch or this store has more.
        fix_cycle_reset: How many of them a person's ``reset`` does not count.
        request_reset: Whether what people were called for is to be tried again, since that reset.
        waits: How often in a row a fix cycle could do nothing here or now: the working tree was not free, a remote, a
            model or a quota was not there, or it failed.
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
    forge: str = ""
    request: int | None = None
    request_url: str = ""
    fix_cycle: int = 0
    fix_cycle_reset: int = 0
    request_reset: bool = False
    waits: int = 0
