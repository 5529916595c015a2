"""Masking of secrets in notices and feedback."""

from __future__ import annotations

import msgspec

from selfreview.api import Analysis, FeedbackItem, HistoryEntry, Notice
from selfreview.scan.redact import mask_secrets


def redacted(notice: Notice) -> Notice:
    """Return a notice with every secret in its text hidden."""
    history = tuple(_entry(entry) for entry in notice.history)
    return msgspec.structs.replace(
        notice, title=mask_secrets(notice.title), text=mask_secrets(notice.text), history=history
    )


def without_secrets(item: FeedbackItem) -> FeedbackItem:
    """Return a piece of feedback with every secret in it hidden, for what is printed."""
    spot = msgspec.structs.replace(item.spot, hunk=mask_secrets(item.spot.hunk)) if item.spot is not None else None
    return msgspec.structs.replace(item, body=mask_secrets(item.body), spot=spot)


def analysis_without_secrets(analysis: Analysis) -> Analysis:
    """Return an analysis with every secret in it hidden."""
    judged = [
        msgspec.structs.replace(
            one,
            item=without_secrets(one.item),
            description=mask_secrets(one.description),
            answer=mask_secrets(one.answer),
            why=mask_secrets(one.why),
        )
        for one in analysis.judged
    ]
    return msgspec.structs.replace(analysis, judged=tuple(judged))


def _entry(entry: HistoryEntry) -> HistoryEntry:
    return msgspec.structs.replace(entry, what=mask_secrets(entry.what), outcome=mask_secrets(entry.outcome))
