"""Encoding to JSON and decoding: camelCase, always valid UTF-8."""

from __future__ import annotations

import base64
import re
import time
from typing import Any, TypeVar

import msgspec

from selfreview.text.escape import json_safe
from selfreview.text.masking import Masking, masking

T = TypeVar("T")

_encoder = msgspec.json.Encoder(order=None)


def utc_now() -> str:
    """Return the time in UTC, as results have it: ISO 8601, ending in ``Z``."""
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())


def display_path(path: str) -> str:
    """Return a path as valid Unicode: bytes that are not UTF-8 become U+FFFD."""
    try:
        raw = path.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:  # surrogates that no bytes stand behind, from a reviewer's own text
        raw = path.encode("utf-8", "replace")
    return raw.decode("utf-8", "replace")


def base64_path(path: str) -> str | None:
    """Return base64 of the path's bytes where it is not valid UTF-8, else None."""
    try:
        path.encode("utf-8")
    except UnicodeEncodeError:
        return base64.b64encode(path.encode("utf-8", "surrogateescape")).decode("ascii")
    return None


def _clean(value: Any) -> Any:
    """Replace lone surrogates anywhere in builtin containers."""
    if isinstance(value, str):
        return display_path(value) if any("\ud800" <= c <= "\udfff" for c in value) else value
    if isinstance(value, dict):
        return {_clean(k): _clean(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [_clean(v) for v in value]
    return value


def to_json(value: Any) -> bytes:
    """Encode a struct or builtin value as JSON in UTF-8, whatever text it holds: exactly, for who reads it back."""
    try:
        return _encoder.encode(value)
    except UnicodeEncodeError:
        return _encoder.encode(_clean(msgspec.to_builtins(value)))


def document(value: Any) -> bytes:
    """Return one JSON document for people and programs: indented by two spaces, invisible characters escaped.

    Values that this program signs in with are hidden.
    """
    return json_safe(msgspec.json.format(to_json(value), indent=2)) + b"\n"


def from_json(data: bytes | str, kind: type[T]) -> T:
    """Decode JSON strictly.

    Raises:
        msgspec.ValidationError: If the document does not have the struct's shape.
        msgspec.DecodeError: If it is not JSON.
    """
    return msgspec.json.decode(data, type=kind)


WORDS = frozenset(
    {
        "answer",
        "description",
        "error",
        "evidence",
        "gap",
        "held",
        "hint",
        "humanReviewRequired",
        "incompleteReasons",
        "limits",
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
    return [_masked(item, hider) for item in value] if isinstance(value, (list, tuple)) else value


def _of(key: str, said: Any, hider: Masking) -> Any:
    if key == "edits":
        exact = to_json(said)
        return said if hider.hide_in_json(exact) == exact else []
    return _words(said, hider) if key in WORDS else _masked(said, hider)


def _words(said: Any, hider: Masking) -> Any:
    if isinstance(said, str):
        return said if _ID.fullmatch(said) else hider.hide(said)
    return [_words(item, hider) for item in said] if isinstance(said, (list, tuple)) else _masked(said, hider)
