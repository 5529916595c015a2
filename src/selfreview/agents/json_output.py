"""Content of what agents print: a message, or fields and counts of a JSON document."""

from __future__ import annotations

import json
from typing import Any

from selfreview.errors import ToolError

_MAX_COST = 1e6
"""Maximum cost in dollars: no answer costs as much."""


def message(name: str, output: bytes) -> str:
    """Return an output that is the message itself.

    Raises:
        ToolError: If it is empty or not UTF-8.
    """
    try:
        text = output.decode("utf-8").strip()
    except UnicodeDecodeError as error:
        raise ToolError(f"{name} printed bytes that are not UTF-8") from error
    if not text:
        raise ToolError(f"{name} printed nothing")
    return text


def document(name: str, output: bytes) -> dict[str, Any]:
    """Return an output that is one JSON object.

    Raises:
        ToolError: If it is anything else.
    """
    try:
        value = json.loads(message(name, output))
    except (ValueError, RecursionError) as error:
        raise ToolError(f"{name} printed something else than one JSON document, or half of one") from error
    if not isinstance(value, dict):
        raise ToolError(f"{name} printed JSON that is no object")
    return value


def lines(name: str, output: bytes) -> list[str]:
    """Return an output that is one JSON document a line, by lines: JSON may hold other ends of lines than this one.

    Raises:
        ToolError: If it is empty or not UTF-8.
    """
    return [line for line in message(name, output).split("\n") if line.strip()]


def text(value: dict[str, Any], key: str) -> str:
    """Return a text of an object, or an empty one where there is none."""
    found = value.get(key)
    return found if isinstance(found, str) and found.strip() else ""


def field(name: str, value: dict[str, Any], key: str) -> str:
    """Return a text of an object.

    Raises:
        ToolError: If it is missing or empty.
    """
    found = text(value, key)
    if not found:
        raise ToolError(f"{name} printed no answer: its JSON has no text {key!r}")
    return found


def count(value: Any, *keys: str) -> int:
    """Return a number of tokens at a place in a document: 0 where there is none."""
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None
    return value if type(value) is int and value >= 0 else 0


def dollars(value: Any) -> float:
    """Return what something cost: 0 where it is no amount, or more than any answer costs."""
    return float(value) if isinstance(value, (int, float)) and 0 <= value < _MAX_COST else 0.0
