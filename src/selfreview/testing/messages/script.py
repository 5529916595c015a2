"""Requests as they arrive, those that the service refuses, and scripted answers and faults."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias


@dataclasses.dataclass(frozen=True, kw_only=True)
class RecordedRequest:
    """A request as it arrived.

    Attributes:
        path: Path and query.
        headers: Headers, names in lower case.
        raw: The body's bytes.
        body: The body as JSON; empty where it is none.
        at: When it had arrived, ``time.monotonic()``.
    """

    path: str
    headers: Mapping[str, str]
    raw: bytes
    body: Mapping[str, Any]
    at: float

    @property
    def key(self) -> str | None:
        """The credential: of ``Authorization: Bearer``, else of ``x-api-key``."""
        scheme, _, token = self.headers.get("authorization", "").partition(" ")
        if scheme.lower() == "bearer" and token:
            return token
        return self.headers.get("x-api-key")

    @property
    def streams(self) -> bool:
        """Return whether a stream of events is asked for."""
        return bool(self.body.get("stream"))

    @property
    def schema(self) -> Mapping[str, Any] | None:
        """The JSON Schema that the answer has to match, or None."""
        form = (self.body.get("output_config") or {}).get("format") or {}
        return form.get("schema") if form.get("type") == "json_schema" else None

    @property
    def system(self) -> str:
        """The system prompt's text."""
        return text_of(self.body.get("system"))

    @property
    def user(self) -> str:
        """The text of the last message."""
        messages = self.body.get("messages") or [{}]
        return text_of(messages[-1].get("content"))


def prompt_of(request: RecordedRequest) -> str:
    """Return the text of all messages."""
    return "".join(text_of(message.get("content")) for message in request.body.get("messages") or ())


def text_of(content: object) -> str:
    """Return the text of content that is a string or a list of blocks."""
    if isinstance(content, str):
        return content
    blocks = content if isinstance(content, list) else []
    return "".join(str(block.get("text", "")) for block in blocks if isinstance(block, dict))


@dataclasses.dataclass(frozen=True, kw_only=True)
class Reply:
    """A complete message.

    Attributes:
        text: The text of one text block; None where ``content`` says it all.
        content: Content blocks as the service writes them (``{"type": "thinking", ...}`` and the like);
            ``text`` follows them. ``Reply()`` has no content at all.
        stop_reason: Why the turn ended.
        stop_details: What a refusal says about itself.
        output_tokens: What is charged for the answer; None counts it.
    """

    text: str | None = None
    content: Sequence[Mapping[str, Any]] = ()
    stop_reason: str = "end_turn"
    stop_details: Mapping[str, Any] | None = None
    output_tokens: int | None = None

    @property
    def blocks(self) -> list[dict[str, Any]]:
        """All content blocks."""
        blocks = [dict(block) for block in self.content]
        if self.text is not None:
            blocks.append({"type": "text", "text": self.text})
        return blocks


@dataclasses.dataclass(frozen=True, kw_only=True)
class Status:
    """An HTTP error.

    Attributes:
        code: The status.
        message: What the error says.
        type: The error's type; None takes the service's for the status.
        retry_after: The ``Retry-After`` header, or None for none.
        error_code: The error's code, such as ``enforced_spend_limit_reached``.
    """

    code: int
    message: str = "as scripted"
    type: str | None = None
    retry_after: str | None = None
    error_code: str | None = None


@dataclasses.dataclass(frozen=True, kw_only=True)
class ErrorEvent:
    """An ``error`` event inside a stream whose status was 200; status 529 where no stream was asked for.

    Attributes:
        text: What was answered before it.
        type: The error's type.
        message: What the error says.
    """

    text: str = "{"
    type: str = "overloaded_error"
    message: str = "Overloaded"


@dataclasses.dataclass(frozen=True, kw_only=True)
class Cut:
    """An answer that stops in the middle.

    Attributes:
        text: What was answered before it.
        clean: Whether the body ends as if it were complete, so that HTTP sees no error; else it just closes.
    """

    text: str = "{"
    clean: bool = True


@dataclasses.dataclass(frozen=True, kw_only=True)
class Reset:
    """A connection that is reset.

    Attributes:
        text: What was answered before it; None resets before any byte is sent.
    """

    text: str | None = None


@dataclasses.dataclass(frozen=True, kw_only=True)
class Silence:
    """Nothing more, until the client goes away or the server is closed.

    Attributes:
        text: What was answered before it; None says nothing from the start, not even the status.
    """

    text: str | None = None


@dataclasses.dataclass(frozen=True, kw_only=True)
class Raw:
    """A body as it is: bytes that are no UTF-8, no JSON, no events, a page of a proxy.

    Attributes:
        body: The bytes.
        content_type: None takes what the request asked for.
        code: The status.
    """

    body: bytes
    content_type: str | None = None
    code: int = 200


Answer: TypeAlias = "str | Reply | Status | ErrorEvent | Cut | Reset | Silence | Raw"
"""One answer of a script; a string is a :class:`Reply` with that text."""

Script: TypeAlias = "Answer | Callable[[RecordedRequest], Answer]"
"""An answer, or a function that makes one from the request."""


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
