"""Values that must appear nowhere: what this program is given to sign in with, whatever form it has.

Secrets that somebody wrote into code or a comment are found by their form (``scan/``). A token of a forge need not have
one that anybody knows; but whoever holds it can say so.
"""

from __future__ import annotations

import functools
import json
import re
import urllib.parse
from collections.abc import Iterable, Iterator

MASK = "••••••••"
"""What stands for a value; its length says nothing about the value's."""

SHORTEST = 6
"""Characters; a shorter value is a word like others, and hiding it everywhere would hide nothing but the text."""

_JSON_MASK = json.dumps(MASK)[1:-1].encode("ascii")


class Masking:
    """The values that are hidden in one process. May be used by several threads."""

    def __init__(self) -> None:
        self._pattern: re.Pattern[str] | None = None
        self._in_json: tuple[bytes, ...] = ()
        self._values: frozenset[str] = frozenset()

    def add(self, values: Iterable[str]) -> None:
        """Hide values from now on; those of less than :data:`SHORTEST` characters are left out."""
        added = {value for text in values if len(value := text.strip()) >= SHORTEST}
        if added <= self._values:
            return
        self._values = self._values | added
        forms = {form for value in self._values for form in (value, urllib.parse.quote(value, safe=""))}
        longest_first = sorted(forms, key=lambda form: (-len(form), form))
        self._in_json = tuple(
            dict.fromkeys(
                json.dumps(form, ensure_ascii=ascii_only)[1:-1].encode("utf-8", "replace")
                for form in longest_first
                for ascii_only in (False, True)
            )
        )
        self._pattern = re.compile("|".join(map(re.escape, longest_first)))

    def clear(self) -> None:
        """Hide nothing any more."""
        self._pattern, self._in_json, self._values = None, (), frozenset()

    def places(self, text: str) -> Iterator[tuple[int, int]]:
        """Yield where values stand in a text, in code points, each end exclusive."""
        pattern = self._pattern
        return (match.span() for match in pattern.finditer(text)) if pattern is not None else iter(())

    def hide(self, text: str) -> str:
        """Return a text with :data:`MASK` in the place of each value, also of one that is quoted for an address."""
        pattern = self._pattern
        return text if pattern is None else pattern.sub(MASK, text)

    def hide_in_json(self, document: bytes) -> bytes:
        """Return an encoded JSON document with :data:`MASK` in the place of each value."""
        for value in self._in_json:
            document = document.replace(value, _JSON_MASK)
        return document


@functools.cache
def masking() -> Masking:
    """Return what is hidden in this whole process, in all that it prints, keeps or sends."""
    return Masking()
