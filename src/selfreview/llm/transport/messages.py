"""Messages API: the bodies of requests, and the answers that are read from its streams."""

from __future__ import annotations

import dataclasses
import json
import re
import socket
import threading
from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from selfreview.llm.transport.failures import Failure, broken, of_exception, of_page
from selfreview.llm.transport.request import Fault, ModelRequest, estimate_tokens
from selfreview.model.usage import Usage

if TYPE_CHECKING:
    import anthropic

EXTRAS = ("output_config", "effort", "cache_control")
"""Parameters that a server with basic support may refuse."""

_CACHED = {"cache_control": {"type": "ephemeral"}}
"""Property of a block up to which the service keeps a request in its cache."""
_FORMAT = re.compile(r"output_config|output_format|json_schema|structured output", re.I)


def named(message: str) -> str | None:
    """Return the parameter that a server's refusal names, or None."""
    if "effort" in message and "format" not in message:
        return "effort"
    if _FORMAT.search(message):
        return "output_config"
    return "cache_control" if "cache_control" in message or "system:" in message.lower() else None


def _content(request: ModelRequest, user: str, without: Collection[str]) -> str | list[dict[str, Any]]:
    """Return the material and the question: two blocks where the first is to be kept in the cache."""
    material = request.words.opening + (f"{request.material}\n" if request.material else "")
    if not request.again or "cache_control" in without:
        return material + user
    kept = {"type": "text", "text": material, **_CACHED}
    return [kept, {"type": "text", "text": user}]


def body(request: ModelRequest, without: Collection[str], so_far: str) -> dict[str, Any]:
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
    block = {"type": "text", "text": request.system, **_CACHED}
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
            system = [{"type": "text", "text": self.system, **_CACHED}]
            ours = [index for index, message in enumerate(messages) if message["role"] == "user"]
            for index in ours[-2:]:
                *others, last = messages[index]["content"]
                messages[index]["content"] = [*others, {**last, **_CACHED}]
        return {
            "model": self.model,
            "max_tokens": self.max_tokens,
            "system": system,
            "tools": [dict(tool) for tool in self.tools],
            "messages": messages,
            "stream": True,
        }


@dataclasses.dataclass(frozen=True, kw_only=True)
class ModelMessage:
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


_MAX_CHARACTERS = 4_000_000
"""Characters that no answer has; a server that ignores ``max_tokens`` and never stops exceeds them."""


class StreamedAnswer:
    """Attempt to get an answer, read on a thread, so that whoever waits for it need not wait for the network.

    Args:
        sdk: The SDK's client.
        body: What is sent.
        secrets: What is never shown.

    Attributes:
        done: Set when there is an answer or a failure, and by whoever wants the wait to end.
        text: The answer's text so far.
        blocks: The answer's content.
        stop_reason: Why the model stopped, or None.
        error: What went wrong, or None.
    """

    def __init__(self, sdk: anthropic.Anthropic, body: dict[str, Any], secrets: tuple[str, ...]) -> None:
        self.done = threading.Event()
        self.ended = False
        self.text = ""
        self.blocks = Blocks()
        self.stop_reason: str | None = None
        self.error: BaseException | None = None
        self._sdk, self._body, self._secrets = sdk, body, secrets
        self._parts: list[str] = []
        self._length = 0
        self._usage: dict[str, int] = {}
        self._response: Any = None
        self._given_up = self._begun = False
        threading.Thread(target=self._run, daemon=True, name="selfreview-answer").start()

    def give_up(self) -> None:
        """Make the thread end soon; nobody waits for it."""
        self._given_up = True
        response = self._response
        stream = response.extensions.get("network_stream") if response is not None else None
        connection = stream.get_extra_info("socket") if stream is not None else None
        if connection is not None:
            try:
                # Unlike closing, this wakes a thread that reads.
                connection.shutdown(socket.SHUT_RDWR)
            except OSError:
                return  # it is closed already

    @property
    def usage(self) -> Usage:
        """Usage as far as it is known; of an incomplete answer, its text is counted."""
        got = self._usage
        answered = got.get("output_tokens", 0)
        if self.stop_reason is None:
            answered = max(answered, estimate_tokens("".join(self._parts)))
        return Usage(
            requests=1,
            input_tokens=got.get("input_tokens", 0),
            cache_read_tokens=got.get("cache_read_input_tokens", 0),
            cache_write_tokens=got.get("cache_creation_input_tokens", 0),
            output_tokens=answered,
        )

    def _run(self) -> None:
        try:
            self._read()
            self.text = "".join(self._parts)
        except Failure as failure:
            self.error = failure
        except Exception as error:  # noqa: BLE001 - handed to the waiting thread, which raises it
            page = self._page() if isinstance(error, ValueError) else None  # no UTF-8, no JSON
            self.error = page or of_exception(error, str(self._body["model"]), self._secrets, self._url) or error
        finally:
            self.ended = True
            self.done.set()

    def _read(self) -> None:
        with self._sdk.messages.create(**self._body) as stream:
            self._response = stream.response
            for event in stream:
                if self._given_up:
                    return
                self._take(event)
        if self.stop_reason is None:
            raise self._page() or broken("the answer was cut off in transit", self._url)

    @property
    def _url(self) -> str:
        return str(self._sdk.base_url if self._response is None else self._response.request.url)

    def _page(self) -> Failure | None:
        """Return the failure of an answer that does not follow the Messages API, or None where it may do so."""
        if self._begun or self._response is None:
            return None
        code, kind = self._response.status_code, self._response.headers.get("content-type", "")
        streams = code != 204 and kind.partition(";")[0].strip().lower() == "text/event-stream"
        return None if streams else of_page(self._url, code, kind)

    def _take(self, event: Any) -> None:
        """Add the content of an event; other servers leave out fields that the SDK's types promise."""
        kind = getattr(event, "type", None)
        self._begun = True
        self.blocks.take(event)
        if self.blocks.length > _MAX_CHARACTERS:
            raise Failure(fault=Fault.GARBAGE, message="the model's answer does not end")
        if kind == "message_start":
            self._count(getattr(event.message, "usage", None))
        elif kind == "content_block_start":
            self._add(getattr(event.content_block, "text", None))
        elif kind == "content_block_delta":
            self._add(getattr(event.delta, "text", None))
        elif kind == "message_delta":
            self._count(getattr(event, "usage", None))
            reason = getattr(event.delta, "stop_reason", None)
            self.stop_reason = reason if isinstance(reason, str) else None

    def _add(self, text: object) -> None:
        if not isinstance(text, str):
            return
        self._parts.append(text)
        self._length += len(text)
        if self._length > _MAX_CHARACTERS:
            raise Failure(fault=Fault.GARBAGE, message="the model's answer does not end")

    def _count(self, usage: object) -> None:
        for name in ("input_tokens", "output_tokens", "cache_read_input_tokens", "cache_creation_input_tokens"):
            value = getattr(usage, name, None)
            if isinstance(value, int):
                self._usage[name] = max(value, self._usage.get(name, 0))


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
