"""The cache: a least-recently-used cache that survives, checked against a model of one."""

from __future__ import annotations

import sqlite3
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from selfreview.store import Store
from selfreview.store.cache import ENTRY_OVERHEAD, Cache
from selfreview.store.database import Database

from .builders import make_result

KEYS = st.binary(min_size=1, max_size=3)
VALUES = st.binary(max_size=200)
BOUND = 5 * ENTRY_OVERHEAD


def total(path: Path) -> int:
    """What the entries take, from the rows themselves."""
    connection = sqlite3.connect(path)
    try:
        query = "SELECT coalesce(sum(length(key) + length(value) + ?), 0) FROM cache"
        return int(connection.execute(query, (ENTRY_OVERHEAD,)).fetchone()[0])
    finally:
        connection.close()


class Model(RuleBasedStateMachine):
    """A cache, closed and opened again at any time, and a dictionary in order of use."""

    @initialize()
    def begin(self) -> None:
        self.folder = tempfile.TemporaryDirectory()
        self.path = Path(self.folder.name, "selfreview", "store.db")
        self.expected: dict[bytes, bytes] = {}
        self.reopen()

    def reopen(self) -> None:
        self.database = Database(self.path)
        self.cache = Cache(self.database, BOUND)

    @rule(entries=st.dictionaries(KEYS, VALUES, max_size=8))
    def put(self, entries: dict[bytes, bytes]) -> None:
        self.cache.put_many(entries)
        for key, value in entries.items():
            self.expected.pop(key, None)
            if len(key) + len(value) + ENTRY_OVERHEAD <= BOUND:
                self.expected[key] = value
        while sum(len(k) + len(v) + ENTRY_OVERHEAD for k, v in self.expected.items()) > BOUND:
            del self.expected[next(iter(self.expected))]

    @rule(keys=st.lists(KEYS, max_size=8))
    def get(self, keys: list[bytes]) -> None:
        found = self.cache.get_many(keys)
        assert found == {key: self.expected[key] for key in keys if key in self.expected}
        for key in keys:
            if key in self.expected:
                self.expected[key] = self.expected.pop(key)

    @rule()
    def end_of_process(self) -> None:
        self.cache.close()
        self.database.close()
        self.reopen()

    @invariant()
    def bounded(self) -> None:
        if self.path.exists():
            assert total(self.path) <= BOUND

    def teardown(self) -> None:
        found = self.cache.get_many(list(self.expected))
        assert found == self.expected
        self.database.close()
        self.folder.cleanup()


TestModel = Model.TestCase
TestModel.settings = settings(max_examples=40, stateful_step_count=25, deadline=None)


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
