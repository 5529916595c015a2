"""Wording of notices that all channels share."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from selfreview.api import HistoryEntry, Notice, NoticeEvent
from selfreview.model.notice import TEST
from selfreview.text.escape import visible

EVENT: Mapping[NoticeEvent, str] = MappingProxyType(
    {
        NoticeEvent.READY: "ready for a person",
        NoticeEvent.ESCALATED: "a person is needed",
        NoticeEvent.ERROR: "error",
        NoticeEvent.FIXED: "fixed",
    }
)


def heading(notice: Notice) -> str:
    """Return the kind of a notice in a word or two, such as ``fixed``; a test message has its own."""
    return "a test" if notice.key.partition(":")[0] == TEST else EVENT[notice.event]


def place(notice: Notice) -> str:
    """Return the subject of a notice: ``octo/app#7 (work)``."""
    name = notice.repository + (f"#{notice.number}" if notice.number is not None else "")
    return " ".join(part for part in (name, f"({notice.branch})" if notice.branch else "") if part)


def step(entry: HistoryEntry) -> str:
    """Return the author of an entry, and the cycle that answered it."""
    return entry.who if entry.cycle is None else f"{entry.who}, cycle {entry.cycle}"


def lines(text: str) -> list[str]:
    """Return the lines of a text, made visible."""
    return [visible(line) for line in text.replace("\r\n", "\n").split("\n")] if text else []
