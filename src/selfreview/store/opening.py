"""Preparation of a new connection: settings, whose file it is, and the migrations that it lacks."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from selfreview.errors import StoreError
from selfreview.model.wire import display_path
from selfreview.store.faults import Damaged
from selfreview.store.schema import APPLICATION_ID, Migrations

if TYPE_CHECKING:
    import sqlite3


@contextmanager
def transaction(connection: sqlite3.Connection, begin: str) -> Iterator[None]:
    """Commit at the end of the block, or roll back whatever happens."""
    connection.execute(begin)
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:  # a full disk makes SQLite roll back by itself
            connection.execute("ROLLBACK")
        raise


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
        for version in range(_version(connection, path, migrations), migrations.version):
            for statement in migrations.scripts[version]:
                connection.execute(statement)
            connection.execute(f"PRAGMA user_version = {version + 1}")


def _lenient_text(raw: bytes) -> str:
    """Decode text of a row; bytes that are not UTF-8 come from damage and must not end the program."""
    return raw.decode("utf-8", "replace")
