"""JSON of stored data, in which the secrets of this program are masked in the text of people and tools.

What is read back by name (paths, digests, ids, branches) is kept as it is: a file that is called like somebody's
password is still that file.
"""

from __future__ import annotations

import re
from typing import Any

import msgspec

from selfreview.model.wire import to_json
from selfreview.text.masking import Masking, masking

WORDS = frozenset(
    {
        "answer",
        "description",
        "error",
        "evidence",
        "hint",
        "humanReviewRequired",
        "incompleteReasons",
        "message",
        "note",
        "notes",
        "notPassedReasons",
        "reason",
        "rejected",
        "statusReason",
        "stopReason",
        "suggestedFix",
        "summary",
        "text",
        "title",
        "what",
        "why",
    }
)
"""The keys, as JSON has them, of text by people, tools and models."""

_ID = re.compile(r"(?:duplicate of )?(?:sr|[prs])-[0-9a-f-]+")
"""A pattern of the ids that may stand in place of a reason and are read back by name."""


def kept_json(value: Any) -> bytes:
    """Encode a struct or builtin value for whoever reads it back, with the words in it masked.

    A mechanical fix that repeats a masked value is left out: applied, it would write the mask.
    """
    hider = masking()
    return to_json(_masked(msgspec.to_builtins(value), hider) if hider.is_active else value)


def _masked(value: Any, hider: Masking) -> Any:
    """Mask the words in builtin containers."""
    if isinstance(value, dict):
        return {key: _of(key, said, hider) for key, said in value.items()}
    return [_masked(one, hider) for one in value] if isinstance(value, (list, tuple)) else value


def _of(key: str, said: Any, hider: Masking) -> Any:
    if key == "edits":
        exact = to_json(said)
        return said if hider.hide_in_json(exact) == exact else []
    return _words(said, hider) if key in WORDS else _masked(said, hider)


def _words(said: Any, hider: Masking) -> Any:
    if isinstance(said, str):
        return said if _ID.fullmatch(said) else hider.hide(said)
    return [_words(one, hider) for one in said] if isinstance(said, (list, tuple)) else _masked(said, hider)
