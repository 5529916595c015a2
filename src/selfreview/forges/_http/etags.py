"""Earlier answers by ETag, so that asking again costs nothing where nothing changed."""

from __future__ import annotations

import threading
from collections import OrderedDict
from typing import NamedTuple

_MOST_BYTES = 64 * 1024 * 1024


class Kept(NamedTuple):
    """An answer that can be asked about.

    Attributes:
        etag: The forge's name for it.
        body: What it said.
        link: Its ``Link`` header.
    """

    etag: str
    body: bytes
    link: str | None


class Etags:
    """Answers by address, in memory; the oldest go where they are too many."""

    def __init__(self, most_bytes: int = _MOST_BYTES) -> None:
        self._most_bytes = most_bytes
        self._bytes = 0
        self._kept: OrderedDict[str, Kept] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, url: str) -> Kept | None:
        """Return what an address said last, or None."""
        with self._lock:
            kept = self._kept.get(url)
            if kept is not None:
                self._kept.move_to_end(url)
            return kept

    def drop(self, url: str) -> None:
        """Forget what an address said."""
        with self._lock:
            before = self._kept.pop(url, None)
            self._bytes -= len(before.body) if before else 0

    def keep(self, url: str, kept: Kept) -> None:
        """Remember what an address says."""
        with self._lock:
            before = self._kept.pop(url, None)
            self._bytes += len(kept.body) - (len(before.body) if before else 0)
            self._kept[url] = kept
            while self._bytes > self._most_bytes:
                self._bytes -= len(self._kept.popitem(last=False)[1].body)
