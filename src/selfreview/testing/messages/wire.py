"""Answers as the service writes them, as a JSON document or server-sent events, and the token usage that it charges."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Mapping
from typing import Any

from selfreview.testing.messages.script import RecordedRequest, Reply, Status, text_of

_ERROR_TYPES = {
    400: "invalid_request_error",
    401: "authentication_error",
    402: "billing_error",
    403: "permission_error",
    404: "not_found_error",
    413: "request_too_large",
    429: "rate_limit_error",
    504: "timeout_error",
    529: "overloaded_error",
}
_PIECE = 400
"""Most characters of one delta."""


def encode(value: object) -> bytes:
    """Write JSON; a lone surrogate becomes the escape that the service may send."""
    return json.dumps(value, ensure_ascii=True).encode("ascii")


def error(status: Status) -> bytes:
    """Write the body of an HTTP error."""
    inner: dict[str, Any] = {"type": status.type or _ERROR_TYPES.get(status.code, "api_error")}
    inner["message"] = status.message
    if status.error_code is not None:
        inner["error_code"] = status.error_code
        inner["details"] = {"error_code": status.error_code}
    return encode({"type": "error", "error": inner, "request_id": "req_test"})


def event(kind: str, **fields: object) -> bytes:
    """Write one server-sent event."""
    return b"event: %s\ndata: %s\n\n" % (kind.encode("ascii"), encode({"type": kind, **fields}))


def message(reply: Reply, model: str, usage: Mapping[str, Any], *, complete: bool = True) -> dict[str, Any]:
    """Return a message as JSON; incomplete ones are how a stream starts."""
    return {
        "id": "msg_test",
        "type": "message",
        "role": "assistant",
        "model": model,
        "content": reply.blocks if complete else [],
        "stop_reason": reply.stop_reason if complete else None,
        "stop_sequence": None,
        "stop_details": dict(reply.stop_details) if complete and reply.stop_details else None,
        "usage": dict(usage),
    }


def opening(reply: Reply, model: str, usage: Mapping[str, Any]) -> Iterator[bytes]:
    """Write the events of a stream up to the last block's text, which stays open."""
    start = {**usage, "output_tokens": 1}
    yield event("message_start", message=message(reply, model, start, complete=False))
    yield event("ping")
    for index, block in enumerate(reply.blocks):
        if index:
            yield event("content_block_stop", index=index - 1)
        yield from _block(index, block)


def closing(reply: Reply, usage: Mapping[str, Any]) -> Iterator[bytes]:
    """Write the events that end a stream."""
    if reply.blocks:
        yield event("content_block_stop", index=len(reply.blocks) - 1)
    delta = {"stop_reason": reply.stop_reason, "stop_sequence": None}
    if reply.stop_details is not None:
        delta["stop_details"] = dict(reply.stop_details)  # type: ignore[assignment]
    yield event("message_delta", delta=delta, usage={"output_tokens": usage["output_tokens"]})
    yield event("message_stop")


def _block(index: int, block: dict[str, Any]) -> Iterator[bytes]:
    kind = block.get("type")
    if kind == "text":
        empty, name, whole = {**block, "text": ""}, "text", str(block["text"])
    elif kind == "thinking":
        empty, name, whole = {**block, "thinking": "", "signature": ""}, "thinking", str(block["thinking"])
    elif kind == "tool_use":
        empty, name, whole = {**block, "input": {}}, "partial_json", json.dumps(block["input"])
    else:
        yield event("content_block_start", index=index, content_block=block)
        return
    yield event("content_block_start", index=index, content_block=empty)
    delta = "input_json_delta" if kind == "tool_use" else f"{kind}_delta"
    for start in range(0, len(whole), _PIECE):
        yield event("content_block_delta", index=index, delta={"type": delta, name: whole[start : start + _PIECE]})
    if kind == "thinking":
        signature = {"type": "signature_delta", "signature": block.get("signature", "test")}
        yield event("content_block_delta", index=index, delta=signature)


def count(text: str) -> int:
    """Return the number of tokens that this server counts: one for every four bytes begun."""
    return -(-len(text.encode("utf-8", "replace")) // 4)


class Meter:
    """Charges requests; remembers which prefixes were marked to be cached."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._known: set[tuple[str, str]] = set()

    def input_tokens(self, body: Mapping[str, Any]) -> int:
        """Return the answer of ``count_tokens`` to a body."""
        return sum(count(text) for text, _ in _parts(body))

    def charge(self, request: RecordedRequest, reply: Reply) -> dict[str, Any]:
        """Return the ``usage`` of an answer; a prefix is written to the cache once and read afterwards."""
        prefix, cached, rest = "", 0, 0
        read = written = 0
        with self._lock:
            for text, marked in _parts(request.body):
                prefix += text
                rest += count(text)
                if marked:
                    known = (str(request.body.get("model")), prefix)
                    if known in self._known:
                        read, cached = read + rest, cached + rest
                    else:
                        self._known.add(known)
                        written, cached = written + rest, cached + rest
                    rest = 0
        output = reply.output_tokens
        return {
            "input_tokens": rest,
            "cache_creation_input_tokens": written,
            "cache_read_input_tokens": read,
            "output_tokens": sum(count(str(block)) for block in reply.blocks) if output is None else output,
        }


def _parts(body: Mapping[str, Any]) -> Iterator[tuple[str, bool]]:
    """Yield the texts of a request in the order of the cache, and whether each ends a cached prefix."""
    for tool in body.get("tools") or ():
        yield encode(tool).decode("ascii"), "cache_control" in tool
    yield from _blocks(body.get("system"))
    for message in body.get("messages") or ():
        yield from _blocks(message.get("content"))


def _blocks(content: object) -> Iterator[tuple[str, bool]]:
    if isinstance(content, list):
        for block in content:
            yield text_of([block]) or encode(block).decode("ascii"), "cache_control" in block
    elif content:
        yield text_of(content), False
