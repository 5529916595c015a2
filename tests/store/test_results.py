"""Results: kept whole, found again, bounded."""

from __future__ import annotations

import re
import sqlite3
from pathlib import Path

import pytest

from selfreview.errors import StoreError, UsageError
from selfreview.model.event import Event
from selfreview.store import Store
from selfreview.store.database import Database

from .builders import make_issue, make_result


def bounded(directory: Path, **bounds: int) -> Store:
    return Store(Database(directory / "store.db"), **bounds)


def test_a_result_comes_back_as_it_was(store: Store, directory: Path) -> None:
    result = make_result(make_issue(), summary="one loop")
    run_id = store.add_result(result)
    assert result.run_id == run_id
    assert store.result(run_id) == result
    store.close()
    with Store.open(directory) as again:
        assert again.result("latest") == result


def test_a_result_with_a_path_and_a_branch_that_are_not_utf8_is_kept(store: Store) -> None:
    store.add_result(make_result(make_issue(file="caf\udce9.py"), branch="br\udce9"))
    (found,) = store.results(5, branch="br\udce9")
    assert found.issues[0].file == "caf\N{REPLACEMENT CHARACTER}.py"


def test_ids_say_when_and_sort_by_time(store: Store) -> None:
    first = store.add_result(make_result(timestamp="2026-11-27T21:00:00Z"))
    second = store.add_result(make_result(timestamp="2026-11-27T21:00:01Z"))
    assert re.fullmatch(r"r-20261127-210000-[0-9a-f]{4}", first)
    assert first < second


def test_a_result_without_a_timestamp_gets_an_id_all_the_same(store: Store) -> None:
    assert re.fullmatch(r"r-[0-9]{8}-[0-9]{6}-[0-9a-f]{4}", store.add_result(make_result(timestamp="")))


def test_an_id_is_never_given_twice(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    draws = iter([b"\xab\x12", b"\xab\x12", b"\xab\x13"])
    monkeypatch.setattr("selfreview.store.runs.os.urandom", lambda size: next(draws))
    ids = [store.add_result(make_result()) for _ in range(2)]
    assert ids == ["r-20261127-210000-ab12", "r-20261127-210000-ab13"]


def test_results_come_newest_first_and_by_branch(store: Store) -> None:
    for branch in ("main", "topic", None, "main"):
        store.add_result(make_result(branch=branch))
    newest = [result.run_id for result in store.results(10)]
    assert newest == [result.run_id for result in store.results(10, branch=None)]
    assert len(newest) == 4
    assert store.results(2) == store.results(10)[:2]
    assert [r.run_id for r in store.results(10, branch="main")] == [newest[0], newest[3]]
    assert [r.run_id for r in store.results(10, branch="")] == [newest[1]]
    assert store.results(10, branch="other") == []


def test_the_latest_is_the_last_one_added_whatever_the_clock_says(store: Store) -> None:
    store.add_result(make_result(timestamp="2026-11-27T21:00:00Z"))
    late = store.add_result(make_result(timestamp="2020-01-01T00:00:00Z"))
    assert store.result().run_id == late
    assert store.results(1)[0].run_id == late


def test_an_id_may_be_shortened_while_it_is_clear(store: Store) -> None:
    first = store.add_result(make_result(timestamp="2026-11-27T21:00:00Z"))
    second = store.add_result(make_result(timestamp="2026-11-28T09:00:00Z"))
    assert store.result("r-20261127").run_id == first
    with pytest.raises(UsageError, match="several runs") as caught:
        store.result("r-2026112")
    assert caught.value.hint == f"one of {second}, {first}"


def test_a_prefix_is_text_and_not_a_pattern(store: Store) -> None:
    store.add_result(make_result())
    for pattern in ("r_2026", "r-%", "%", "*"):
        with pytest.raises(UsageError, match="no run"):
            store.result(pattern)


def test_an_empty_store_knows_no_run_and_is_not_created_by_asking(store: Store, directory: Path) -> None:
    assert store.results(5) == []
    with pytest.raises(UsageError, match="no run yet"):
        store.result()
    with pytest.raises(UsageError, match="no run 'r-1'"):
        store.result("r-1")
    assert store.events("r-1") == []
    assert store.setting("answer") is None
    assert store.cache.get_many([b"key"]) == {}
    assert not directory.exists()


def test_only_the_newest_runs_are_kept_with_what_belongs_to_them(directory: Path) -> None:
    with bounded(directory, keep_runs=3) as store:
        ids = []
        for number in range(5):
            ids.append(store.add_result(make_result(make_issue(f"v1:{number}0"), make_issue("v1:ff"))))
            store.add_event(Event(kind="review.completed", at="now", run_id=ids[-1]))
        assert [r.run_id for r in store.results(99)] == ids[:1:-1]
        assert [len(store.events(run_id)) for run_id in ids] == [1] * 5  # what happened has happened
        with pytest.raises(UsageError):
            store.issue("sr-10")
        assert store.issue("sr-20").history.runs == 1
        still_seen = store.issue("sr-ff").history
        assert (still_seen.runs, still_seen.first_run) == (5, ids[0])


def test_large_results_are_bounded_by_their_size_but_the_newest_stays(directory: Path) -> None:
    with bounded(directory, keep_bytes=10_000) as store:
        for _ in range(4):
            store.add_result(make_result(summary="x" * 3_500))
        assert len(store.results(99)) == 2
        store.add_result(make_result(summary="y" * 20_000))
        assert [len(result.summary) for result in store.results(99)] == [20_000]


def test_pruned_rows_leave_the_file(directory: Path) -> None:
    with bounded(directory, keep_runs=2) as store:
        for number in range(6):
            store.add_result(make_result(make_issue(f"v1:{number}0")))
    with sqlite3.connect(directory / "store.db") as connection:
        counts = [
            connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0] for table in ("runs", "results", "issues")
        ]
    connection.close()
    assert counts == [2, 2, 2]


def test_a_run_that_cannot_be_read_is_reported_and_hides_no_other(store: Store, directory: Path) -> None:
    good = store.add_result(make_result(timestamp="2026-11-27T21:00:00Z"))
    bad = store.add_result(make_result(timestamp="2026-11-28T21:00:00Z"))
    connection = sqlite3.connect(directory / "store.db")
    with connection:
        connection.execute("UPDATE results SET body = ? WHERE seq = 2", (b'{"verdict": "splendid"}',))
    connection.close()
    assert [result.run_id for result in store.results(5)] == [good]
    store.results(5)
    assert store.warnings == (f"the stored run {bad} cannot be read",)
    with pytest.raises(StoreError, match=bad):
        store.result(bad)
    store.add_result(make_result())
    assert len(store.results(5)) == 2


def test_settings_are_remembered_replaced_and_forgotten(store: Store, directory: Path) -> None:
    store.set_setting("model", "yes")
    store.set_setting("model", "no")
    store.set_setting("other", "\N{SNOWMAN}")
    store.close()
    with Store.open(directory) as again:
        assert (again.setting("model"), again.setting("other")) == ("no", "\N{SNOWMAN}")
        again.set_setting("model", None)
        assert again.setting("model") is None
