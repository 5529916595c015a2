"""Reading what agents print."""

from __future__ import annotations

import json
from typing import Any

from selfreview.errors import ToolError


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


def field(name: str, value: dict[str, Any], key: str) -> str:
    """Return a text of an object.

    Raises:
        ToolError: If it is missing or empty.
    """
    text = value.get(key)
    if not isinstance(text, str) or not text.strip():
        raise ToolError(f"{name} printed no answer: its JSON has no text {key!r}")
    return text
