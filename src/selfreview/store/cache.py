"""Cache of blobs by key, bounded in size: the least recently used entries go first."""

from __future__ import annotations

import threading
import zlib
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from selfreview.errors import StoreError
from selfreview.store.database import Database

if TYPE_CHECKING:
    import sqlite3

CACHE_BYTES = 50 * 1024 * 1024
"""Maximum size of the cache by default."""

ENTRY_OVERHEAD = 100
"""Bytes that an entry counts for besides its key and value: its row, its share of the indexes and half-filled pages."""

_BATCH = 500
"""Keys a query; old SQLite versions allow 999 parameters."""


class Cache:
    """Persistent least-recently-used cache. Safe for threads and for many processes at once.

    Reading takes no write lock: which entries were read is remembered and written with the next :meth:`put_many`,
    :meth:`flush` or when the store is closed. A value that is not what was put is never returned.

    Args:
        database: Where it lives.
        max_bytes: Keys, values and ``ENTRY_OVERHEAD`` an entry together may take so much.
    """

    def __init__(self, database: Database, max_bytes: int = CACHE_BYTES) -> None:
        self._database = database
        self._max_bytes = max_bytes
        self._lock = threading.Lock()
        self._touched: dict[bytes, None] = {}

    def get_many(self, keys: Sequence[bytes]) -> dict[bytes, bytes]:
        """Return the values of those keys that are there. Later keys count as used later.

        Raises:
            StoreError: If the store cannot be read.
        """
        found = self._database.read(lambda connection: _select(connection, keys)) or {}
        with self._lock:
            for key in keys:
                if key in found:
                    self._touched.pop(key, None)
                    self._touched[key] = None
        return found

    def put_many(self, entries: Mapping[bytes, bytes]) -> None:
        """Keep values, in place of older ones of the same keys. One that alone exceeds the bound is not kept.

        Raises:
            StoreError: If the store cannot be written.
        """
        if not entries:
            return

        def work(connection: sqlite3.Connection) -> None:
            self.flush(connection)
            self._insert(connection, entries)
            self._evict(connection)

        self._database.write(work)

    def flush(self, connection: sqlite3.Connection) -> None:
        """Record, inside a transaction, which entries were read since the last time."""
        with self._lock:
            touched, self._touched = self._touched, {}
        tick = _next_tick(connection)
        connection.executemany(
            "UPDATE cache SET used = ? WHERE key = ?", ((tick + n, key) for n, key in enumerate(touched))
        )

    def close(self) -> None:
        """Record which entries were read, where that is possible."""
        if self._touched:
            try:
                self._database.write(self.flush)
            except StoreError:
                return  # only the order of eviction suffers; a store that cannot be written is reported by who writes

    def _insert(self, connection: sqlite3.Connection, entries: Mapping[bytes, bytes]) -> None:
        tick = _next_tick(connection)
        rows = [
            (key, tick + n, _size(key, value), _checksum(key, value), value)
            for n, (key, value) in enumerate(entries.items())
        ]
        connection.executemany("DELETE FROM cache WHERE key = ?", ((row[0],) for row in rows))
        connection.executemany(
            "INSERT INTO cache (key, used, size, crc, value) VALUES (?, ?, ?, ?, ?)",
            (row for row in rows if row[2] <= self._max_bytes),
        )

    def _evict(self, connection: sqlite3.Connection) -> None:
        (total,) = connection.execute("SELECT coalesce(sum(bytes), 0) FROM cache_total").fetchone()
        last = None
        if total > self._max_bytes:
            for used, size in connection.execute("SELECT used, size FROM cache ORDER BY used"):
                last = used
                total -= size
                if total <= self._max_bytes:
                    break
        if last is not None:
            connection.execute("DELETE FROM cache WHERE used <= ?", (last,))


def _size(key: bytes, value: bytes) -> int:
    return len(key) + len(value) + ENTRY_OVERHEAD


def _checksum(key: bytes, value: bytes) -> int:
    """Return a checksum; SQLite has none, and a damaged page could turn into findings that nobody made."""
    return zlib.crc32(value, zlib.crc32(key))


def _next_tick(connection: sqlite3.Connection) -> int:
    (tick,) = connection.execute("SELECT coalesce(max(used), 0) + 1 FROM cache").fetchone()
    return int(tick)


def _select(connection: sqlite3.Connection, keys: Sequence[bytes]) -> dict[bytes, bytes]:
    found: dict[bytes, bytes] = {}
    for start in range(0, len(keys), _BATCH):
        part = keys[start : start + _BATCH]
        marks = ",".join("?" * len(part))
        query = f"SELECT key, value, crc FROM cache WHERE key IN ({marks})"  # noqa: S608 - only question marks
        rows = connection.execute(query, part)
        found |= {key: value for key, value, crc in rows if _checksum(key, value) == crc}
    return found
