"""Assertions that a test in JavaScript or TypeScript always reaches."""

from __future__ import annotations

import bisect
import re
from collections import Counter
from collections.abc import Mapping, Sequence

from selfreview.loop.guard.textblocks import Block, blocks_of

Names = Mapping[str, int]
"""Number of occurrences of each name in a text."""

_CONDITION = re.compile(r"(?:else|if|switch|catch)\b")
_LATER = re.compile(
    r"\b(?:setTimeout|setInterval|setImmediate|requestIdleCallback)\s*\([^;]*(?:=>|\bfunction\b[^;]*)\s*$"
)
_NAMED = re.compile(
    r"(?:(?:const|let|var)\s+(?P<name>[\w$]+)\s*=\s*(?:async\s+)?(?:function\b|[\w$]+\s*=>|\([^;]*\)\s*=>)"
    r"|(?:async\s+)?function\s+(?P<function>[\w$]+)\s*\()"
)
_SHORT = re.compile(r"(?:&&|\|\||\?\??)\s*$|^\s*(?:else\s+)?if\s*\([^;]*\)\s*$|^\s*else\s*$")
_ASSERTS = re.compile(r"(?:await\s+)?[\w$.]*$")
_TOLD = re.compile(r"\b(?:done|resolve|reject|next)\s*\(")
_FAILS = re.compile(r"\b(?:throw|expect|assert\w*|fail|done|reject|t)\b")
_RETURN = re.compile(r"\bif\s*\((?:[^(){};]++|\((?:[^(){};]++|\([^(){};]*+\))*+\))*+\)\s*\{?\s*return\b")
_NAME = re.compile(r"[\w$]+")
_STATEMENT = re.compile(r"[;{}]")
_FARTHEST = 2_000
"""Maximum characters of a statement before an assertion that are examined."""


def reached(bare: str, places: Sequence[int], language: str) -> int:
    """Return the number of assertions that are always reached and count.

    Not counted is what stands under a condition or behind a conditional ``return``, in a ``try`` whose ``catch`` does
    not fail, in a function that nothing names, and in one that a timer calls when the test has ended.

    Args:
        bare: The text of a test without comments and strings.
        places: Where its assertions are.
        language: What it is written in.
    """
    blocks = sorted(blocks_of(bare, language))
    names = Counter(_NAME.findall(bare))
    spans = [(block.start, block.end) for number, block in enumerate(blocks) if _hinders(bare, number, blocks, names)]
    spans += [(match.start(), _end(match.start(), blocks, bare)) for match in _RETURN.finditer(bare)]
    starts = [match.end() for match in _STATEMENT.finditer(bare)]
    return sum(not _is_hindered(bare, at, spans, starts, names) for at in places)


def _is_hindered(bare: str, at: int, spans: Sequence[tuple[int, int]], starts: Sequence[int], names: Names) -> bool:
    if any(start <= at < end for start, end in spans):
        return True
    first = starts[number - 1] if (number := bisect.bisect(starts, at)) else 0
    before = _ASSERTS.sub("", bare[max(first, at - _FARTHEST) : at])
    return bool(_SHORT.search(before) or _LATER.search(before)) or _is_idle(before.lstrip(), names)


def _hinders(bare: str, number: int, blocks: Sequence[Block], names: Names) -> bool:
    block = blocks[number]
    head = block.head[-_FARTHEST:]
    if _LATER.search(head):
        return _TOLD.search(bare, block.start, block.end) is None
    if _CONDITION.match(head):
        return True
    if head != "try":
        return _is_idle(head, names)
    catch = next((other for other in blocks[number + 1 :] if other.start > block.end), None)
    return catch is not None and catch.head.startswith("catch") and not _FAILS.search(bare, catch.start, catch.end)


def _is_idle(text: str, names: Names) -> bool:
    """Return whether a text begins a function whose name occurs nowhere else."""
    named = _NAMED.match(text)
    return named is not None and names[named["name"] or named["function"]] < 2


def _end(way_out: int, blocks: Sequence[Block], bare: str) -> int:
    """Return where the function ends that a ``return`` leaves."""
    around = (block for block in blocks if block.start <= way_out < block.end and not _CONDITION.match(block.head))
    return max(around, default=Block(0, len(bare), "")).end
