"""Events of pull requests, and every kind of event by its name."""

from __future__ import annotations

from typing import ClassVar

import msgspec

from selfreview.model import event
from selfreview.model.event import EventData, PersonDecided


class Piece(msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """A piece of feedback in an event.

    Attributes:
        id: Of the feedback.
        meaning: What it was taken to mean.
        who: Login of who said it.
        what: What is asked for, in one line.
        file, line: The place in the code, where it has one.
        severity: How much it matters, for what asks for an edit.
    """

    id: str
    meaning: str
    who: str = ""
    what: str = ""
    file: str = ""
    line: int | None = None
    severity: str | None = None


class FeedbackReceived(EventData):
    """Reviewers of a pull request said something new; nothing is done about it yet.

    Attributes:
        request, url: The pull request.
        items: The meaning of what is open, by its id.
        overall: What it calls for.
        pieces: What is open, with its words; the first of many.
    """

    kind: ClassVar[str] = "feedback.received"

    request: int
    items: dict[str, str]
    url: str = ""
    overall: str = ""
    pieces: list[Piece] = msgspec.field(default_factory=list)


class ReviewRequested(EventData):
    """People were asked to review a pull request again.

    Attributes:
        request: The pull request.
        who: Their logins.
    """

    kind: ClassVar[str] = "review.requested"

    request: int
    who: list[str]


class RequestCreated(EventData):
    """A pull request was opened.

    Attributes:
        request, url: The pull request.
        title: Its title.
        draft: Whether it is a draft.
    """

    kind: ClassVar[str] = "request.created"

    request: int
    url: str
    title: str = ""
    draft: bool = False


class WorktreeReused(EventData):
    """A fix cycle works in a working tree that was there.

    Attributes:
        path: Its folder.
    """

    kind: ClassVar[str] = "worktree.reused"

    path: str


class CycleCommit(EventData):
    """Something was done with the commit of a fix cycle.

    Attributes:
        commit: The commit.
        cycle: Which fix cycle it is, from 1.
        items: Keys of the feedback that it answers.
    """

    commit: str
    cycle: int
    items: list[str]


class CyclePushing(CycleCommit):
    """The commit of a fix cycle is about to be pushed."""

    kind: ClassVar[str] = "cycle.pushing"


class CyclePushed(CycleCommit):
    """The commit of a fix cycle was pushed."""

    kind: ClassVar[str] = "cycle.pushed"


class CycleDropped(CycleCommit):
    """The commit of a fix cycle was dropped, as its feedback was withdrawn."""

    kind: ClassVar[str] = "cycle.dropped"


class CycleEnded(EventData):
    """A fix cycle came to its end.

    Attributes:
        outcome: What it came to.
        why: The reasons, as sentences.
        commit: The commit that was pushed, or None.
        undone: What belongs to it and is not done yet, as phrases.
    """

    kind: ClassVar[str] = "cycle.ended"

    outcome: str
    why: list[str]
    commit: str | None
    undone: list[str]


class CycleFailed(EventData):
    """A fix cycle ended with an error.

    Attributes:
        error: What is wrong.
    """

    kind: ClassVar[str] = "cycle.failed"

    error: str


KINDS: dict[str, type[EventData]] = {
    found.kind: found
    for found in [*vars(event).values(), *vars().values()]
    if isinstance(found, type) and issubclass(found, EventData) and found.kind
}
"""Every kind of event; ``*`` stands for the last word of a kind."""


def typed(kind: str, data: dict[str, object]) -> EventData | None:
    """Return the data of an event as its kind has it; None for a kind or data of another version."""
    named = PersonDecided.kind if kind.startswith("person.") else kind
    if named not in KINDS:
        return None
    try:
        return msgspec.convert({"action": kind.partition(".")[2], **data}, KINDS[named])
    except msgspec.ValidationError:
        return None
