r"""Edits that replace text which occurs in a file once. A model sees ``\n``; a file keeps its own line breaks."""

from __future__ import annotations

import bisect
import re
from typing import NamedTuple

from selfreview.llm.toolbox import Refusal

_SHOWN = re.compile(r"\\u\{([0-9A-F]{4,6})\}")


NOT_THERE = "old does not stand in the file: read it again, and copy the lines exactly, without numbers"


class Replaced(NamedTuple):
    """Text after an edit.

    Attributes:
        text: All of it.
        first, last: The lines that changed, from 1.
    """

    text: str
    first: int
    last: int


def replace_once(text: str, old: str, new: str) -> Replaced:
    """Replace a part that must occur in a text exactly once.

    Args:
        text: The file.
        old: The part, with any line breaks; a character may be written as it is shown (``\\u{200B}``).
        new: What stands there afterwards.

    Raises:
        Refusal: If it stands there not at all or more than once, or nothing would change.
    """
    flat, old, new = (value.replace("\r\n", "\n") for value in (text, old, new))
    if not old:
        raise Refusal("old is empty: give the lines that are to be replaced")
    at = flat.find(old)
    if at < 0 and _SHOWN.search(old):
        old, new = _as_it_is(old), _as_it_is(new)
        at = flat.find(old)
    if at < 0:
        raise Refusal(NOT_THERE)
    if flat.find(old, at + 1) >= 0:
        raise Refusal("old stands in the file more than once: give more of the lines around it")
    if old == new:
        raise Refusal("old and new are the same: nothing would change")
    # Only what differs is written, so that the lines around it keep their line breaks where a file mixes them.
    head = _alike(old, new)
    tail = _alike(old[head:][::-1], new[head:][::-1])
    start, end, middle = at + head, at + len(old) - tail, new[head : len(new) - tail]
    pairs = _pairs(text)
    written = middle.replace("\n", "\r\n") if _breaks_with_pairs(flat, start, pairs) else middle
    whole = text[: _there(start, pairs)] + written + text[_there(end, pairs) :]
    first = flat.count("\n", 0, start) + 1
    return Replaced(whole, first, first + middle.count("\n"))


def stands_in(text: str, old: str) -> bool:
    """Return whether a part occurs in a text, as it is or as it is shown, with any line breaks."""
    flat, old = (value.replace("\r\n", "\n") for value in (text, old))
    return not old or old in flat or (_SHOWN.search(old) is not None and _as_it_is(old) in flat)


def _alike(one: str, other: str) -> int:
    """Return how many characters two texts begin with in common."""
    differ = (index for index, (a, b) in enumerate(zip(one, other, strict=False)) if a != b)
    return next(differ, min(len(one), len(other)))


def _pairs(text: str) -> list[int]:
    r"""Return where the line breaks ``\r\n`` are in a text in which each is one character."""
    return [match.start() - index for index, match in enumerate(re.finditer("\r\n", text))]


def _there(place: int, pairs: list[int]) -> int:
    """Return the offset in the text as it is of an offset in the text with single line breaks."""
    return place + bisect.bisect_left(pairs, place)


def _breaks_with_pairs(flat: str, start: int, pairs: list[int]) -> bool:
    """Return whether the line that an edit begins in, or else the line before it, ends with a pair."""
    nearest = flat.find("\n", start)
    if nearest < 0:
        nearest = flat.rfind("\n", 0, start)
    index = bisect.bisect_left(pairs, nearest)
    return index < len(pairs) and pairs[index] == nearest


def _as_it_is(text: str) -> str:
    def char(match: re.Match[str]) -> str:
        code = int(match[1], 16)
        return chr(code) if code <= 0x10FFFF else match[0]

    return _SHOWN.sub(char, text)
