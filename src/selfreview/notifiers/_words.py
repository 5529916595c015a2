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
    """Return what a notice is about, in a word or two; one that only tries a channel says that."""
    return "a test" if notice.key.partition(":")[0] == TEST else EVENT[notice.event]


def place(notice: Notice) -> str:
    """Return what a notice is about: ``octo/app#7 (work)``."""
    name = notice.repository + (f"#{notice.number}" if notice.number is not None else "")
    return " ".join(part for part in (name, f"({notice.branch})" if notice.branch else "") if part)


def step(entry: HistoryEntry) -> str:
    """Return who said something, and in which cycle it was answered."""
    return entry.who if entry.cycle is None else f"{entry.who}, cycle {entry.cycle}"


def lines(text: str) -> list[str]:
    """Return the lines of a text, made visible."""
    return [visible(line) for line in text.replace("\r\n", "\n").split("\n")] if text else []
