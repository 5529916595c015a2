"""Assertions of tests in JavaScript and TypeScript that count whenever the test runs."""

from __future__ import annotations

import bisect
import re
from collections.abc import Sequence

from selfreview.loop.guard.textblocks import Block, blocks_of

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
_STATEMENT = re.compile(r"[;{}]")
_FARTHEST = 2_000
"""Characters of a statement before an assertion that are looked at."""


def reached(bare: str, places: Sequence[int], language: str) -> int:
    """Return how many assertions nothing keeps from being reached, or from counting.

    Not counted is what stands under a condition or behind a conditional ``return``, in a ``try`` whose ``catch`` does
    not fail, in a function that nothing names, and in one that a timer calls when the test has ended.

    Args:
        bare: The text of a test without comments and strings.
        places: Where its assertions are.
        language: What it is written in.
    """
    blocks = blocks_of(bare, language)
    ways_out = [match.start() for match in _RETURN.finditer(bare)]
    starts = [match.end() for match in _STATEMENT.finditer(bare)]
    return sum(not _is_hindered(bare, at, blocks, ways_out, starts) for at in places)


def _is_hindered(bare: str, at: int, blocks: Sequence[Block], ways_out: Sequence[int], starts: Sequence[int]) -> bool:
    around = [block for block in blocks if block.start <= at < block.end]
    if any(_hinders(bare, block, blocks) for block in around):
        return True
    first = starts[number - 1] if (number := bisect.bisect(starts, at)) else 0
    before = _ASSERTS.sub("", bare[max(first, at - _FARTHEST) : at])
    if _SHORT.search(before) or _LATER.search(before) or _is_idle(bare, before.lstrip()):
        return True
    return any(way < at and _leaves(way, around, blocks) for way in ways_out)


def _hinders(bare: str, block: Block, blocks: Sequence[Block]) -> bool:
    head = f"{block.head} "
    inside = bare[block.start : block.end]
    if _LATER.search(head):
        return _TOLD.search(inside) is None
    if _CONDITION.match(head):
        return True
    if head == "try ":
        catch = min((other for other in blocks if other.start > block.end), default=None)
        forgives = catch is not None and catch.head.startswith("catch")
        return forgives and catch is not None and _FAILS.search(bare, catch.start, catch.end) is None
    return _is_idle(bare, head)


def _is_idle(bare: str, text: str) -> bool:
    """Whether a text begins a function that has a name which stands nowhere else."""
    named = _NAMED.match(text)
    name = named and (named["name"] or named["function"])
    return bool(name) and len(re.findall(rf"(?<![\w$]){re.escape(name or '')}(?![\w$])", bare)) < 2


def _leaves(way_out: int, around: Sequence[Block], blocks: Sequence[Block]) -> bool:
    """Whether a ``return`` is one of the function that an assertion is in, or of one around that."""
    own = (block for block in blocks if block.start <= way_out < block.end and not _CONDITION.match(block.head))
    return all(block in around for block in own)
