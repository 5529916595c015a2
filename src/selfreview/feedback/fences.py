"""Fenced blocks of Markdown, as CommonMark has them: a fence may be longer than three, and holds shorter ones."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

_OPEN = re.compile(r"^( {0,3})(`{3,}|~{3,})[ \t]*([^\n]*)$")


class Block(NamedTuple):
    """A fenced block.

    Attributes:
        info: What stands behind the opening fence, stripped.
        lines: What is in it, without line ends.
        start, end: The lines of the text that it takes up, from 0; ``end`` is exclusive.
    """

    info: str
    lines: tuple[str, ...]
    start: int
    end: int

    @property
    def language(self) -> str:
        """The first word of ``info``."""
        return self.info.split(maxsplit=1)[0] if self.info else ""


def blocks(text: str) -> list[Block]:
    """Return the fenced blocks of a text, in order; one that is not closed goes on to the end."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    found = []
    block = next_block(lines, 0)
    while block is not None:
        found.append(block)
        block = next_block(lines, block.end)
    return found


def next_block(lines: Sequence[str], start: int) -> Block | None:
    """Return the first fenced block at a line or after it, or None."""
    for number in range(start, len(lines)):
        opened = _OPEN.match(lines[number])
        if opened is None or (opened[2][0] == "`" and "`" in opened[3]):
            continue
        close = re.compile(rf"^ {{0,3}}{re.escape(opened[2][0])}{{{len(opened[2])},}}[ \t]*$")
        last = next((i for i in range(number + 1, len(lines)) if close.match(lines[i])), len(lines))
        inner = (_unindented(line, len(opened[1])) for line in lines[number + 1 : last])
        return Block(opened[3].strip(), tuple(inner), number, min(last + 1, len(lines)))
    return None


def _unindented(line: str, columns: int) -> str:
    """Return a line without as much of its indent as the opening fence had."""
    return line[min(columns, len(line) - len(line.lstrip(" "))) :]
