"""Conversation in which a model works with tools until it reports."""

from __future__ import annotations

import dataclasses
import functools
import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, Protocol

from selfreview.llm.transport.budget import Budget
from selfreview.llm.transport.fences import Fences
from selfreview.llm.transport.messages import ModelMessage, Turn
from selfreview.llm.transport.request import Fault, ModelError
from selfreview.model.usage import Usage
from selfreview.secrets.redactor import Redactor

Redact = Callable[[str], str]

_MAX_CALLS = 24
_SAME = 3
_REASONS = frozenset(("end_turn", "stop_sequence", "tool_use", "pause_turn", "max_tokens"))
_REPORT = "You have not reported. If the work is done, or cannot be done, call report now; otherwise go on."
_CUT = "Your message was cut off at its longest length. Go on where it ended, in smaller steps."
_NEARLY = "Only {left} more messages are possible: finish, and call report."
_TOO_MANY = "not run: too many calls in one message; make it again"
_AFTER_FAILURE = "another call of this message failed: see what it says, then report again"


class ConversationClient(Protocol):
    """Sender of conversations, such as :class:`~selfreview.llm.transport.client.SdkClient`."""

    def converse(self, turn: Turn, again: Callable[[Usage], None] | None = None) -> ModelMessage:
        """Send a conversation and return the model's next message.

        Raises:
            ModelError: If there is no message.
        """


@dataclasses.dataclass(frozen=True, kw_only=True)
class ConversationLimits:
    """Limits of a conversation.

    Attributes:
        model: The model's id.
        max_tokens: Most tokens of one message.
        turns: Most messages of the model.
    """

    model: str
    max_tokens: int
    turns: int


class Conversation:
    """Conversation in which a model calls tools, one message after another.

    Args:
        client: Sends the conversation.
        budget: What may be spent; asked before each message.
        toolbox: The tools; one of them ends the conversation.
        limits: How long it may get.
        redact: Takes secrets out of everything that we say.

    Attributes:
        usage: What it cost so far.
    """

    def __init__(
        self, client: ConversationClient, budget: Budget, toolbox: Toolbox, limits: ConversationLimits, redact: Redact
    ) -> None:
        self.usage = Usage()
        self._client = client
        self._budget = budget
        self._toolbox = toolbox
        self._limits = limits
        self._redact = redact
        self._messages: list[dict[str, Any]] = []
        self._failed: Counter[str] = Counter()

    def run(self, system: str, first: str) -> bool:
        """Continue the conversation until the model reports.

        Args:
            system: The rules.
            first: What is asked.

        Returns:
            Whether it has; False where it stopped twice without.

        Raises:
            ModelError: If it gave no message, refused, did the same wrong thing again and again, or came to no end.
        """
        system = self._redact(system)
        self._messages = [self._ours(_text(first))]
        asked = cut = False
        for turn in range(self._limits.turns):
            message = self._send(system)
            was_cut, cut = cut, message.stop_reason == "max_tokens"
            self._check(message, was_cut)
            content = _kept(message)
            self._messages.append({"role": "assistant", "content": content})
            calls = [block for block in content if block.get("type") == "tool_use"]
            if message.stop_reason == "pause_turn" and message.content and not calls:
                continue
            answers, ended = self._answers(calls, message.broken)
            if ended:
                return True
            if cut:
                answers.append(_text(_CUT))
            elif not calls:
                if asked:
                    return False
                asked = True
                answers.append(_text(_REPORT))
            left = self._limits.turns - turn - 1
            if left in (1, 3):
                answers.append(_text(_NEARLY.format(left=left)))
            self._messages.append(self._ours(*answers))
        raise ModelError(Fault.GARBAGE, f"the model came to no end in {self._limits.turns} messages")

    def _ours(self, *content: Mapping[str, Any]) -> dict[str, Any]:
        """Return a message of ours; a sent message is not altered any more, so that the service can cache it."""
        blocks = []
        for block in content:
            name = "content" if block["type"] == "tool_result" else "text"
            blocks.append({**block, name: self._redact(block[name])})
        return {"role": "user", "content": blocks}

    def _check(self, message: ModelMessage, was_cut: bool) -> None:
        """Raise where a conversation cannot continue from a message."""
        if message.stop_reason == "refusal":
            raise ModelError(Fault.REFUSED, "the model refused to answer")
        if message.stop_reason not in _REASONS:
            raise ModelError(Fault.GARBAGE, f"the model stopped without an answer ({message.stop_reason[:40]})")
        if message.stop_reason == "max_tokens" and was_cut:
            raise ModelError(Fault.CUT_OFF, f"the model's message is longer than {self._limits.max_tokens} tokens")

    def _send(self, system: str) -> ModelMessage:
        turn = Turn(
            system=system,
            tools=self._toolbox.definitions,
            messages=list(self._messages),
            model=self._limits.model,
            max_tokens=self._limits.max_tokens,
        )
        return self._budget.pay(turn, functools.partial(self._client.converse, turn), self.usage)

    def _answers(self, calls: Sequence[Mapping[str, Any]], broken: frozenset[str]) -> tuple[list[dict[str, Any]], bool]:
        """Make the calls of a message, its report last, and return what they led to."""
        outcomes: dict[int, CallOutcome] = {}
        order = sorted(range(len(calls)), key=lambda index: self._toolbox.ends(calls[index].get("name")))
        for count, index in enumerate(order):
            outcomes[index] = self._call(calls[index], broken, count, any(o.failed for o in outcomes.values()))
        answers = [_result(call, outcomes[index]) for index, call in enumerate(calls)]
        return answers, any(outcome.ends for outcome in outcomes.values())

    def _call(self, call: Mapping[str, Any], broken: frozenset[str], count: int, failed: bool) -> CallOutcome:
        name = call.get("name")
        if self._toolbox.ends(name) and failed:
            return CallOutcome(_AFTER_FAILURE, failed=True)
        if count >= _MAX_CALLS:
            return CallOutcome(_TOO_MANY, failed=True)
        if call["id"] in broken:
            outcome = CallOutcome("the arguments are no JSON object", failed=True)
        else:
            outcome = self._toolbox.call(name, call["input"])
        if outcome.failed:
            same = json.dumps([name, call["input"]], sort_keys=True)
            self._failed[same] += 1
            if self._failed[same] >= _SAME:
                raise ModelError(Fault.GARBAGE, f"the model repeats a call that cannot be made: {outcome.text[:120]}")
        return outcome


def _kept(message: ModelMessage) -> list[dict[str, Any]]:
    """Return a message as it is sent back: whole, and not empty."""
    content = [dict(block) for block in message.content]
    if message.stop_reason == "max_tokens" and content and content[-1].get("id") in message.broken:
        del content[-1]  # the call that was cut off
    if not any(block.get("type") in ("text", "tool_use") for block in content):
        content.append(_text("(nothing more)"))
    return content


def _text(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text}


def _result(call: Mapping[str, Any], outcome: CallOutcome) -> dict[str, Any]:
    result = {"type": "tool_result", "tool_use_id": call["id"], "content": outcome.text}
    return {**result, "is_error": True} if outcome.failed else result


_KINDS: Mapping[str, type] = {"string": str, "integer": int, "array": list}


class Refusal(Exception):  # noqa: N818 - it is told to the model, and is no error of ours
    """Refusal of a tool call, with a reason that the model reads."""


class ToolResponse(NamedTuple):
    """Response of a tool.

    Attributes:
        head: Our own words.
        material: Text of the repository, shown between fences; redacted already where its surroundings matter.
        label: What the material is.
    """

    head: str
    material: str = ""
    label: str = "result"


@dataclasses.dataclass(frozen=True, kw_only=True)
class ModelTool:
    """Tool that a model may call.

    Attributes:
        name: What the model calls.
        description: What it does, for the model.
        properties: JSON Schema of each argument.
        required: Arguments that must be there.
        run: Does it; raises :class:`Refusal`.
        ends: Whether the conversation is over once it has run.
        restored: Whether its arguments have their placeholders turned back before it gets them.
    """

    name: str
    description: str
    properties: Mapping[str, Any]
    required: Sequence[str]
    run: Callable[[Mapping[str, Any]], ToolResponse]
    ends: bool = False
    restored: bool = True

    @property
    def definition(self) -> dict[str, Any]:
        """The tool as the service defines tools."""
        schema = {
            "type": "object",
            "properties": dict(self.properties),
            "required": list(self.required),
            "additionalProperties": False,
        }
        return {"name": self.name, "description": self.description, "input_schema": schema}

    def check(self, given: Mapping[str, Any]) -> None:
        """Refuse arguments that do not match the schema: not every server enforces it.

        Raises:
            Refusal: If one is missing, unknown, or of another type.
        """
        for name in self.required:
            if name not in given:
                raise Refusal(f"the argument {name!r} is missing")
        for name, value in given.items():
            if name not in self.properties:
                raise Refusal(f"there is no argument {str(name)[:40]!r}; known are {', '.join(self.properties)}")
            kind = self.properties[name].get("type", "string")
            if not isinstance(value, _KINDS[kind]) or isinstance(value, bool):
                raise Refusal(f"the argument {name!r} must be of type {kind}")
            if isinstance(value, str) and "\0" in value:
                raise Refusal(f"the argument {name!r} holds a NUL character")


class CallOutcome(NamedTuple):
    """Outcome of a call.

    Attributes:
        text: What the model is told.
        failed: Whether it did nothing.
        ends: Whether the conversation is over.
    """

    text: str
    failed: bool = False
    ends: bool = False


class Toolbox:
    """Tools by name, called with redaction: placeholders in arguments are restored, responses are redacted.

    Args:
        tools: The tools.
        redactor: That of the conversation.
        fences: The delimiters of the conversation.
    """

    def __init__(self, tools: Sequence[ModelTool], redactor: Redactor, fences: Fences) -> None:
        self._tools = {tool.name: tool for tool in tools}
        self._redactor = redactor
        self._fences = fences

    @property
    def definitions(self) -> list[dict[str, Any]]:
        """All tools as the service defines them."""
        return [tool.definition for tool in self._tools.values()]

    def ends(self, name: object) -> bool:
        """Return whether a call of that name may end the conversation."""
        tool = self._tools.get(str(name))
        return tool is not None and tool.ends

    def call(self, name: object, given: Mapping[str, Any]) -> CallOutcome:
        """Call a tool."""
        tool = self._tools.get(str(name))
        if tool is None:
            return CallOutcome(f"there is no such tool; there are {', '.join(self._tools)}", failed=True)
        try:
            tool.check(given)
            restored = {key: self._restored(value) for key, value in given.items()} if tool.restored else given
            response = tool.run(restored)
        except Refusal as refusal:
            return CallOutcome(self._redactor.redact(str(refusal)), failed=True)
        redact = self._redactor.redact
        text = redact(response.head)
        if response.material:
            text += "\n" + self._fences.fence(redact(response.label), redact(response.material))
        return CallOutcome(text, ends=tool.ends)

    def _restored(self, value: Any) -> Any:
        return self._redactor.restore(value) if isinstance(value, str) else value
