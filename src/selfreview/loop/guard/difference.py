"""Diff of two texts, in bounded work however repetitive they are."""

from __future__ import annotations

import bisect
import difflib
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

LARGEST_EXACT = 2_000_000
"""Pairs of equal lines, times lines: what :class:`difflib.SequenceMatcher` may look at in one part of two texts."""

_ROUNDS = 8
"""Rounds of splitting a part at the lines that occur only once in it."""


class Part(NamedTuple):
    """Lines ``old_first`` to before ``old_end``, from 0, that became ``new_first`` to before ``new_end``."""

    old_first: int
    old_end: int
    new_first: int
    new_end: int


def differing(old: Sequence[str], new: Sequence[str]) -> list[Part]:
    """Return the differing parts, in order.

    Small parts are compared exactly. Larger ones are first split at lines that occur once on either side; what then is
    still too large, because its lines repeat themselves, counts as replaced as a whole.
    """
    whole = _trimmed(Part(0, len(old), 0, len(new)), old, new)
    return [one for part in _split(whole, old, new) for one in _compared(part, old, new)]


def _split(whole: Part, old: Sequence[str], new: Sequence[str]) -> list[Part]:
    parts = [whole]
    for _ in range(_ROUNDS):
        if all(map(_is_small, *_sides(parts, old, new))):
            break
        parts = [
            inner
            for part, left, right in zip(parts, *_sides(parts, old, new), strict=True)
            for inner in ([part] if _is_small(left, right) else _between_anchors(part, old, new))
        ]
    return parts


def _sides(
    parts: Sequence[Part], old: Sequence[str], new: Sequence[str]
) -> tuple[list[Sequence[str]], list[Sequence[str]]]:
    return [old[p.old_first : p.old_end] for p in parts], [new[p.new_first : p.new_end] for p in parts]


def _is_small(left: Sequence[str], right: Sequence[str]) -> bool:
    counts = Counter(right)
    return sum(counts[line] for line in left) * min(len(left), len(right)) <= LARGEST_EXACT


def _compared(part: Part, old: Sequence[str], new: Sequence[str]) -> Iterator[Part]:
    left, right = old[part.old_first : part.old_end], new[part.new_first : part.new_end]
    if not _is_small(left, right):
        yield part
        return
    for kind, i1, i2, j1, j2 in difflib.SequenceMatcher(None, left, right, autojunk=False).get_opcodes():
        if kind != "equal":
            yield Part(part.old_first + i1, part.old_first + i2, part.new_first + j1, part.new_first + j2)


def _between_anchors(part: Part, old: Sequence[str], new: Sequence[str]) -> Iterator[Part]:
    """Yield the parts between the lines that occur once on each side, in the same order."""
    once_old = _once(old, part.old_first, part.old_end)
    once_new = _once(new, part.new_first, part.new_end)
    pairs = sorted((at, once_new[line]) for line, at in once_old.items() if line in once_new)
    at_old, at_new = part.old_first, part.new_first
    for i, j in [*_rising(pairs), (part.old_end, part.new_end)]:
        inner = _trimmed(Part(at_old, i, at_new, j), old, new)
        if inner.old_first < inner.old_end or inner.new_first < inner.new_end:
            yield inner
        at_old, at_new = i + 1, j + 1


def _once(lines: Sequence[str], first: int, end: int) -> dict[str, int]:
    counts = Counter(lines[first:end])
    return {lines[at]: at for at in range(first, end) if counts[lines[at]] == 1}


def _rising(pairs: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return a longest part of pairs in order of their first, whose second also rises."""
    ends: list[int] = []
    last: list[int] = []
    before: list[int] = []
    for number, (_, second) in enumerate(pairs):
        at = bisect.bisect_left(ends, second)
        before.append(last[at - 1] if at else -1)
        ends[at : at + 1] = [second]
        last[at : at + 1] = [number]
    found = []
    number = last[-1] if last else -1
    while number >= 0:
        found.append(pairs[number])
        number = before[number]
    return found[::-1]


def _trimmed(part: Part, old: Sequence[str], new: Sequence[str]) -> Part:
    """Return a part without the lines that its sides begin and end with alike."""
    i, i_end, j, j_end = part
    while i < i_end and j < j_end and old[i] == new[j]:
        i, j = i + 1, j + 1
    while i < i_end and j < j_end and old[i_end - 1] == new[j_end - 1]:
        i_end, j_end = i_end - 1, j_end - 1
    return Part(i, i_end, j, j_end)
