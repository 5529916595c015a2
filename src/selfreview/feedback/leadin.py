"""Words beside a suggestion block that only lead up to it, and ask for nothing else."""

from __future__ import annotations

import re

_WORDS = frozenset(
    re.findall(
        r"\w+",
        """
        a about better cleaner clearer could easier eg fix how i id instead it like maybe minor nit nitpick of or
        perhaps please prefer preferably rather shorter simpler small so style suggested suggestion that the this tiny
        try typo use what would write
        """,
    )
)
_MOST = 6
_WORD = re.compile(r"[^\W\d_]+(?:['\u2019.][^\W\d_]+)*")
_OTHER = re.compile(r"[^\s\w,:;.!?()*~'\"\u2019\u2026-]|\d|_")


def is_lead_in(words: str) -> bool:
    """Return whether words only introduce a block: few, and each of a fixed list, as in "Maybe like this:".

    What is not known for sure is no lead-in.
    """
    found = [re.sub(r"['\u2019.]", "", word).lower() for word in _WORD.findall(words)]
    return len(found) <= _MOST and set(found) <= _WORDS and _OTHER.search(words) is None
