"""Common form of a tool's results before they are tied to the tree, with helpers of the parsers."""

from __future__ import annotations

import codecs
import json
from typing import Any, Literal, TypeVar

import msgspec

from selfreview.errors import ToolError

T = TypeVar("T")

Unit = Literal["codepoint", "utf16", "byte"]
"""Unit in which a tool counts columns."""

_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


class Span(msgspec.Struct, frozen=True, kw_only=True):
    """A region as a tool gives it; everything counts from 1, and 0 means that it is not given.

    Attributes:
        line, column: The start.
        end_line, end_column: The end; the column is exclusive.
        offset, length: Instead of lines: characters from the start of the file (from 0), or None.
    """

    line: int = 0
    column: int = 0
    end_line: int = 0
    end_column: int = 0
    offset: int | None = None
    length: int = 0


class Spot(msgspec.Struct, frozen=True):
    """A place in a file, named as the tool names it; the path is None where the tool names none."""

    path: str | None = None
    span: Span = Span()
    note: str | None = None


class Change(msgspec.Struct, frozen=True):
    """One replacement of a fix."""

    span: Span
    text: str


class Reported(msgspec.Struct, frozen=True, kw_only=True):
    """One result of a tool.

    Attributes:
        message: What is wrong.
        spot: Where.
        level: The tool's own word for the severity, or None.
        score: A security score from 0 to 10, or None.
        security: Whether the tool calls it a matter of security.
        kind: The tool's own word for the category, or None.
        rule: Its rule id, or None.
        related: Other places.
        suggestion: What to do, in words, or None.
        changes: A mechanical fix in the same file, or nothing.
    """

    message: str
    spot: Spot = Spot()
    level: str | None = None
    score: float | None = None
    security: bool = False
    kind: str | None = None
    rule: str | None = None
    related: tuple[Spot, ...] = ()
    suggestion: str | None = None
    changes: tuple[Change, ...] = ()


class ToolReport(msgspec.Struct, kw_only=True):
    """Results and messages of one run of a tool.

    Attributes:
        results: In the tool's order.
        unit: What it counts columns in.
        suppressed: How many results the code itself suppresses; they are left out.
        unread: Files that the tool says it could not analyse, with the reason.
    """

    results: list[Reported] = []
    unit: Unit = "codepoint"
    suppressed: int = 0
    unread: dict[str, str] = {}


def decode_text(data: bytes, tool: str) -> str:
    """Decode a document, honouring a byte order mark.

    Raises:
        ToolError: If it is not text in that encoding.
    """
    encoding = next((name for mark, name in _MARKS if data.startswith(mark)), "utf-8")
    try:
        return data.decode(encoding)
    except UnicodeDecodeError as error:
        raise ToolError(f"{tool} printed bytes that are not {encoding.upper()}") from error


def decode_json(text: str, kind: type[T], tool: str) -> T:
    """Decode one JSON document of a given shape; unknown keys are ignored.

    Raises:
        ToolError: If it is not one whole document of that shape.
    """
    if not text.strip():
        raise ToolError(f"{tool} printed nothing, where a JSON document was expected")
    try:
        # The standard decoder takes lone surrogates, which tools print when they cut text inside a character.
        value: Any = json.loads(text)
        return msgspec.convert(value, kind)
    except (ValueError, msgspec.ValidationError, RecursionError) as error:
        raise ToolError(f"{tool} printed something that cannot be understood: {error}") from error
