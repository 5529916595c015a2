"""Invisible characters."""

from __future__ import annotations

import collections
import re
from collections.abc import Iterator

from selfreview.loop.guard.model import Rejection
from selfreview.loop.guard.patch import Patch

_HIDDEN = re.compile(
    "[\x01-\x08\x0b\x0e-\x1f\x7f\u202a-\u202e\u2066-\u2069\u200b\u2028\u2029\u2060-\u2064\U000e0000-\U000e007f]"
    "|(?<=[\x20-\x7e])[\u200c-\u200f\u061c\u115f\u1160\u3164\uffa0\xad]|[\u200c-\u200f\u061c\u3164](?=[\x20-\x7e])|(?<!^)\ufeff"
)
_FLAG = re.compile("\U0001f3f4[\U000e0020-\U000e007e]{1,16}\U000e007f")


def hidden_character(patch: Patch) -> Iterator[Rejection]:
    """Reject new characters that are invisible or turn the direction of text, where no script or emoji needs them."""
    for file in patch.files:
        more = _count(file.new_text) - _count(file.old_text)
        if more:
            code = f"U+{ord(min(more)):04X}"
            reason = f"Write {code} as an escape or leave it out: nobody would see it."
            yield Rejection(file.path, "hidden-character", reason)


def _count(text: str) -> collections.Counter[str]:
    return (
        collections.Counter()
        if text.isascii() and text.isprintable()
        else collections.Counter(_HIDDEN.findall(_FLAG.sub("", text)))
    )
