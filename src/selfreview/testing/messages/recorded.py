"""A request as it arrived."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any


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
