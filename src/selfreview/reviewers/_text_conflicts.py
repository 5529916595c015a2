"""Unresolved merge conflicts."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from selfreview.reviewers._text_hit import Hit

_START = re.compile(r"<{7}(?: \S.*)?\r?\Z")
_BASE = re.compile(r"\|{7}(?: .*)?\r?\Z")
_MIDDLE = re.compile(r"={7}\r?\Z")
_END = re.compile(r">{7}(?: \S.*)?\r?\Z")
_FENCE = re.compile(r" {0,3}(?:```|~~~)")


def conflicts(lines: Sequence[str], *, prose: bool) -> Iterator[Hit]:
    """Yield conflicts, whole ones and what is left of one.

    A separator alone is a heading's underline. In prose a start or an end alone could be a quotation, and a conflict in
    a fenced block is an example.

    Args:
        lines: The file's lines.
        prose: Whether a person reads the file.
    """
    start: int | None = None
    middle: int | None = None
    fenced = start_fenced = False
    for number, line in enumerate(lines, 1):
        if prose and _FENCE.match(line):
            fenced = not fenced
        if line[:7] not in ("<<<<<<<", "=======", ">>>>>>>", "|||||||"):
            continue
        if _START.match(line):
            if start is not None:
                yield from _open(start, middle, prose)
            start, middle, start_fenced = number, None, fenced
        elif _MIDDLE.match(line) or _BASE.match(line):
            if middle is None or start is None or middle < start:
                middle = number
        elif _END.match(line):
            first = start if start is not None else middle
            if first is not None:
                whole = start is not None and middle is not None
                if whole or not prose:
                    yield Hit("conflict-marker", first, None, f"lines {first} to {number}", number, minor=start_fenced)
            elif not prose and len(line.rstrip("\r")) > 7:
                yield Hit("conflict-marker", number, None, f"line {number} ends one")
            start = middle = None
    if start is not None:
        yield from _open(start, middle, prose)


def _open(start: int, middle: int | None, prose: bool) -> Iterator[Hit]:
    if middle is not None and middle > start:
        yield Hit("conflict-marker", start, None, f"lines {start} to {middle} begin one", middle)
    elif not prose:
        yield Hit("conflict-marker", start, None, f"line {start} begins one")
