"""SQLite database in one file: opening it, transactions, threads, and the way on after an error.

The journal is a rollback journal (``TRUNCATE``, with ``synchronous=FULL``), not a write-ahead log. A log needs memory
shared between processes, so it fails on network file systems and between containers that share a folder; it cannot be
read on a read-only medium; and what it wins, readers beside a writer, is worth nothing with a few short transactions a
run. With a truncated journal a commit is durable when it returns, also through a power cut.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from selfreview.errors import SelfreviewError, StoreError
from selfreview.model.wire import display_path
from selfreview.store.recovery import Identity, create_file, identity, is_damage, put_aside, store_error
from selfreview.store.schema import MIGRATIONS, Migrations, is_sound, prepare, transaction

if TYPE_CHECKING:
    import sqlite3

T = TypeVar("T")

BUSY_SECONDS = 10.0
"""Timeout of an operation that waits for another process's transaction."""


class Database:
    """Database that the first operation opens and all threads of the process share.

    One connection, one lock: the operations of several threads take turns. It must not be carried over a fork.

    Args:
        path: The file; its folder is created by the first write, the folder above must exist.
        migrations: How the file comes to be.
        busy_seconds: How long to wait for other processes.
        read_only: Whether nothing may be written, not even to repair it; then one of an older version cannot be read.

    Attributes:
        warnings: What a person must be told: a damaged file that was put aside.
    """

    def __init__(
        self,
        path: Path,
        *,
        migrations: Migrations = MIGRATIONS,
        busy_seconds: float = BUSY_SECONDS,
        read_only: bool = False,
    ) -> None:
        self.path = path
        self.warnings: list[str] = []
        self._migrations = migrations
        self._busy_seconds = busy_seconds
        self._read_only = read_only
        self._lock = threading.RLock()
        self._connection: sqlite3.Connection | None = None
        self._identity: Identity | None = None

    def read(self, work: Callable[[sqlite3.Connection], T]) -> T | None:
        """Run ``work`` on one consistent state; return None where there is no file yet, and create none.

        Raises:
            StoreError: If the store cannot be read.
        """

        def attempt() -> T | None:
            connection = self._open(create=False)
            if connection is None:
                return None
            with transaction(connection, "BEGIN"):
                return work(connection)

        return self._guarded(attempt)

    def write(self, work: Callable[[sqlite3.Connection], T]) -> T:
        """Run ``work`` in a transaction that is durable when this returns, or never happened.

        ``work`` runs again from the start where the store had to be begun anew.

        Raises:
            StoreError: If the store cannot be written.
        """

        def attempt() -> T:
            connection = self._open(create=True)
            assert connection is not None  # noqa: S101 - for the type checker
            # Immediate: two that read first and write later would each wait for the other.
            with transaction(connection, "BEGIN IMMEDIATE"):
                return work(connection)

        return self._guarded(attempt)

    def close(self) -> None:
        """Close the file; a later operation opens it again."""
        with self._lock:
            if self._connection is not None:
                self._connection.close()
                self._connection = None

    def _guarded(self, attempt: Callable[[], T]) -> T:
        with self._lock:
            begun_anew = False
            while True:
                try:
                    return attempt()
                except SelfreviewError:
                    raise
                except Exception as error:
                    self.close()
                    known = store_error(error, self.path)
                    # A damaged page can show in any way: a column that is not there, a number that is text. Only an
                    # error that a sound store gives as well is a defect of this program.
                    damaged = known is None and not self._read_only and not is_sound(self.path, self._migrations)
                    if not (begun_anew or self._read_only) and (damaged or is_damage(error)):
                        begun_anew = True
                        self._begin_anew(error)
                    elif known is None:
                        raise
                    else:
                        raise known from error

    def _open(self, *, create: bool) -> sqlite3.Connection | None:
        current = identity(self.path)
        if self._connection is not None and current == self._identity:
            return self._connection
        # A store that was deleted or put aside meanwhile must not be written to: nobody would ever read it.
        self.close()
        if current is None:
            if not create:
                return None
            create_file(self.path)
            current = identity(self.path)
        import sqlite3

        # Taken before the file is opened: if it is replaced in between, the next operation notices.
        self._identity = current
        name = f"{self.path.absolute().as_uri()}?mode={'ro' if self._read_only else 'rwc'}"
        connection = sqlite3.connect(
            name, uri=True, timeout=self._busy_seconds, isolation_level=None, check_same_thread=False
        )
        try:
            prepare(connection, self.path, self._migrations)
        except BaseException:
            connection.close()
            raise
        self._connection = connection
        return connection

    def _begin_anew(self, error: Exception) -> None:
        """Put the damaged file aside; the next attempt creates a new one."""
        import sqlite3

        name = display_path(str(self.path))
        try:
            aside = put_aside(self.path, self._identity, self._busy_seconds)
        except (OSError, sqlite3.Error) as failure:
            raise StoreError(
                f"the store {name} is damaged ({error}) and cannot be put aside: {failure}",
                hint="delete it to begin a new one",
            ) from failure
        if aside is not None:
            self.warnings.append(
                f"the store was damaged ({error}); it is kept as {display_path(str(aside))} and a new one was begun"
            )
