"""Requests that the service refuses, before any scripted answer."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any

from selfreview.testing.messages.recorded import RecordedRequest
from selfreview.testing.messages.schema import mismatches, refusals
from selfreview.testing.messages.script import Reply, Status

_REMOVED = ("temperature", "top_p", "top_k")


def refusal(request: RecordedRequest, api_key: str | None, rejects: Iterable[str]) -> Status | None:
    """Return the error with which a request is refused, or None.

    Args:
        request: The request.
        api_key: The only credential that is accepted, or None for any.
        rejects: Names of parameters that this server does not know.
    """
    if api_key is not None and request.key != api_key:
        return Status(code=401, message="invalid x-api-key")
    for name in rejects:
        if any(found == name for found in _names(request.body)):
            return Status(code=400, message=f"{name}: Extra inputs are not permitted")
    for problem in _problems(request):
        return Status(code=400, message=problem)
    return None


def _problems(request: RecordedRequest) -> Iterator[str]:
    body = request.body
    if not isinstance(body.get("model"), str):
        yield "model: Field required"
    if not isinstance(body.get("max_tokens"), int) and not request.path.startswith("/v1/messages/count_tokens"):
        yield "max_tokens: Field required"
    messages = body.get("messages")
    if not isinstance(messages, list) or not messages:
        yield "messages: at least one message is required"
        return
    for index, message in enumerate(messages):
        if not isinstance(message, dict) or message.get("role") not in {"user", "assistant"}:
            yield f"messages.{index}.role: Input should be 'user' or 'assistant'"
        elif not message.get("content"):
            yield f"messages.{index}: content must not be empty"
    for name in _REMOVED:
        if name in body:
            yield f"{name}: not supported"
    if request.schema is not None:
        for problem in refusals(request.schema):
            yield f"output_config.format.{problem}"


def _names(value: Any) -> Iterator[str]:
    """Yield every key of a request, but for those inside a schema."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield key
            if key not in {"schema", "input_schema"}:
                yield from _names(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _names(inner)


def mismatch(reply: Reply, request: RecordedRequest) -> str | None:
    """Return where a complete answer is not what the service would have kept to, or None."""
    schema = request.schema
    if schema is None or reply.stop_reason != "end_turn":
        return None
    text = "".join(str(block.get("text", "")) for block in reply.blocks if block.get("type") == "text")
    try:
        value = json.loads(text)
    except ValueError as error:
        return f"not JSON: {error}"
    return next(mismatches(value, schema, schema), None)
