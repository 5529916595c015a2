"""Earlier answers by ETag, so that asking again costs nothing where nothing changed."""

from __future__ import annotations

import threading
from collections import OrderedDict
from typing import NamedTuple

_MOST_BYTES = 64 * 1024 * 1024


class Kept(NamedTuple):
    """Answer that can be revalidated by its ETag.

    Attributes:
        etag: The forge's name for it.
        body: What it said.
        link: Its ``Link`` header.
    """

    etag: str
    body: bytes
    link: str | None


class Etags:
    """Answers by URL, in memory; the oldest are dropped where they are too large together."""

    def __init__(self, most_bytes: int = _MOST_BYTES) -> None:
        self._most_bytes = most_bytes
        self._bytes = 0
        self._kept: OrderedDict[str, Kept] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, url: str) -> Kept | None:
        """Return the last answer of a URL, or None."""
        with self._lock:
            kept = self._kept.get(url)
            if kept is not None:
                self._kept.move_to_end(url)
            return kept

    def drop(self, url: str) -> None:
        """Forget the answer of a URL."""
        with self._lock:
            before = self._kept.pop(url, None)
            self._bytes -= len(before.body) if before else 0

    def keep(self, url: str, kept: Kept) -> None:
        """Remember the answer of a URL."""
        with self._lock:
            before = self._kept.pop(url, None)
            self._bytes += len(kept.body) - (len(before.body) if before else 0)
            self._kept[url] = kept
            while self._bytes > self._most_bytes:
                self._bytes -= len(self._kept.popitem(last=False)[1].body)
