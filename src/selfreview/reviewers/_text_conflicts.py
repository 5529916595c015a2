"""Unresolved merge conflicts."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from selfreview.reviewers._text_hit import Hit

_MARKER = re.compile(
    r"(?P<S><{7} \S.*)|(?P<s><{7})|(?P<B>\|{7}(?: .*)?)|(?P<M>={7})|(?P<E>>{7} \S.*)|(?P<e>>{7})", re.DOTALL
)
_FENCE = re.compile(r" {0,3}(?:```|~~~)")
_CONFLICT = re.compile(r"[Ss][BM]*[Ee]?|[BM]?[Ee]")
"""A conflict, whole or partial, as the letters of its markers; small letters have no label."""


def conflicts(lines: Sequence[str], *, prose: bool) -> Iterator[Hit]:
    """Yield conflicts, whole and partial ones.

    A separator alone is a heading's underline. One marker alone needs the label that git writes, and in prose it could
    be a quotation. A conflict in a fenced block is an example.

    Args:
        lines: The file's lines.
        prose: Whether a person reads the file.
    """
    if not any(line.startswith(("<<<<<<<", ">>>>>>>")) for line in lines):
        return
    kinds, places = "", []
    fenced = False
    for number, line in enumerate(lines, 1):
        if prose and _FENCE.match(line):
            fenced = not fenced
        marker = _MARKER.fullmatch(line.removesuffix("\r"))
        if marker and marker.lastgroup:
            kinds += marker.lastgroup
            places.append((number, fenced))
    for found in _CONFLICT.finditer(kinds):
        (first, example), (last, _) = places[found.start()], places[found.end() - 1]
        if len(found[0]) > 1 or (found[0].isupper() and not prose):
            what = f"line {first}" if first == last else f"lines {first} to {last}"
            yield Hit("conflict-marker", first, None, what, last, minor=example)
