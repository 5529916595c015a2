"""Code that became a comment."""

from __future__ import annotations

import re
from collections.abc import Iterator

from selfreview.loop.guard.model import Rejection
from selfreview.loop.guard.patch import Patch

_COMMENT = re.compile(r"\s*(?://+|#+|--|/\*|\*|;+|<!--)\s?(?P<text>.*?)\s*(?:\*/|-->)?\s*")
_CODE = re.compile(r"[=(){}\[\];:.]|^\s*(?:return|raise|break|continue|end)\b")
_SHORTEST = 6


def commented_out(patch: Patch) -> Iterator[Rejection]:
    """Reject lines of code that came back as comments."""
    for file in patch.files:
        if file.language is None:
            continue
        for hunk in file.hunks:
            gone = {line.strip() for line in hunk.old if len(line.strip()) >= _SHORTEST and _CODE.search(line)}
            gone = {line for line in gone if not _COMMENT.fullmatch(line)}
            comments = (_COMMENT.fullmatch(line) for line in hunk.new)
            if any(match is not None and match["text"].strip() in gone for match in comments):
                reason = "Correct the code or delete it; do not leave it as a comment."
                yield Rejection(file.path, "commented-out", reason)
                break
