"""Code that became a comment."""

from __future__ import annotations

import re
from collections.abc import Iterator

from selfreview.loop.guard.model import Rejection
from selfreview.loop.guard.patch import Patch

_OPENING = re.compile(r"//+|#+|--|/\*|\*|;+|<!--")
_CODE = re.compile(r"[=(){}\[\];:.]|^\s*(?:return|raise|break|continue|end)\b")
_SHORTEST = 6


def commented_out(patch: Patch) -> Iterator[Rejection]:
    """Reject lines of code that came back as comments."""
    for file in patch.files:
        if file.language is None:
            continue
        for hunk in file.hunks:
            gone = {line.strip() for line in hunk.old if len(line.strip()) >= _SHORTEST and _CODE.search(line)}
            gone = {line for line in gone if _commented(line) is None}
            if any(_commented(line) in gone for line in hunk.new):
                reason = "Correct the code or delete it; do not leave it as a comment."
                yield Rejection(file.path, "commented-out", reason)
                break


def _commented(line: str) -> str | None:
    """Return the text of a line that is a comment, or None where it is none."""
    bare = line.strip()
    opening = _OPENING.match(bare)
    return None if opening is None else bare[opening.end() :].removesuffix("*/").removesuffix("-->").strip()
