"""Values that must appear nowhere: the credentials of this program itself, whatever form they have.

Secrets that somebody wrote into code or a comment are found by their form (``secrets/``). A token of a forge need not
have one that anybody knows; but whoever holds it can say so.
"""

from __future__ import annotations

import re
import threading
import urllib.parse
from collections.abc import Iterable, Iterator

MASK = "••••••••"
"""Replacement for a value; its length reveals nothing about the value's."""

SHORTEST = 6
"""Minimum characters; a shorter value is a word like others, and hiding it everywhere would hide ordinary text."""

_STRING = re.compile(rb'"[^"\\]*(?:\\.[^"\\]*)*"(\s*:)?')
"""A string in an encoded JSON document, or a key of an object with its colon."""


class Masking:
    """Values that are hidden in one process. May be used by several threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._pattern: re.Pattern[str] | None = None
        self._values: frozenset[str] = frozenset()

    def add(self, values: Iterable[str]) -> None:
        """Hide values from now on; those of less than :data:`SHORTEST` characters are ignored."""
        added = {value for text in values if len(value := text.strip()) >= SHORTEST}
        with self._lock:  # of two at once, none may be lost
            if added <= self._values:
                return
            self._values = self._values | added
            forms = {form for value in self._values for form in (value, urllib.parse.quote(value, safe=""))}
            longest_first = sorted(forms, key=lambda form: (-len(form), form))
            self._pattern = re.compile("|".join(map(re.escape, longest_first)))

    def clear(self) -> None:
        """Stop hiding all values."""
        with self._lock:
            self._pattern, self._values = None, frozenset()

    @property
    def is_active(self) -> bool:
        """Return whether anything is to be hidden."""
        return self._pattern is not None

    def places(self, text: str) -> Iterator[tuple[int, int]]:
        """Yield the extents of values in a text, in code points, each end exclusive."""
        pattern = self._pattern
        return (match.span() for match in pattern.finditer(text)) if pattern is not None else iter(())

    def hide(self, text: str) -> str:
        """Return a text with :data:`MASK` in the place of each value, also of one that is quoted for an address."""
        pattern = self._pattern
        return text if pattern is None else pattern.sub(MASK, text)

    def hide_in_json(self, document: bytes) -> bytes:
        """Return an encoded JSON document with :data:`MASK` in the place of each value; what keys are called stays."""
        return document if self._pattern is None else _STRING.sub(self._hidden, document)

    def _hidden(self, match: re.Match[bytes]) -> bytes:
        import json  # not with the API

        if match[1]:
            return match[0]
        encoded = match[0].decode()
        text = json.loads(encoded) if "\\" in encoded else encoded[1:-1]
        hidden = self.hide(text)
        return match[0] if hidden == text else json.dumps(hidden).encode("ascii")


_OWN = Masking()


def masking() -> Masking:
    """Return what is hidden in this whole process, in all that it prints or sends, and in the words that it keeps."""
    return _OWN
