"""Notices without secrets."""

from __future__ import annotations

import msgspec

from selfreview.api import HistoryEntry, Notice
from selfreview.scan.redact import mask_secrets


def redacted(notice: Notice) -> Notice:
    """Return a notice with every secret in its text hidden.

    Raises:
        ToolError: If the scanning library is broken or fails.
    """
    history = tuple(_entry(entry) for entry in notice.history)
    return msgspec.structs.replace(
        notice, title=mask_secrets(notice.title), text=mask_secrets(notice.text), history=history
    )


def _entry(entry: HistoryEntry) -> HistoryEntry:
    return msgspec.structs.replace(entry, what=mask_secrets(entry.what), outcome=mask_secrets(entry.outcome))
