"""The blocks of a text: those in braces, and in Ruby those up to an ``end``."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

_SPACES = re.compile(r"\s+")
_RUBY_WORD = re.compile(
    r"(?<![.:\w@$])(?<!\bdef )(?P<word>class|module|def|if|unless|case|while|until|for|begin|do|end)\b(?![:\w?!])"
)
_RUBY_ENDLESS = re.compile(
    r"def\s+(?:\w+\.)?(?:\w+[?!]?\s+=(?![=~])"
    r"|(?:\w+[?!]?|[^\s\w(.]{1,3})\s*\((?:[^()\n]|\([^()\n]*\))*\)\s*=(?![=~]))"
)
_RUBY_BEFORE = re.compile(r"(?:[;({\[,=|&<+]|=>|(?<![.\w])(?:then|else|do|begin|ensure|and|or|not))$")
"""Tokens that a statement or a value of Ruby follows; behind anything else, ``if`` and the like are modifiers."""
_RUBY_BEFORE_VALUE = re.compile(r"(?<![.\w])(?:return|next|break|yield)$")
_RUBY_BEFORE_DEF = re.compile(r"(?:^|[;({=,|])[\w. \t]*$")
"""Words that are called with what ``def`` gives, such as ``private``."""
_RUBY_LOOPS = ("while", "until", "for")
_LONGEST_BEFORE = 40
"""Maximum characters before a word that are examined to classify it."""


class Block(NamedTuple):
    """A block of a text.

    Attributes:
        start, end: Offsets of its inside.
        head: What opens it, in one line.
    """

    start: int
    end: int
    head: str


class _Open(NamedTuple):
    """A block of Ruby that is not closed yet: where its inside begins, its head, and the columns its end may have."""

    start: int
    head: str
    columns: tuple[int, int]


def blocks_of(text: str, language: str | None) -> list[Block]:
    """Return the blocks of a text without comments and strings, in the order in which they end."""
    return list(_ruby_blocks(text) if language == "ruby" else _braced(text))


def _braced(text: str) -> Iterator[Block]:
    stack: list[tuple[int, str, int]] = []
    begin, depth = 0, 0
    for match in re.finditer(r"[{}();]", text):
        char, at = match[0], match.start()
        if char == "{":
            stack.append((at + 1, _SPACES.sub(" ", text[begin:at]).strip(), depth))
            begin, depth = at + 1, 0
        elif char == "}":
            if stack:
                start, head, depth = stack.pop()
                yield Block(start, at, head)
            begin = at + 1
        elif char == ";":
            begin = at + 1 if depth == 0 else begin
        else:
            depth = max(0, depth + (1 if char == "(" else -1))
    yield from (Block(start, len(text), head) for start, head, _ in reversed(stack))


def _ruby_blocks(text: str) -> Iterator[Block]:
    stack: list[_Open] = []
    at = 0
    for line in text.replace("\\\n", "  ").split("\n"):  # a line that goes on begins no statement
        indent = len(line) - len(line.lstrip())
        inside = at + len(line)
        begun, loop = 0, -1
        for match in _RUBY_WORD.finditer(line):
            word, column = match["word"], match.start()
            if word == "end":
                if stack and _closes(stack[-1], inside, column, leading=column == indent):
                    block = stack.pop()
                    yield Block(block.start, max(block.start, at + column), block.head)
            elif word == "do" and loop >= 0 and ";" not in line[loop:column]:
                loop = -1  # it belongs to the loop
            elif _opens(word, line, column):
                stack.append(_Open(inside, line[begun:].strip(), (indent, column)))
                begun = match.end()
                loop = column if word in _RUBY_LOOPS else loop
        at = inside + 1
    yield from (Block(block.start, len(text), block.head) for block in reversed(stack))


def _opens(word: str, line: str, column: int) -> bool:
    """Return whether a word of Ruby opens a block that an ``end`` closes."""
    if word == "do":
        return True
    before = line[max(0, column - _LONGEST_BEFORE) : column].rstrip()
    if word == "def":
        return _RUBY_BEFORE_DEF.search(before) is not None and _RUBY_ENDLESS.match(line, column) is None
    if not before or _RUBY_BEFORE.search(before) is not None:
        return True
    return word in ("case", "begin") and _RUBY_BEFORE_VALUE.search(before) is not None


def _closes(block: _Open, inside: int, column: int, *, leading: bool) -> bool:
    """Return whether an ``end`` closes the innermost open block.

    It closes what its own line opens. Otherwise, only its column tells whether it belongs to a block that is known: a
    spare one must not close what stands around it. A call over several lines may open a block far to the right.
    """
    return block.start == inside or (leading and (column in block.columns or column < block.columns[0]))
