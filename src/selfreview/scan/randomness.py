"""Detection of random values, such as a machine makes."""

from __future__ import annotations

import math
import re

_COMMON = frozenset(
    """
    th he in er an re nd on en at ou ed ha to or it is hi es ng as te ar st le ti al nt se io me de ri ro ic ne ea
    ra ce li ch ll be ma si om ur ec ss us el et tr ot la no ge ve un rs ac id lo ta ho op po ut ai su pe em ad ir
    il mo co wo pa sw wd rd oo ke ey ok us am da ab mi na ni di do vi so bo go fo fi ct up ck ow pr pl cl ex ow ay
    ol ig ly sh wi ty tt nn
    """.split()  # noqa: SIM905 - a table to read
)
"""Pairs of letters that are frequent in English words and in names in code."""


_HEX = re.compile(r"[0-9a-fA-F-]+")


def entropy(value: str) -> float:
    """Return Shannon's entropy of a text in bits per character; 0 for the empty text."""
    size = len(value)
    return -sum(n / size * math.log2(n / size) for n in map(value.count, set(value)))


def looks_random(value: str) -> bool:
    """Return whether a value is made of at least two kinds of characters, and not of words.

    Few of the letter pairs of a random text are frequent in words; most of a word's are.
    """
    if len(value) < 8 or len(set(value)) < 6:
        return False
    kinds = [any(map(kind, value)) for kind in (str.islower, str.isupper, str.isdigit)]
    if sum(kinds) < 2:
        return False
    if len(value) >= 16 and _HEX.fullmatch(value):
        return True
    low = value.lower()
    pairs = [low[i : i + 2] for i in range(len(low) - 1) if low[i : i + 2].isalpha()]
    words = sum(pair in _COMMON for pair in pairs)
    return words <= 0.4 * len(pairs)
