"""Notices to people, and their delivery by channel."""

from __future__ import annotations

import enum

import msgspec


class NoticeEvent(enum.StrEnum):
    """The event that a notice is about."""

    READY = "ready_for_human"
    ESCALATED = "human_review_required"
    ERROR = "error"
    FIXED = "fixed"


TEST = "test"
"""The key of a notice that only tests a channel, or its prefix before the colon."""


class HistoryEntry(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """An item of feedback, and its outcome.

    Attributes:
        who: Login of who said it.
        what: The beginning of what they said, as plain text.
        outcome: What came of it, as plain text.
    """

    who: str
    what: str
    outcome: str
    cycle: int | None = None
    url: str = ""


class Notice(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """A notice. Its text is plain, its secrets are masked; each channel escapes it in its own way.

    Attributes:
        key: What makes it one message: it is sent once a channel under this key.
        event: What it is about.
        title: One line.
        text: More lines, or empty.
        repository: ``owner/name``, or the folder's name where there is no forge.
        branch: The branch.
        number, url: Of the pull request, or None and empty.
        mention: Logins of people whom it concerns.
        history: The whole feedback history, for an escalation.
        at: UTC, ISO 8601, ending in ``Z``.
    """

    key: str
    event: NoticeEvent
    title: str
    at: str
    text: str = ""
    repository: str = ""
    branch: str = ""
    number: int | None = None
    url: str = ""
    mention: tuple[str, ...] = ()
    history: tuple[HistoryEntry, ...] = ()


class Delivery(enum.StrEnum):
    """The state of delivery of a message on one channel."""

    WAITING = "waiting"
    SENDING = "sending"
    SENT = "sent"
    FAILED = "failed"
    UNKNOWN = "unknown"
