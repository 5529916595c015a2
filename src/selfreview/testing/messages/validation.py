"""Requests that the service refuses, and answers that do not match the JSON Schema of their request."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from selfreview.testing.messages.script import RecordedRequest, Reply, Status

_KEYWORDS = frozenset(
    [
        "$defs",
        "$ref",
        "additionalProperties",
        "allOf",
        "anyOf",
        "const",
        "default",
        "description",
        "enum",
        "format",
        "items",
        "minItems",
        "properties",
        "required",
        "title",
        "type",
    ]
)
_TYPES: Mapping[str, tuple[type, ...]] = {
    "array": (list,),
    "boolean": (bool,),
    "integer": (int,),
    "null": (type(None),),
    "number": (int, float),
    "object": (dict,),
    "string": (str,),
}


def refusals(schema: Any, at: str = "schema") -> Iterator[str]:
    """Yield why the service would not take a schema."""
    if not isinstance(schema, dict):
        yield f"{at}: not an object"
        return
    for keyword in schema:
        if keyword not in _KEYWORDS:
            yield f"{at}: For '{schema.get('type')}' type, property '{keyword}' is not supported"
    if schema.get("type") == "object" and schema.get("additionalProperties") is not False:
        yield f"{at}: For 'object' type, 'additionalProperties' must be explicitly set to false"
    for name in ("properties", "$defs"):
        for key, part in schema.get(name, {}).items():
            yield from refusals(part, f"{at}.{name}.{key}")
    if "items" in schema:
        yield from refusals(schema["items"], f"{at}.items")
    for name in ("anyOf", "allOf"):
        for index, part in enumerate(schema.get(name, ())):
            yield from refusals(part, f"{at}.{name}[{index}]")


def mismatches(value: Any, schema: Mapping[str, Any], root: Mapping[str, Any], at: str = "$") -> Iterator[str]:
    """Yield where a value does not match a schema that the service takes."""
    if "$ref" in schema:
        name = str(schema["$ref"]).rpartition("/")[2]
        yield from mismatches(value, root["$defs"][name], root, at)
        return
    if "anyOf" in schema and all(any(mismatches(value, part, root, at)) for part in schema["anyOf"]):
        yield f"{at}: matches nothing of anyOf"
    for part in schema.get("allOf", ()):
        yield from mismatches(value, part, root, at)
    if "enum" in schema and value not in schema["enum"]:
        yield f"{at}: {value!r} is not one of {schema['enum']}"
    if "const" in schema and value != schema["const"]:
        yield f"{at}: {value!r} is not {schema['const']!r}"
    if "type" in schema and not _is(value, schema["type"]):
        yield f"{at}: {type(value).__name__} is not {schema['type']}"
    elif isinstance(value, dict):
        yield from _members(value, schema, root, at)
    elif isinstance(value, list) and "items" in schema:
        for index, item in enumerate(value):
            yield from mismatches(item, schema["items"], root, f"{at}[{index}]")


def _members(value: dict[str, Any], schema: Mapping[str, Any], root: Mapping[str, Any], at: str) -> Iterator[str]:
    properties = schema.get("properties", {})
    for name in schema.get("required", ()):
        if name not in value:
            yield f"{at}: {name} is missing"
    for name, member in value.items():
        if name in properties:
            yield from mismatches(member, properties[name], root, f"{at}.{name}")
        elif schema.get("additionalProperties") is False:
            yield f"{at}: {name} is not known"


def _is(value: Any, types: str | list[str]) -> bool:
    names = [types] if isinstance(types, str) else types
    if isinstance(value, bool):
        return "boolean" in names
    return any(isinstance(value, _TYPES[name]) for name in names)


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
