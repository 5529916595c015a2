"""SQLite database in one file: opening it, migrating it, transactions, threads, and damage.

The journal is a rollback journal (``TRUNCATE``, with ``synchronous=FULL``), not a write-ahead log. A log needs memory
shared between processes, so it fails on network file systems and between containers that share a folder; it cannot be
read on a read-only medium; and what it wins, readers beside a writer, is worth nothing with a few short transactions a
run. With a truncated journal a commit is durable when it returns, also through a power cut.
"""

from __future__ import annotations

import itertools
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from selfreview.errors import SelfreviewError, StoreError
from selfreview.model.wire import display_path
from selfreview.store.recovery import (
    Damaged,
    Identity,
    create_file,
    identity,
    is_busy,
    is_damage,
    put_aside,
    store_error,
)
from selfreview.store.tables import APPLICATION_ID, MIGRATIONS, Migrations

if TYPE_CHECKING:
    import sqlite3


T = TypeVar("T")

FILE_NAME = "store.db"
"""Name of the file, in the repository's folder for selfreview."""
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

    def state(self) -> tuple[int, ...]:
        """Return what changes with each transaction of any process, from the file's entry alone; empty without one."""
        try:
            found = self.path.stat()
        except OSError:
            return ()
        return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns

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


@contextmanager
def transaction(connection: sqlite3.Connection, begin: str) -> Iterator[None]:
    """Commit at the end of the block, or roll back whatever happens."""
    try:
        _begin(connection, begin)
        yield
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:  # a full disk makes SQLite roll back by itself
            connection.execute("ROLLBACK")
        raise


def _begin(connection: sqlite3.Connection, begin: str) -> None:
    """Begin a transaction with its lock, after those that others have under way.

    SQLite looks every 100 ms whether the lock is free. Between processes that write without a pause that is too seldom:
    one of them would wait for ever.
    """
    import sqlite3

    (wait_ms,) = connection.execute("PRAGMA busy_timeout").fetchone()
    end = time.monotonic() + wait_ms / 1000
    connection.execute("PRAGMA busy_timeout = 0")
    try:
        while True:
            try:
                if not connection.in_transaction:
                    connection.execute(begin)
                connection.execute("PRAGMA user_version").fetchone()  # a deferred one has no lock before it reads
            except sqlite3.OperationalError as error:
                if not is_busy(error) or time.monotonic() >= end:
                    raise
            else:
                return
            time.sleep(0.001 + time.perf_counter_ns() % 4_000 / 1e6)  # in no step with the others
    finally:
        connection.execute(f"PRAGMA busy_timeout = {wait_ms}")


def prepare(connection: sqlite3.Connection, path: Path, migrations: Migrations) -> None:
    """Set a connection up and bring the store to the newest version.

    Raises:
        StoreError: If it is another program's database, or the store of a newer version; it is left as it is.
        Damaged: If it lacks tables or says that it has no version.
        sqlite3.Error: If it cannot be read, or has to be migrated and cannot be written.
    """
    connection.text_factory = _lenient_text
    connection.execute("PRAGMA trusted_schema = OFF")
    connection.execute("PRAGMA cell_size_check = ON")
    connection.execute("PRAGMA synchronous = FULL")
    with transaction(connection, "BEGIN"):  # one state: another process may be creating the store
        version = _version(connection, path, migrations)
    connection.execute("PRAGMA journal_mode = TRUNCATE")
    if version < migrations.version:
        _migrate(connection, path, migrations)
    with transaction(connection, "BEGIN"):
        found = {row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    if not migrations.tables <= found:
        raise Damaged(f"it lacks the tables {', '.join(sorted(migrations.tables - found))}")


def is_sound(path: Path, migrations: Migrations) -> bool:
    """Return whether the file is a whole database with exactly the tables and types of its version.

    Reads all of it: only asked after an error that nothing else explains.
    """
    import sqlite3

    definitions = "SELECT type, name, sql FROM sqlite_master ORDER BY type, name"
    try:
        with closing(sqlite3.connect(path)) as connection, closing(sqlite3.connect(":memory:")) as model:
            (version,) = connection.execute("PRAGMA user_version").fetchone()
            for statement in itertools.chain.from_iterable(migrations.scripts[:version]):
                model.execute(statement)
            return (
                connection.execute("PRAGMA quick_check").fetchall() == [("ok",)]
                and connection.execute(definitions).fetchall() == model.execute(definitions).fetchall()
                and all(_types_hold(connection, table) for table in migrations.tables)
            )
    except (sqlite3.Error, UnicodeDecodeError):  # SQLite quotes damaged names in its messages
        return False


def _types_hold(connection: sqlite3.Connection, table: str) -> bool:
    """Return whether every value has the type of its column, which SQLite itself does not require."""
    for _, name, kind, not_null, _, key in connection.execute(f"PRAGMA table_info({table})").fetchall():
        allowed = f"'{kind.lower()}'" if not_null or key else f"'{kind.lower()}', 'null'"
        query = f"SELECT 1 FROM {table} WHERE typeof({name}) NOT IN ({allowed}) LIMIT 1"  # noqa: S608 - our own names
        if connection.execute(query).fetchone() is not None:
            return False
    return True


def _version(connection: sqlite3.Connection, path: Path, migrations: Migrations) -> int:
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    (application,) = connection.execute("PRAGMA application_id").fetchone()
    name = display_path(str(path))
    if application != APPLICATION_ID:
        (objects,) = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
        if version or application or objects:
            raise StoreError(f"{name} is a database of another program", hint="move it away and run again")
    elif version < 1:
        raise Damaged(f"its version is {version}")
    if version > migrations.version:
        raise StoreError(
            f"the store {name} was written by a newer selfreview (store version {version}, "
            f"this one knows {migrations.version})",
            hint="upgrade selfreview, or move the store away to begin a new one",
        )
    return int(version)


def _migrate(connection: sqlite3.Connection, path: Path, migrations: Migrations) -> None:
    with transaction(connection, "BEGIN IMMEDIATE"):
        # Asked again: another process may have done it while this one waited for the lock.
        before = _version(connection, path, migrations)
        for version in range(before, migrations.version):
            for statement in migrations.scripts[version]:
                connection.execute(statement)
            connection.execute(f"PRAGMA user_version = {version + 1}")
        for version, fill in migrations.fills.items():
            if 0 < before < version <= migrations.version:
                fill(connection)


def _lenient_text(raw: bytes) -> str:
    """Decode text of a row; bytes that are not UTF-8 come from damage and must not end the program."""
    return raw.decode("utf-8", "replace")
