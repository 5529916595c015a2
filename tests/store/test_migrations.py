"""Every version that was ever released opens and keeps what it holds; a newer one is left alone."""

from __future__ import annotations

import re
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from selfreview.errors import StoreError
from selfreview.store import Store
from selfreview.store.database import Database
from selfreview.store.tables import APPLICATION_ID, MIGRATIONS, Migrations

from .builders import make_issue, make_result

DUMPS = sorted(Path(__file__).with_name("data").glob("v*.sql"), key=lambda path: int(path.stem[1:]))
"""A store of each released version as SQL; a dump is made once, by the version that it is of, and never again."""


def restore(dump: Path, directory: Path) -> Path:
    directory.mkdir()
    path = directory / "store.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(dump.read_text("utf-8"))
    return path


def definitions(path: Path) -> list[tuple[str, str]]:
    with closing(sqlite3.connect(path)) as connection:
        rows = connection.execute("SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY name")
        return [(name, re.sub(r"\s+", " ", sql)) for name, sql in rows]


def version(path: Path) -> int:
    with closing(sqlite3.connect(path)) as connection:
        return int(connection.execute("PRAGMA user_version").fetchone()[0])


def test_there_is_a_dump_of_every_version() -> None:
    assert [dump.stem for dump in DUMPS] == [f"v{number}" for number in range(1, MIGRATIONS.version + 1)]


@pytest.mark.parametrize("dump", DUMPS, ids=lambda dump: dump.stem)
def test_a_store_of_an_earlier_version_keeps_what_it_holds(dump: Path, directory: Path) -> None:
    path = restore(dump, directory)
    with Store.open(directory) as store:
        assert [result.run_id for result in store.results(9)] == ["r-20261127-210100-0002", "r-20261127-210000-0001"]
        assert store.issue("sr-ab12").history.runs == 2
        assert [event.kind for event in store.events("r-20261127-210000-0001")] == ["review.completed"]
        assert store.cache.get_many([b"key"]) == {b"key": b"findings"}
        assert store.setting("model") == "no"
        store.add_result(make_result(make_issue("v1:ab12")))
        assert store.issue("sr-ab12").history.runs == 3
        assert store.warnings == ()
    assert version(path) == MIGRATIONS.version


@pytest.mark.parametrize("dump", DUMPS, ids=lambda dump: dump.stem)
def test_a_released_migration_is_never_edited(dump: Path, tmp_path: Path) -> None:
    number = int(dump.stem[1:])
    as_released = definitions(restore(dump, tmp_path / "released"))
    database = Database(tmp_path / "now" / "store.db", migrations=Migrations(MIGRATIONS.scripts[:number], frozenset()))
    database.write(lambda connection: None)
    database.close()
    assert definitions(tmp_path / "now" / "store.db") == as_released


FIRST = ("CREATE TABLE a (x)", f"PRAGMA application_id = {APPLICATION_ID}")
SECOND = ("CREATE TABLE b (x)", "INSERT INTO b SELECT x FROM a")
THIRD = ("ALTER TABLE b ADD COLUMN y DEFAULT 7",)


def database_of(path: Path, *scripts: tuple[str, ...]) -> Database:
    return Database(path, migrations=Migrations(scripts, frozenset()))


@pytest.mark.parametrize("start", [1, 2, 3])
def test_migrations_run_in_order_from_wherever_the_store_is(tmp_path: Path, start: int) -> None:
    scripts = (FIRST, SECOND, THIRD)
    path = tmp_path / "selfreview" / "store.db"
    with closing(database_of(path, *scripts[:start])) as old:
        old.write(lambda connection: connection.execute("INSERT INTO a VALUES (1)"))
    with closing(database_of(path, *scripts)) as new:
        rows = new.read(lambda connection: connection.execute("SELECT x, y FROM b").fetchall())
    assert rows == ([(1, 7)] if start == 1 else [])
    assert version(path) == 3


def test_a_migration_that_fails_leaves_the_store_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "selfreview" / "store.db"
    with closing(database_of(path, FIRST)) as old:
        old.write(lambda connection: connection.execute("INSERT INTO a VALUES (1)"))
    before = definitions(path)
    broken = database_of(path, FIRST, (*SECOND, "INSERT INTO nowhere VALUES (1)"))
    with closing(broken), pytest.raises(sqlite3.OperationalError, match="nowhere"):
        broken.write(lambda connection: None)
    assert (definitions(path), version(path)) == (before, 1)
    assert broken.warnings == []
    assert [entry.name for entry in path.parent.glob("*corrupt*")] == []


def test_a_store_that_lost_its_version_is_damaged(directory: Path) -> None:
    with Store.open(directory) as store:
        store.add_result(make_result())
    with closing(sqlite3.connect(directory / "store.db")) as connection:
        connection.execute("PRAGMA user_version = 0")
    with Store.open(directory) as store:
        assert store.results(5) == []
        assert "its version is 0" in store.warnings[0]


@pytest.mark.parametrize("journal", ["delete", "wal"])
def test_a_store_of_a_newer_version_is_not_touched(directory: Path, journal: str) -> None:
    with Store.open(directory) as store:
        store.add_result(make_result())
    path = directory / "store.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(f"PRAGMA journal_mode = {journal}")
        connection.execute("CREATE TABLE future (x)")
        connection.execute("PRAGMA user_version = 1000")
    before = {entry.name: (entry.read_bytes(), entry.stat().st_mtime_ns) for entry in directory.iterdir()}
    with Store.open(directory) as store:
        for operation in (lambda: store.results(1), lambda: store.add_result(make_result())):
            with pytest.raises(StoreError, match="newer selfreview") as caught:
                operation()
            assert caught.value.hint is not None
            assert "upgrade" in caught.value.hint
    after = {entry.name: (entry.read_bytes(), entry.stat().st_mtime_ns) for entry in directory.iterdir()}
    assert after == before
