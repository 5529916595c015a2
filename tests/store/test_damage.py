"""A damaged store is put aside, reported and begun anew; nothing is deleted and nothing crashes."""

from __future__ import annotations

import os
import shutil
import sqlite3
import tempfile
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from selfreview.errors import SelfreviewError, StoreError, UsageError
from selfreview.model.event import Event
from selfreview.store import Store
from selfreview.store.database import Database
from selfreview.store.tables import MIGRATIONS, Migrations

from .builders import make_issue, make_result


def fill(directory: Path) -> Path:
    """Make a store of several pages and return its file."""
    with Store.open(directory) as store:
        for number in range(12):
            run_id = store.add_result(make_result(make_issue(f"v1:{number:04x}"), summary="s" * 3_000))
            store.add_event(Event(kind="review.completed", at="now", run_id=run_id))
        store.cache.put_many({b"key %d" % number: b"v" * 400 for number in range(60)})
        store.set_setting("model", "no")
    return directory / "store.db"


def truncate(path: Path, size: int) -> None:
    os.truncate(path, size)


def garbage(path: Path) -> None:
    path.write_bytes(b"This was a store once.\n" * 400)


def zero_header(path: Path) -> None:
    path.write_bytes(bytes(100) + path.read_bytes()[100:])


def zero_tables(path: Path) -> None:
    content = path.read_bytes()
    path.write_bytes(content[:4096] + bytes(len(content) - 4096))


def drop_table(path: Path) -> None:
    connection = sqlite3.connect(path)
    with connection:
        connection.execute("DROP TABLE cache")
    connection.close()


def replace(path: Path, old: bytes, new: bytes) -> None:
    content = path.read_bytes()
    assert old in content
    path.write_bytes(content.replace(old, new, 1))


def unknown_format(path: Path) -> None:
    content = path.read_bytes()
    path.write_bytes(content[:47] + b"\x09" + content[48:])


DAMAGES: dict[str, Callable[[Path], None]] = {
    "half": lambda path: truncate(path, path.stat().st_size // 2),
    "one page": lambda path: truncate(path, 4096),
    "inside the header": lambda path: truncate(path, 50),
    "garbage": garbage,
    "zeroed header": zero_header,
    "zeroed tables": zero_tables,
    "missing table": drop_table,
    "renamed column": lambda path: replace(path, b"KEY, body BLOB", b"KEY, bodz BLOB"),
    "column's name that is not text": lambda path: replace(path, b"KEY, body BLOB", b"KEY, bo\x80y BLOB"),
    "unknown format": unknown_format,
}


@pytest.fixture(params=DAMAGES)
def damaged(request: pytest.FixtureRequest, directory: Path) -> Path:
    path = fill(directory)
    DAMAGES[request.param](path)
    return path


def test_a_damaged_store_is_kept_aside_and_a_new_one_begun(damaged: Path, directory: Path) -> None:
    content = damaged.read_bytes()
    with Store.open(directory) as store:
        run_id = store.add_result(make_result())
        assert [result.run_id for result in store.results(99)] == [run_id]
        assert store.cache.get_many([b"key 1"]) == {}
        (warning,) = store.warnings
    assert "damaged" in warning
    assert str(directory / "store.db.corrupt-1") in warning
    assert (directory / "store.db.corrupt-1").read_bytes() == content
    with Store.open(directory) as again:
        assert again.result().run_id == run_id
        assert again.warnings == ()


def test_reading_a_damaged_store_reports_it_as_well(damaged: Path, directory: Path) -> None:
    with Store.open(directory) as store:
        assert store.results(99) == []
        assert len(store.warnings) == 1


def test_a_store_damaged_while_it_is_open_is_put_aside(directory: Path) -> None:
    path = fill(directory)
    with Store.open(directory) as store:
        assert len(store.results(99)) == 12
        with path.open("r+b") as file:  # in place: another process sees the same file change
            file.seek(4096)
            file.write(os.urandom(path.stat().st_size - 4096))
        store.add_result(make_result())
        assert len(store.results(99)) == 1
        assert len(store.warnings) == 1


def test_every_damaged_store_gets_its_own_name_and_there_is_an_end_to_it(directory: Path) -> None:
    directory.mkdir()
    for number in range(1, 10):
        (directory / "store.db").write_bytes(b"bad store number %d\n" % number * 100)
        with Store.open(directory) as store:
            store.set_setting("number", str(number))
            assert f"store.db.corrupt-{number}" in store.warnings[0]
    (directory / "store.db").write_bytes(b"one too many\n" * 100)
    with Store.open(directory) as store, pytest.raises(StoreError, match="damaged again") as caught:
        store.set_setting("number", "10")
    assert caught.value.hint is not None
    assert (directory / "store.db").read_bytes() == b"one too many\n" * 100
    assert (directory / "store.db.corrupt-9").read_bytes() == b"bad store number 9\n" * 100


@pytest.mark.parametrize(
    ("change", "operation"),
    [
        ("UPDATE runs SET size = 'many'", lambda store: store.add_result(make_result())),
        ("UPDATE results SET body = 7", lambda store: store.results(1)),
        ("UPDATE issues SET sightings = 'many'", lambda store: store.issue("sr-0001")),
        ("UPDATE cache SET value = 'text'", lambda store: store.cache.get_many([b"key 1"])),
        ("UPDATE events SET data = 7", lambda store: store.events(store.result().run_id)),
    ],
)
def test_a_value_of_another_type_is_damage(directory: Path, change: str, operation: Callable[[Store], object]) -> None:
    path = fill(directory)
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(change)
    with Store.open(directory) as store:
        with suppress(UsageError):
            operation(store)
        assert len(store.warnings) == 1
        store.add_result(make_result())


def test_a_new_store_that_is_damaged_as_well_is_an_error(directory: Path) -> None:
    database = Database(directory / "store.db", migrations=Migrations(MIGRATIONS.scripts, frozenset({"never"})))
    with closing(database), pytest.raises(StoreError, match="it lacks the tables never"):
        database.write(lambda connection: None)
    assert [path.name for path in directory.glob("*corrupt-[0-9]")] == ["store.db.corrupt-1"]


def test_an_empty_file_is_a_new_store(directory: Path) -> None:
    """A process that was killed while it created the store leaves one behind."""
    directory.mkdir()
    (directory / "store.db").touch()
    with Store.open(directory) as store:
        assert store.results(5) == []
        store.add_result(make_result())
        assert store.warnings == ()


def make_folder(path: Path) -> None:
    path.mkdir()
    (path / "kept").write_text("kept")


def make_link(path: Path) -> None:
    target = path.with_name("elsewhere.db")
    connection = sqlite3.connect(target)
    connection.close()
    path.symlink_to(target)


def make_dangling_link(path: Path) -> None:
    path.symlink_to(path.with_name("nowhere"))


def make_foreign(path: Path) -> None:
    connection = sqlite3.connect(path)
    with connection:
        connection.execute("CREATE TABLE cookies (name TEXT)")
    connection.close()


def make_pipe(path: Path) -> None:
    os.mkfifo(path)


STRANGERS = [make_folder, make_link, make_dangling_link, make_foreign]
if hasattr(os, "mkfifo"):
    STRANGERS.append(make_pipe)


@pytest.mark.parametrize("make", STRANGERS)
def test_what_is_not_a_store_is_somebodys_and_left_alone(directory: Path, make: Callable[[Path], None]) -> None:
    directory.mkdir()
    make(directory / "store.db")
    before = sorted((p.name, p.lstat().st_mode, p.lstat().st_size, p.lstat().st_mtime_ns) for p in directory.iterdir())
    with Store.open(directory) as store:
        for operation in (lambda: store.results(1), lambda: store.add_result(make_result())):
            with pytest.raises(StoreError, match=r"is not a plain file|of another program") as caught:
                operation()
            assert caught.value.hint == "move it away and run again"
    after = sorted((p.name, p.lstat().st_mode, p.lstat().st_size, p.lstat().st_mtime_ns) for p in directory.iterdir())
    assert after == before


def test_a_store_deleted_while_it_is_open_is_created_again(directory: Path) -> None:
    with Store.open(directory) as store:
        store.add_result(make_result())
        shutil.rmtree(directory)
        assert store.results(5) == []
        store.add_result(make_result())
        assert len(store.results(5)) == 1
    with Store.open(directory) as again:
        assert len(again.results(5)) == 1


def test_a_store_replaced_while_it_is_open_is_followed(directory: Path, tmp_path: Path) -> None:
    fill(tmp_path / "other")
    with Store.open(directory) as store:
        store.add_result(make_result())
        (tmp_path / "other" / "store.db").replace(directory / "store.db")
        assert len(store.results(99)) == 12
        store.add_result(make_result())
    with Store.open(directory) as again:
        assert len(again.results(99)) == 13


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return fill(tmp_path_factory.mktemp("sound") / "selfreview")


# Half of the damage hits the first page, where the header and the tables' definitions are.
PLACES = st.one_of(st.integers(0, 4095), st.integers(0, 200_000))


@settings(max_examples=60, deadline=None)
@given(damage=st.lists(st.tuples(PLACES, st.binary(min_size=1, max_size=64)), min_size=1, max_size=4))
def test_no_damage_whatsoever_crashes(sound: Path, damage: list[tuple[int, bytes]]) -> None:
    content = bytearray(sound.read_bytes())
    for place, noise in damage:
        start = place % (len(content) - len(noise))
        content[start : start + len(noise)] = noise
    with tempfile.TemporaryDirectory() as folder:
        directory = Path(folder, "selfreview")
        directory.mkdir()
        (directory / "store.db").write_bytes(content)
        with Store.open(directory) as store:
            operations: list[Callable[[], object]] = [
                lambda: store.results(99),
                store.result,
                lambda: store.issue("sr-0003"),
                lambda: store.issue("sr-"),
                lambda: store.events(store.result().run_id or ""),
                lambda: store.cache.get_many([b"key %d" % number for number in range(60)]),
                lambda: store.cache.put_many({b"new": b"value", b"key 7": b"w"}),
                lambda: store.setting("model"),
                lambda: store.set_setting("model", "yes"),
                lambda: store.add_event(Event(kind="review.completed", at="now", run_id="r-1")),
                lambda: store.add_result(make_result(make_issue("v1:0004"))),
                lambda: store.results(99),
            ]
            for operation in operations:
                try:
                    found = operation()
                except SelfreviewError:  # anything else is a crash
                    continue
                if isinstance(found, dict):
                    assert set(found.values()) <= {b"v" * 400}
