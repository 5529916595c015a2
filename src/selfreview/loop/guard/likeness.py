"""Similarity of two texts, in bounded work however long they are."""

from __future__ import annotations

import difflib
import re
from collections import Counter
from collections.abc import Sequence

_LARGEST = 500_000
"""Maximum pairs of equal parts that are compared: those of two texts of some thousand characters."""
_WORD = re.compile(r"\w+|\W")


def likeness(old: str, new: str, least: float = 0.0) -> float:
    """Return the similarity of two texts, from 0 to 1; where it is clearly less than asked for, 0.

    Long ones are compared by their words, and very long ones by which words they have.
    """
    if _is_small(old, new):
        return _ratio(old, new, least)
    before, after = _WORD.findall(old), _WORD.findall(new)
    if _is_small(before, after):
        return _ratio(before, after, least)
    ratio = difflib.SequenceMatcher(None, before, after, autojunk=False).quick_ratio()
    return ratio if ratio >= least else 0.0


def _ratio(old: Sequence[str], new: Sequence[str], least: float) -> float:
    matcher = difflib.SequenceMatcher(None, old, new, autojunk=False)
    if matcher.real_quick_ratio() < least or matcher.quick_ratio() < least:
        return 0.0
    return matcher.ratio()


def _is_small(old: Sequence[str], new: Sequence[str]) -> bool:
    counts = Counter(new)
    return sum(counts[part] for part in old) <= _LARGEST
