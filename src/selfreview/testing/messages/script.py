"""Requests as they arrive, and the scripted answers and faults of the server."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
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
