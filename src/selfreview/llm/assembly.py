"""Content blocks put together from the events of a stream."""

from __future__ import annotations

import json
from typing import Any

_GROWING = {"text_delta": "text", "thinking_delta": "thinking", "signature_delta": "signature"}


class Blocks:
    """Collector of a message's blocks; other servers leave out fields that the SDK's types promise.

    Attributes:
        length: Characters so far.
    """

    def __init__(self) -> None:
        self.length = 0
        self._blocks: list[dict[str, Any]] = []
        self._inputs: dict[int, str] = {}
        self._places: dict[object, int] = {}

    def take(self, event: Any) -> None:
        """Add the content of an event."""
        kind = getattr(event, "type", None)
        if kind == "content_block_start":
            self._start(getattr(event, "index", None), event.content_block)
        elif kind == "content_block_delta":
            place = self._places.get(getattr(event, "index", None))
            if place is not None:
                self._grow(place, event.delta)

    def _start(self, index: object, started: Any) -> None:
        block = _plain(started)
        self._places[index] = len(self._blocks)
        if block.get("type") == "tool_use":
            given = block.get("input")
            self._inputs[len(self._blocks)] = json.dumps(given) if given else ""
            if not isinstance(block.get("id"), str) or not block["id"]:
                block["id"] = f"call_{len(self._blocks)}"
        self._blocks.append(block)

    def _grow(self, place: int, delta: Any) -> None:
        kind = getattr(delta, "type", None)
        name = "partial_json" if kind == "input_json_delta" else _GROWING.get(str(kind), "")
        more = getattr(delta, name, None) if name else None
        if not isinstance(more, str):
            return
        self.length += len(more)
        if name == "partial_json":
            self._inputs[place] = self._inputs.get(place, "") + more
        else:
            block = self._blocks[place]
            block[name] = (block.get(name) or "") + more

    def finished(self) -> tuple[list[dict[str, Any]], frozenset[str]]:
        """Return the blocks, and the ids of the tool calls whose input is no JSON object."""
        broken = set()
        blocks = []
        for place, block in enumerate(self._blocks):
            if block.get("type") == "tool_use":
                given = _object(self._inputs.get(place, ""))
                if given is None:
                    broken.add(block["id"])
                blocks.append({**block, "input": given or {}})
            elif block.get("type") != "text" or block.get("text"):
                blocks.append(block)  # the service refuses an empty text that is handed back to it
        return blocks, frozenset(broken)


def _object(text: str) -> dict[str, Any] | None:
    """Return the JSON object that a text is, or None; a call without arguments may come without any text."""
    try:
        value = json.loads(text) if text.strip() else {}
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _plain(block: Any) -> dict[str, Any]:
    """Return a block of the SDK as the server sent it."""
    if isinstance(block, dict):
        return dict(block)
    made = block.to_dict(mode="json", warnings=False)  # what a server sent amiss is answered, and not warned of
    return {name: value for name, value in made.items() if value is not None}
