"""Events: what happened to a branch, typed by kind, as the store keeps it, and as a reader gets it.

Those of pull requests are in :mod:`selfreview.model.request_event`, which no run has to import.
"""

from __future__ import annotations

import os
from typing import ClassVar

import msgspec

from selfreview.model.result import Counts, ResultStatus, Verdict
from selfreview.model.session import SessionState


class Event(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """An event as the store keeps it.

    Attributes:
        kind: A dotted name such as ``review.completed``.
        at: UTC, ISO 8601, ending in ``Z``.
        run_id: The run that it belongs to, or None.
        session: The session that it belongs to, or None.
        data: What else is known; JSON values only.
    """

    kind: str
    at: str
    run_id: str | None = None
    session: str | None = None
    data: dict[str, object] = {}


class Item(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """The item that an event is about.

    Attributes:
        branch: The branch; empty on a detached HEAD, and where it is not known.
        worktree: Its working tree; empty where it is not known.
        forge, request, request_url: Its pull request, as in :class:`selfreview.model.session.Session`.
    """

    branch: str = ""
    worktree: str = ""
    forge: str = ""
    request: int | None = None
    request_url: str = ""


class LoggedEvent(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """An event as a reader of the log gets it.

    Attributes:
        cursor: Where the log goes on behind it: the store and the event's number.
        kind, at, run_id, session, data: As in :class:`Event`.
        item: What it is about.
    """

    cursor: str
    kind: str
    at: str
    run_id: str | None = None
    session: str | None = None
    item: Item = Item()
    data: dict[str, object] = {}


class EventData(msgspec.Struct, rename="camel", omit_defaults=True):
    """Data of an event; there is a class for each kind."""

    kind: ClassVar[str] = ""

    @property
    def stored_kind(self) -> str:
        """The kind under which the event is stored."""
        return self.kind

    def event(self, at: str, *, run_id: str | None = None, session: str | None = None) -> Event:
        """Return the event to store, with the id of this process."""
        data = {"pid": os.getpid(), **msgspec.to_builtins(self)}
        return Event(kind=self.stored_kind, at=at, run_id=run_id, session=session, data=data)


class StateChanged(EventData):
    """The session of a branch went from one state to another.

    Attributes:
        previous, new: The states.
        iteration, max_iterations: Refinements so far, and how many there may be.
        reason: Why, where that is not plain.
        verdict, status: Of the review that led to it.
        counts: Open issues by severity, after a refinement.
        issues: Ids of the issues that a refinement is to fix.
        edited: False where a refinement changed nothing.
        tree: Git's id of the tree under review.
        stage, error: What failed, and why.
        request, url: The pull request that it is about.
        forced: Whether the pull request was opened in spite of the review.
        outcome, why: What a fix cycle came to, and the reasons.
    """

    kind: ClassVar[str] = "session.state_changed"

    previous: SessionState
    new: SessionState
    iteration: int
    max_iterations: int
    reason: str | None = None
    verdict: Verdict | None = None
    status: ResultStatus | None = None
    counts: Counts | None = None
    issues: list[str] = []
    edited: bool = True
    tree: str | None = None
    stage: str | None = None
    error: str | None = None
    request: int | None = None
    url: str | None = None
    forced: bool = False
    outcome: str | None = None
    why: list[str] = []


class ReviewCompleted(EventData):
    """A review was completed: each of a refinement's, and that which a run came to, which alone has a run.

    Attributes:
        status, verdict, passed, counts, summary: As in the result.
        iteration: Refinements before it.
        branch, worktree: Where that was, for a review without a session.
    """

    kind: ClassVar[str] = "review.completed"

    status: ResultStatus
    passed: bool
    iteration: int
    counts: Counts
    verdict: Verdict | None = None
    summary: str = ""
    branch: str = ""
    worktree: str = ""


class RefinementCompleted(EventData):
    """A refinement was completed, with the review of what it led to.

    Attributes:
        iteration: Its number, from 1.
        addressed, unaddressed, introduced: Ids of issues that went, stayed and came.
        patch: Id of the kept patch, or None where nothing was changed.
        files: How many files it changed.
    """

    kind: ClassVar[str] = "session.refinement_completed"

    iteration: int
    addressed: list[str]
    unaddressed: list[str]
    introduced: list[str]
    patch: str | None
    files: int = 0


class RunEnded(EventData):
    """A run on a branch came to its end.

    Attributes:
        stop: Why refinement ended, or None.
        patch: Id of the patch that waits, or None.
        run: The stored run, or None.
    """

    kind: ClassVar[str] = "session.run_ended"

    stop: str | None
    patch: str | None
    run: str | None


class HumanReviewRequired(RunEnded):
    """A run ended, and a person has to look at the branch."""

    kind: ClassVar[str] = "session.human_review_required"


class SessionResumed(EventData):
    """An interrupted run was taken up.

    Attributes:
        iteration: How many iterations were taken over.
        patches: Ids of their patches.
    """

    kind: ClassVar[str] = "session.resumed"

    iteration: int
    patches: list[str]


class ReadyForHuman(EventData):
    """People can take over: the branch is ready for their review.

    Attributes:
        summary: Why, in words.
        request, url: The pull request, where there is one.
    """

    kind: ClassVar[str] = "session.ready_for_human"

    summary: str
    request: int | None = None
    url: str = ""


class Escalated(EventData):
    """A person has to take over: the loop, or a fix cycle, cannot go on without one.

    Attributes:
        why: The reason, in words.
        request, url: The pull request, where there is one.
    """

    kind: ClassVar[str] = "session.escalated"

    why: str
    request: int | None = None
    url: str = ""


class CommandFailed(EventData):
    """A command ended with an error.

    Attributes:
        stage: The command, such as ``run`` or ``pr fix``.
        message: What is wrong.
        code: The exit code.
        hint: What to do about it, where that is known.
        branch, worktree: Where that was.
    """

    kind: ClassVar[str] = "error"

    stage: str
    message: str
    code: int
    hint: str | None = None
    branch: str = ""
    worktree: str = ""


class PersonDecided(EventData):
    """A person decided something; the last word of the kind says what, such as ``person.accept``.

    Attributes:
        action: What.
        who: The person.
        reason: Why, in their words; for a patch its id.
        issue: Fingerprint of the issue that it is about, or None.
    """

    kind: ClassVar[str] = "person.*"

    action: str
    who: str
    reason: str
    issue: str | None

    @property
    def stored_kind(self) -> str:
        """The kind under which the event is stored."""
        return f"person.{self.action}"


class PatchEvent(EventData):
    """Something was done with a kept patch.

    Attributes:
        patch: Its id.
        staged: Whether it is about the index, too.
        reason: Why, where that is not plain.
    """

    patch: str
    staged: bool = False
    reason: str | None = None


class PatchWaits(PatchEvent):
    """A patch waits to be applied."""

    kind: ClassVar[str] = "patch.waits"


class PatchApplying(PatchEvent):
    """A patch is about to be applied."""

    kind: ClassVar[str] = "patch.applying"


class PatchApplied(PatchEvent):
    """A patch was applied."""

    kind: ClassVar[str] = "patch.applied"


class PatchRefused(PatchEvent):
    """A patch was not applied; nothing was changed."""

    kind: ClassVar[str] = "patch.refused"


class DefaultUsed(EventData):
    """A default decided what nobody had set.

    Attributes:
        what: ``base``, ``forge`` or ``remote``.
        value: What was taken.
    """

    kind: ClassVar[str] = "default.used"

    what: str
    value: str
