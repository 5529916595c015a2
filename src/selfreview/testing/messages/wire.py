"""Messages as the service writes them: one JSON document, or server-sent events."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from selfreview.testing.messages.script import Reply, Status

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
