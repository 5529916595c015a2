"""The cache: a least-recently-used cache that survives, checked against a model of one."""

from __future__ import annotations

import sqlite3
import tempfile
import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from selfreview.store import Store
from selfreview.store.cache import ENTRY_OVERHEAD, Cache
from selfreview.store.database import Database

from .builders import make_result

BOUND = 5 * ENTRY_OVERHEAD
KEYS = st.sampled_from([b"a", b"bb", b"c\0c", b"d", b"e", b"f"])
VALUES = st.sampled_from([b"", b"value", bytes(60), bytes(250), bytes(BOUND)])
STEPS = st.one_of(
    st.dictionaries(KEYS, VALUES, min_size=1, max_size=3),  # put
    st.lists(KEYS, min_size=1, max_size=4),  # get
    st.none(),  # the process ends, and another one goes on
)


def size(entries: dict[bytes, bytes]) -> int:
    return sum(len(key) + len(value) + ENTRY_OVERHEAD for key, value in entries.items())


def stored(path: Path) -> dict[bytes, bytes]:
    with closing(sqlite3.connect(path)) as connection:
        return dict(connection.execute("SELECT key, value FROM cache ORDER BY used"))


def counted(path: Path) -> int:
    with closing(sqlite3.connect(path)) as connection:
        return int(connection.execute("SELECT bytes FROM cache_total").fetchone()[0])


@settings(max_examples=60, deadline=None)
@given(steps=st.lists(STEPS, min_size=8, max_size=16))
def test_it_is_a_least_recently_used_cache(steps: list[dict[bytes, bytes] | list[bytes] | None]) -> None:
    expected: dict[bytes, bytes] = {}  # in order of use
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "selfreview", "store.db")
        database = Database(path)
        cache = Cache(database, BOUND)
        for step in steps:
            if step is None:
                cache.close()
                database.close()
                database = Database(path)
                cache = Cache(database, BOUND)
            elif isinstance(step, list):
                assert cache.get_many(step) == {key: expected[key] for key in step if key in expected}
                for key in step:
                    if key in expected:
                        expected[key] = expected.pop(key)
            else:
                cache.put_many(step)
                for key, value in step.items():
                    expected.pop(key, None)
                    if size({key: value}) <= BOUND:
                        expected[key] = value
                while size(expected) > BOUND:
                    del expected[next(iter(expected))]
                assert list(stored(path).items()) == list(expected.items())
                assert counted(path) == size(expected)
        database.close()


@pytest.fixture
def database(directory: Path) -> Iterator[Database]:
    opened = Database(directory / "store.db")
    yield opened
    opened.close()


def test_thousands_of_keys_are_one_call(store: Store) -> None:
    entries = {b"%d" % number: b"value %d" % number for number in range(3_000)}
    store.cache.put_many(entries)
    assert store.cache.get_many([*entries, b"unknown"]) == entries


def test_nothing_to_put_does_not_create_a_store(store: Store, directory: Path) -> None:
    store.cache.put_many({})
    store.close()
    assert not directory.exists()


def test_a_value_larger_than_the_bound_pushes_nothing_out(database: Database) -> None:
    cache = Cache(database, BOUND)
    cache.put_many({b"small": b"1"})
    cache.put_many({b"large": b"x" * BOUND})
    assert cache.get_many([b"small", b"large"]) == {b"small": b"1"}


def test_a_new_value_that_is_too_large_does_not_leave_the_old_one(database: Database) -> None:
    cache = Cache(database, BOUND)
    cache.put_many({b"key": b"old"})
    cache.put_many({b"key": b"x" * BOUND})
    assert cache.get_many([b"key"]) == {}


def test_what_was_read_is_remembered_when_a_result_is_added(directory: Path) -> None:
    with Store(Database(directory / "store.db"), cache_bytes=2 * (ENTRY_OVERHEAD + 2)) as store:
        store.cache.put_many({b"a": b"1", b"b": b"2"})
        store.cache.get_many([b"a"])
        store.add_result(make_result())
        assert store.cache._touched == {}
        store.cache.put_many({b"c": b"3"})
        assert store.cache.get_many([b"a", b"b", b"c"]) == {b"a": b"1", b"c": b"3"}


def test_an_entry_that_is_read_again_is_the_last_one_used(database: Database) -> None:
    cache = Cache(database, 2 * (ENTRY_OVERHEAD + 2))
    cache.put_many({b"a": b"1", b"b": b"2"})
    for key in (b"a", b"b", b"a"):
        cache.get_many([key])
    cache.put_many({b"c": b"3"})
    assert cache.get_many([b"a", b"b", b"c"]) == {b"a": b"1", b"c": b"3"}


@pytest.mark.parametrize("column", ["value", "key"])
def test_a_damaged_entry_is_a_miss_and_never_a_wrong_answer(store: Store, directory: Path, column: str) -> None:
    store.cache.put_many({b"key": b"findings: [one]", b"other": b"fine"})
    connection = sqlite3.connect(directory / "store.db")
    with connection:
        connection.execute(f"UPDATE cache SET {column} = ? WHERE key = ?", (b"findings: []", b"key"))
    connection.close()
    assert store.cache.get_many([b"key", b"findings: []", b"other"]) == {b"other": b"fine"}


def test_threads_share_a_store(store: Store) -> None:
    problems: list[BaseException] = []

    def work(name: int) -> None:
        try:
            for number in range(20):
                key = b"%d-%d" % (name, number)
                store.cache.put_many({key: key})
                assert store.cache.get_many([key]) == {key: key}
        except BaseException as error:  # noqa: BLE001 - shown by the assertion below
            problems.append(error)

    threads = [threading.Thread(target=work, args=(name,)) for name in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert problems == []
    keys = [b"%d-%d" % (name, number) for name in range(8) for number in range(20)]
    assert set(store.cache.get_many(keys)) == set(keys)
