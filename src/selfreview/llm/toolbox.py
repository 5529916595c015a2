"""Tools that a model may call: their arguments, and how their responses are presented."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from selfreview.llm.marks import Marks
from selfreview.llm.redaction import Redactor

_KINDS: Mapping[str, type] = {"string": str, "integer": int, "array": list}


class Refusal(Exception):  # noqa: N818 - it is told to the model, and is no error of ours
    """Refusal of a tool call, with a reason that the model reads."""


class Said(NamedTuple):
    """Response of a tool.

    Attributes:
        head: Our own words.
        material: Text of the repository, shown between marks; redacted already where its surroundings matter.
        label: What the material is.
    """

    head: str
    material: str = ""
    label: str = "result"


@dataclasses.dataclass(frozen=True, kw_only=True)
class Tool:
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
    run: Callable[[Mapping[str, Any]], Said]
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


class Outcome(NamedTuple):
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
        marks: The delimiters of the conversation.
    """

    def __init__(self, tools: Sequence[Tool], redactor: Redactor, marks: Marks) -> None:
        self._tools = {tool.name: tool for tool in tools}
        self._redactor = redactor
        self._marks = marks

    @property
    def definitions(self) -> list[dict[str, Any]]:
        """All tools as the service defines them."""
        return [tool.definition for tool in self._tools.values()]

    def ends(self, name: object) -> bool:
        """Return whether a call of that name may end the conversation."""
        tool = self._tools.get(str(name))
        return tool is not None and tool.ends

    def call(self, name: object, given: Mapping[str, Any]) -> Outcome:
        """Call a tool.

        Raises:
            ToolError: If the texts cannot be searched for secrets.
        """
        tool = self._tools.get(str(name))
        if tool is None:
            return Outcome(f"there is no such tool; there are {', '.join(self._tools)}", failed=True)
        try:
            tool.check(given)
            said = tool.run({key: self._restored(value) for key, value in given.items()} if tool.restored else given)
        except Refusal as refusal:
            return Outcome(self._redactor.redact(str(refusal)), failed=True)
        text = self._redactor.redact(said.head)
        if said.material:
            text += "\n" + self._marks.fence(self._redactor.redact(said.label), self._redactor.redact(said.material))
        return Outcome(text, ends=tool.ends)

    def _restored(self, value: Any) -> Any:
        return self._redactor.restore(value) if isinstance(value, str) else value
