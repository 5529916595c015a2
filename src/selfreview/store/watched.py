"""Watched pull requests: what was seen of each, and the outcome.

Times are seconds since 1970.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

from selfreview.store.database import Database

if TYPE_CHECKING:
    import sqlite3

KEEP_HINTS = 5_000
"""Maximum number of hints that are kept: a forge sends a hint again for some days at most."""
_COLUMNS = "number, done, told, tried, tries, due, swept, said"


class Watched(NamedTuple):
    """Pull request that is watched.

    Attributes:
        number: Its number.
        done: The mark of the last look whose feedback was answered; empty: none.
        told: The mark of the last look that a person was told of.
        tried: The mark of the last look that an answer was begun for and did not come to its end.
        tries: How often that was.
        due: When it may be tried again.
        swept: When it was read whole the last time.
        said: What came of the last answer, in words.
    """

    number: int
    done: str = ""
    told: str = ""
    tried: str = ""
    tries: int = 0
    due: float = 0.0
    swept: float = 0.0
    said: str = ""


class Watching:
    """State of a watcher; every operation is one transaction, durable when it returns, and may be called from any
    thread and process. Any may raise a ``StoreError``.

    Args:
        database: The file.
    """

    def __init__(self, database: Database) -> None:
        self._database = database

    def all(self, forge: str) -> dict[int, Watched]:
        """Return all pull requests of a repository (``host/owner/name``), by number."""
        query = f"SELECT {_COLUMNS} FROM watched WHERE forge = ?"  # noqa: S608 - our own names
        rows = self._database.read(lambda connection: connection.execute(query, (forge,)).fetchall()) or []
        return {row[0]: Watched(*row) for row in rows}

    def save(self, forge: str, *rows: Watched) -> None:
        """Store pull requests, over what was known of them."""

        def work(connection: sqlite3.Connection) -> None:
            connection.executemany(
                f"INSERT OR REPLACE INTO watched (forge, {_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",  # noqa: S608
                [(forge, *row) for row in rows],
            )

        if rows:
            self._database.write(work)

    def forget(self, forge: str, numbers: Iterable[int]) -> None:
        """Delete pull requests."""
        gone = [(forge, number) for number in numbers]
        if gone:
            self._database.write(
                lambda connection: connection.executemany("DELETE FROM watched WHERE forge = ? AND number = ?", gone)
            )

    def acted_on(self, hint: str) -> bool:
        """Return whether a hint was acted on."""
        query = "SELECT 1 FROM hints WHERE id = ?"
        return bool(self._database.read(lambda connection: connection.execute(query, (hint,)).fetchone()))

    def act_on(self, hints: Iterable[str]) -> None:
        """Record that hints were acted on; delete old hints."""
        new = [(hint,) for hint in hints]

        def work(connection: sqlite3.Connection) -> None:
            connection.executemany("INSERT OR IGNORE INTO hints (id) VALUES (?)", new)
            connection.execute(
                "DELETE FROM hints WHERE seq <= (SELECT seq FROM hints ORDER BY seq DESC LIMIT 1 OFFSET ?)",
                (KEEP_HINTS,),
            )

        if new:
            self._database.write(work)
