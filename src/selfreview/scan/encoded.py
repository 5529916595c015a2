"""Private keys inside base64, as Kubernetes secrets and environment variables hold them."""

from __future__ import annotations

import re
import string
from collections.abc import Callable, Iterator

from selfreview.scan.match import RawMatch

_MARKS = ("UFJJVkFURSBLRVkt", "BSSVZBVEUgS0VZLS", "QUklWQVRFIEtFWS0t")
"""``PRIVATE KEY-`` in base64, at each of the three places where it can start."""

_RUN = re.compile(r"[A-Za-z0-9+/_-]*={0,2}")
_ALPHABET = string.ascii_letters + string.digits + "+/_-"
_BEFORE = 4_000
"""Maximum characters of the encoded text before the mark that are looked at."""
_SHORTEST = 200


def encoded_keys(text: str, ask: Callable[[], None]) -> Iterator[RawMatch]:
    """Yield base64 texts on one line that hold a private key; ``ask`` is called at each mark, and raises in the end."""
    for mark in _MARKS:
        position = text.find(mark)
        while position >= 0:
            ask()
            first = max(0, position - _BEFORE)
            start = first + len(text[first:position].rstrip(_ALPHABET))
            run = _RUN.match(text, position)
            end = run.end() if run else position
            if end - start >= _SHORTEST:
                yield RawMatch("private-key", "Private key in base64", "high", start, end)
            position = text.find(mark, max(end, position + 1))
