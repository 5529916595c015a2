"""Comments that ask for nothing: approval, thanks, pointers to others, words that lead up to a suggestion.

The lists are closed, and short: what is not known for sure is read by a model, or by a person.
"""

from __future__ import annotations

import re
from typing import Final

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
_MAX_LEAD_IN = 6
_LEAD_IN_WORD = re.compile(r"[^\W\d_]+(?:['\u2019.][^\W\d_]+)*")
_OTHER = re.compile(r"[^\s\w,:;.!?()*~'\"\u2019\u2026-]|\d|_")


def is_lead_in(words: str) -> bool:
    """Return whether words only introduce a block: few, and each of a fixed list, as in "Maybe like this:".

    What is not known for sure is no lead-in.
    """
    found = [re.sub(r"['\u2019.]", "", word).lower() for word in _LEAD_IN_WORD.findall(words)]
    return len(found) <= _MAX_LEAD_IN and set(found) <= _WORDS and _OTHER.search(words) is None


_MAX_LENGTH: Final = 200
"""Maximum characters of a comment that can be thanks alone."""
_MAX_WORDS: Final = 40

_THANKS: Final = frozenset(
    re.split(
        r"\s*,\s*",
        """
        thanks, thank you, many thanks, so much, a lot, very much, thx, ty, cheers, for the fix, for the change,
        for the update, for this, lgtm, sgtm, looks good, looks good now, looks great, looks good to me,
        looks good to me now, looks great to me, this looks good, this looks good to me, all looks good, +1, ship it,
        approve, approved, approving, all good, good to go, good to merge, no comments, no further comments,
        no objections, nice, very nice, nice one, nice work, nice job, nice change, nice fix, great, great work,
        great job, great change, great fix, great stuff, good work, good job, good fix, well done, perfect, awesome,
        excellent, ok, okay, and,
        👍, 👌, 👏, 🎉, 🎊, 🚀, 🙏, 🙌, ❤, ✅, ✔, 😀, 😃, 😄, 😊,
        thumbsup, tada, rocket, heart, clap, shipit, pray, raised_hands, white_check_mark, ok_hand
        """.strip(),
    )
)
_POINTING: Final = frozenset(
    re.findall(
        r"\w+",
        """
        a an below comment comments couple few have here i in inline just left little minor my nit nits note notes of
        one only question questions remark remarks review see several small some suggestion suggestions the thing
        things tiny two with
        """,
    )
)
_LONGEST: Final = max(len(phrase.split()) for phrase in _THANKS)
_WORD: Final = re.compile(r"\+1\b|\w+|[^\w\s.,!;:+-]")
_BARE: Final = re.compile(r"[\s.,!;:-]*")
_MODIFIERS: Final = str.maketrans("", "", "\ufe0f\U0001f3fb\U0001f3fc\U0001f3fd\U0001f3fe\U0001f3ff")
"""Translation table that removes the variant and the skin tone of an emoji."""


def is_thanks(words: str) -> bool:
    """Return whether a whole comment approves or says thanks, and nothing else."""
    found = _words(words)
    return bool(found) and not _beside_thanks(found)


def is_pointer(words: str) -> bool:
    """Return whether a review's text only points to its comments, as in "LGTM, just a few nits below."."""
    found = _words(words)
    return bool(found) and _POINTING.issuperset(_beside_thanks(found))


def _words(text: str) -> list[str]:
    """Return the words of a text, lower-case; none where it is long, or has signs that may mean something."""
    text = text.translate(_MODIFIERS).lower()
    if len(text) > _MAX_LENGTH or _BARE.fullmatch(_WORD.sub("", text)) is None:
        return []
    found = _WORD.findall(text)
    return found if len(found) <= _MAX_WORDS else []


def _beside_thanks(words: list[str]) -> list[str]:
    """Return the words that belong to no phrase of thanks."""
    left, at = [], 0
    while at < len(words):
        length = next((n for n in range(_LONGEST, 0, -1) if " ".join(words[at : at + n]) in _THANKS), 0)
        left += [] if length else [words[at]]
        at += length or 1
    return left
