"""Bodies of requests to the Messages API, for questions and for turns of a conversation, and its messages."""

from __future__ import annotations

import dataclasses
import json
import re
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from selfreview.llm.transport.request import Request
from selfreview.model.usage import Usage

EXTRAS = ("output_config", "effort", "cache_control")
"""Parameters that a server with basic support may refuse."""

_FORMAT = re.compile(r"output_config|output_format|json_schema|structured output", re.I)


def named(said: str) -> str | None:
    """Return the parameter that a server's refusal names, or None."""
    if "effort" in said and "format" not in said:
        return "effort"
    if _FORMAT.search(said):
        return "output_config"
    return "cache_control" if "cache_control" in said or "system:" in said.lower() else None


def _content(request: Request, user: str, without: Collection[str]) -> str | list[dict[str, Any]]:
    """Return the material and the question: two blocks where the first is to be kept in the cache."""
    material = request.words.opening + (f"{request.material}\n" if request.material else "")
    if not request.again or "cache_control" in without:
        return material + user
    kept = {"type": "text", "text": material, "cache_control": {"type": "ephemeral"}}
    return [kept, {"type": "text", "text": user}]


def body(request: Request, without: Collection[str], so_far: str) -> dict[str, Any]:
    """Return the parameters of a request.

    Args:
        request: The request.
        without: Those of :data:`EXTRAS` that are left out; the schema then stands in the prompt.
        so_far: What the model said before it paused.
    """
    user = request.user
    config: dict[str, Any] = {}
    if "output_config" in without:
        schema = json.dumps(dict(request.schema), ensure_ascii=False)
        user += f"\n\nAnswer with one JSON object that matches this JSON Schema, and nothing else:\n{schema}\n"
    else:
        config["format"] = {"type": "json_schema", "schema": dict(request.schema)}
        if request.effort is not None and "effort" not in without:
            config["effort"] = request.effort
    user += request.words.closing
    messages: list[dict[str, Any]] = [{"role": "user", "content": _content(request, user, without)}]
    if so_far:
        messages.append({"role": "assistant", "content": so_far})
    block = {"type": "text", "text": request.system, "cache_control": {"type": "ephemeral"}}
    result: dict[str, Any] = {
        "model": request.model,
        "max_tokens": request.max_tokens,
        "system": request.system if "cache_control" in without else [block],
        "messages": messages,
        "stream": True,
    }
    if config:
        result["output_config"] = config
    return result


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
