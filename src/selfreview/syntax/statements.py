"""Extents of statements of several lines, in any language, without a parser: by brackets, quotes, indents."""

from __future__ import annotations

import functools
import re
from collections.abc import Sequence

MAX_LINES = 60
"""Maximum lines that a statement is followed, up and down."""
_PARTS = re.compile(
    r"(?P<quote>\"\"\"|'''|`)|\"(?:[^\"\\]|\\.)*+\"?|'(?:[^'\\]|\\.){0,80}+'|(?<!\S)#.*|(?<![:\w])//.*"
    r"|(?P<open>[(\[])|(?P<close>[)\]])"
)
_BLOCK = re.compile(r"(?:[^\s(\[,=:?&|{]|=>)\s*\{|\bdo(?:\s*\|[^|]*\|)?", re.DOTALL)
"""End of a line that opens a block of other statements."""


def statement(lines: Sequence[str], number: int) -> range:
    """Return the lines, from 1, of the statement that goes on before or behind a line; that line alone where none does.

    What stands in brackets that are neither opened nor closed on the line is not looked for, so that the entry of a
    table is by itself; nor is a block, of which each statement is by itself.
    """
    first = _first(lines, number)
    return range(first, max(_last(lines, first), number) + 1)


class Statements:
    """The statements of a text, each looked for once.

    Args:
        lines: The text.
    """

    def __init__(self, lines: Sequence[str]) -> None:
        self._lines = lines
        self._known: dict[int, range] = {}

    def of(self, number: int) -> range:
        """Return the lines of the statement that a line belongs to, as :func:`statement` does."""
        if number not in self._known:
            self._known[number] = statement(self._lines, number)
        return self._known[number]


def continued(lines: Sequence[str], number: int) -> range:
    """Return the lines, from 1, that are joined with a line by backslashes at their ends."""
    first = last = number
    while first > max(number - MAX_LINES, 1) and _goes_on(lines[first - 2]):
        first -= 1
    while last < min(number + MAX_LINES, len(lines)) and _goes_on(lines[last - 1]):
        last += 1
    return range(first, last + 1)


def _goes_on(line: str) -> bool:
    return line.rstrip().endswith("\\")


def _first(lines: Sequence[str], number: int) -> int:
    """Return the line on which opens what a line closes, or that goes on into it."""
    depth = 0
    for at in range(number, max(number - MAX_LINES, 0), -1):
        depth += _read(lines[at - 1], "")[0]
        if depth >= 0 and not (at > 1 and _goes_on(lines[at - 2])):
            return at if at == number or not _opens_block(lines[at - 1]) else number
    return number


def _last(lines: Sequence[str], first: int) -> int:
    depth, quote = 0, ""
    for at in range(first, min(first + MAX_LINES, len(lines) + 1)):
        line = lines[at - 1].rstrip()
        change, quote = _read(line, quote)
        depth += change
        if not quote and not _goes_on(line) and (depth <= 0 or _opens_block(line)):
            return at
    return first


@functools.lru_cache(maxsize=1024)  # the lines around are asked about again for each line
def _opens_block(line: str) -> bool:
    text = line.rstrip()
    return any(match.end() == len(text) for match in _BLOCK.finditer(text, max(len(text) - 200, 0)))


@functools.lru_cache(maxsize=1024)
def _read(line: str, quote: str) -> tuple[int, str]:
    """Return by how many brackets a line goes deeper, and in which text of several lines it ends."""
    depth, at = 0, 0
    while True:
        if quote:
            end = line.find(quote, at)
            if end < 0:
                return depth, quote
            at, quote = end + len(quote), ""
        match = _PARTS.search(line, at)
        if match is None:
            return depth, ""
        at = match.end()
        quote = match["quote"] or ""
        depth += (match["open"] is not None) - (match["close"] is not None)


CONTINUED = re.compile(r"\s*(?:\?\.|\.|->)\s*(?=\w)")
"""Start of a line that goes on with a chain of calls."""
_BRACKET = re.compile(r"[(){}\[\]]")
_LONGEST_CHAIN = 40


def statement_starts(lines: Sequence[str]) -> list[int]:
    """Return, for each line, on which line the statement starts that it belongs to.

    Args:
        lines: The lines of a file, with comments and texts blank.
    """
    starts: list[int] = []
    opened: list[tuple[str, int]] = []
    for number, line in enumerate(lines, 1):
        start = number
        while (
            opened
            and line.strip()
            and line.lstrip()[0] not in ")]}"
            and indent_of(line) <= indent_of(lines[opened[-1][1] - 1])
        ):
            opened.pop()  # that bracket was no code, or nothing of what is around it goes on
        if opened and opened[-1][0] != "{":
            start = starts[opened[-1][1] - 1]
        elif CONTINUED.match(line):
            margin = indent_of(line)
            above = range(number - 1, max(number - _LONGEST_CHAIN, 0), -1)
            start = next(
                (starts[n - 1] for n in above if lines[n - 1].strip() and indent_of(lines[n - 1]) <= margin), number
            )
        starts.append(start)
        for bracket in _BRACKET.findall(line):
            if bracket in "([{":
                opened.append((bracket, number))
            elif opened:
                opened.pop()
    return starts


def indent_of(line: str) -> int:
    """Return how many characters a line is indented by."""
    return len(line) - len(line.lstrip())
