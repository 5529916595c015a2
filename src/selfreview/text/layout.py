"""Measure, wrap and cut text by the cells it takes on a terminal."""

from __future__ import annotations

import functools
import unicodedata
from collections.abc import Iterable

from selfreview.text.escape import visible

ELLIPSIS = "…"


@functools.cache
def _cell(char: str) -> int:
    if unicodedata.category(char) in ("Mn", "Me"):
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1


def cells(text: str) -> int:
    """Return how many columns printable text takes: two for a wide character, none for a combining one."""
    return len(text) if text.isascii() else sum(map(_cell, text))


def head(text: str, width: int) -> str:
    """Return the longest start of a text that takes at most ``width`` columns."""
    if text.isascii():
        return text[: max(width, 0)]
    used = 0
    for index, char in enumerate(text):
        used += _cell(char)
        if used > width:
            return text[:index]
    return text


def tail(text: str, width: int) -> str:
    """Return the longest end of a text that takes at most ``width`` columns."""
    used = 0
    for index in range(len(text) - 1, -1, -1):
        used += _cell(text[index])
        if used > width:
            return text[index + 1 :]
    return text


def fit(text: str, width: int) -> str:
    """Cut a text to at most ``width`` columns, with an ellipsis where something is missing."""
    return text if cells(text) <= width else head(text, width - 1) + ELLIPSIS


def fold(text: str) -> str:
    """Return a text of several lines as one, made visible."""
    return visible(" ".join(text.split()))


def wrap(text: str, width: int) -> list[str]:
    """Break text into lines of at most ``width`` columns (4 or more), made visible; its own lines and indents stay.

    A path or another long word is a line by itself, however long: it can be copied from a terminal then.
    """
    lines: list[str] = []
    for line in text.strip("\r\n").replace("\r\n", "\n").expandtabs(4).split("\n"):
        body = line.lstrip(" ")
        indent = " " * min(len(line) - len(body), width // 2)
        lines += [f"{indent}{part}".rstrip(" ") for part in _fill(visible(body), width - len(indent))]
    return lines


def _fill(text: str, width: int) -> list[str]:
    lines: list[str] = []
    current, used = "", 0
    for word in text.split(" "):
        rest, size = word, cells(word)
        if lines or current:
            if used + 1 + size <= width:
                current, used = f"{current} {rest}", used + 1 + size
                continue
            lines.append(current)
        while size > width and not _is_one(rest):
            # A wide character may not fit a width of one; take it all the same, so that this ends.
            piece = head(rest, width) or rest[:1]
            lines.append(piece)
            rest = rest[len(piece) :]
            size = cells(rest)
        current, used = rest, size
    return [*lines, current]


def _is_one(word: str) -> bool:
    """Return whether breaking a word would spoil it; East Asian sentences are written without spaces."""
    return word.isascii() or "/" in word


def pack(parts: Iterable[str], joint: str, width: int) -> list[str]:
    """Join parts into as few lines of at most ``width`` columns as they take; a longer part is broken at its words."""
    lines: list[str] = []
    for part in parts:
        if lines and cells(lines[-1]) + len(joint) + cells(part) <= width:
            lines[-1] += joint + part
        else:
            lines += _fill(part, width)
    return lines


def plural(number: int, word: str) -> str:
    """Return ``1 file``, ``2 files``."""
    return f"{number} {word}" if number == 1 else f"{number} {word}s"


def listing(items: Iterable[str], limit: int = 5) -> str:
    """Join the first few items with commas and say how many more there are."""
    known = list(items)
    more = len(known) - limit
    text = ", ".join(known[:limit])
    return f"{text} and {more} more" if more > 0 else text
