"""Next request of a conversation, and the message that answers it, as content blocks."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from selfreview.model.usage import Usage

_KEPT = {"type": "ephemeral"}


@dataclasses.dataclass(frozen=True, kw_only=True)
class Turn:
    """Conversation so far, to be continued by the model. All of it is redacted already.

    Attributes:
        system: The rules of the conversation.
        tools: What the model may call, as the service defines tools.
        messages: The messages so far; the content of each is a list of blocks.
        model: The model's id.
        max_tokens: Most tokens that the next message may have.
    """

    system: str
    tools: Sequence[Mapping[str, Any]]
    messages: Sequence[Mapping[str, Any]]
    model: str
    max_tokens: int

    @property
    def texts(self) -> tuple[str, ...]:
        """Content of the request without the tools."""
        return (self.system, *(json.dumps(message["content"], ensure_ascii=False) for message in self.messages))

    @property
    def schema(self) -> Mapping[str, Any]:
        """The tools."""
        return {"tools": list(self.tools)}

    def body(self, without: Collection[str]) -> dict[str, Any]:
        """Return the parameters of the request.

        What was said before is kept in the cache: up to the last message of ours, and up to the one before, which the
        request before this one has written.

        Args:
            without: Names of parameters that the server refused.
        """
        messages = [dict(message) for message in self.messages]
        system: Any = self.system
        if "cache_control" not in without:
            system = [{"type": "text", "text": self.system, "cache_control": _KEPT}]
            ours = [index for index, message in enumerate(messages) if message["role"] == "user"]
            for index in ours[-2:]:
                *others, last = messages[index]["content"]
                messages[index]["content"] = [*others, {**last, "cache_control": _KEPT}]
        return {
            "model": self.model,
            "max_tokens": self.max_tokens,
            "system": system,
            "tools": [dict(tool) for tool in self.tools],
            "messages": messages,
            "stream": True,
        }


@dataclasses.dataclass(frozen=True, kw_only=True)
class Message:
    """Message of a model in a conversation.

    Attributes:
        content: The blocks, those of its thinking unchanged, so that they can be handed back.
        broken: Ids of the tool calls whose input is no JSON object; the input stands as an empty one.
        stop_reason: Why it stopped.
        usage: What it cost, failed attempts included.
    """

    content: Sequence[Mapping[str, Any]]
    broken: frozenset[str]
    stop_reason: str
    usage: Usage

    @property
    def text(self) -> str:
        """All text blocks, joined."""
        return "".join(str(block.get("text", "")) for block in self.content if block.get("type") == "text")

    @property
    def calls(self) -> list[Mapping[str, Any]]:
        """The tool calls."""
        return [block for block in self.content if block.get("type") == "tool_use"]
