"""The store as a review uses it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from selfreview.errors import StoreError
from selfreview.model.event import Event
from selfreview.model.result import ResultStatus
from selfreview.store import ReviewStore, Store

from .builders import make_result

EVENT = Event(kind="review.completed", at="now", run_id="r-1")


def test_everything_goes_to_the_store(store: Store) -> None:
    kept = ReviewStore(store)
    kept.cache.put_many({b"key": b"value"})
    run_id = kept.add_result(make_result(), lambda run_id: msgspec.structs.replace(EVENT, run_id=run_id))
    assert run_id is not None
    assert kept.cache.get_many([b"key"]) == store.cache.get_many([b"key"]) == {b"key": b"value"}
    assert store.result(run_id).run_id == run_id
    assert [event.run_id for event in store.events(run_id)] == [run_id]
    assert kept.warnings == ()


def test_without_a_store_nothing_is_kept_and_nothing_is_wrong() -> None:
    kept = ReviewStore(None)
    kept.cache.put_many({b"key": b"value"})
    assert kept.cache.get_many([b"key"]) == {}
    assert kept.add_result(make_result()) is None
    assert kept.warnings == ()


@pytest.mark.parametrize(
    ("mode", "partial", "kept"),
    [("branch", False, True), ("head", False, True), ("branch", True, False), ("staged", False, False)],
)
def test_a_part_with_nothing_to_review_is_not_remembered(store: Store, mode: str, partial: bool, kept: bool) -> None:
    result = make_result()
    assert result.scope is not None
    result.status, result.scope.mode, result.scope.partial = ResultStatus.NOTHING_TO_REVIEW, mode, partial
    assert (ReviewStore(store).add_result(result) is not None) is kept
    assert len(store.results(5)) == kept


def test_the_first_failure_ends_the_use_of_the_store(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    calls = []

    def fail(entries: object) -> None:
        calls.append(entries)
        raise StoreError("it is on fire")

    monkeypatch.setattr(store.cache, "put_many", fail)
    kept = ReviewStore(store)
    kept.cache.put_many({b"key": b"value"})
    kept.cache.put_many({b"key": b"value"})
    assert kept.add_result(make_result()) is None
    assert len(calls) == 1
    assert kept.warnings == ("the review is not remembered: it is on fire",)
    assert store.results(5) == []


def test_a_defect_is_not_hidden(store: Store) -> None:
    with pytest.raises(ZeroDivisionError):
        ReviewStore(store).attempt(lambda kept: 1 / 0, None)


def test_a_damaged_store_is_among_the_warnings(directory: Path) -> None:
    directory.mkdir()
    (directory / "store.db").write_bytes(b"damaged " * 1000)
    with Store.open(directory) as store:
        kept = ReviewStore(store)
        assert kept.cache.get_many([b"key"]) == {}
        assert kept.add_result(make_result()) is not None
        assert len(kept.warnings) == 1


def test_opening_a_store_does_not_load_sqlite() -> None:
    script = """
import sys
from pathlib import Path
from selfreview.model.result import ResultStatus
from selfreview.store import ReviewStore, Store
with Store.open(Path("/nowhere/selfreview")) as store:
    ReviewStore(store).cache.get_many([b"key"])
sys.exit("sqlite3" in sys.modules)
"""
    subprocess.run([sys.executable, "-c", script], check=True)
