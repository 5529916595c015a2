"""What a watcher remembers."""

from __future__ import annotations

from pathlib import Path

from selfreview.store import Store
from selfreview.store.database import Database
from selfreview.store.watched import KEEP_HINTS, Watched, Watching

FORGE = "github.com/octo/app"
ROW = Watched(7, done="m1", told="m2", tried="m3", tries=2, due=5.0, swept=6.0, said="waiting")


def test_rows_are_kept_by_repository_and_number(directory: Path) -> None:
    with Store.open(directory) as store:
        assert store.watching.all(FORGE) == {}
        store.watching.save(FORGE)
        assert not store.path.exists()
        store.watching.save(FORGE, ROW, Watched(8))
        store.watching.save(FORGE, ROW._replace(tries=3))
        store.watching.save("github.com/octo/other", Watched(7))
    with Store.open(directory) as store:
        assert store.watching.all(FORGE) == {7: ROW._replace(tries=3), 8: Watched(8)}
        store.watching.forget(FORGE, [7, 9])
        assert list(store.watching.all(FORGE)) == [8]
        assert list(store.watching.all("github.com/octo/other")) == [7]


def test_hints_are_remembered_once_and_not_for_ever(directory: Path) -> None:
    with Store.open(directory) as store:
        assert not store.watching.acted_on("d-1")
        store.watching.act_on(["d-1", "d-2"])
        store.watching.act_on(["d-1"])
        assert [store.watching.acted_on(name) for name in ("d-1", "d-2", "d-3")] == [True, True, False]
        store.watching.act_on([f"later-{number}" for number in range(KEEP_HINTS)])
        assert [store.watching.acted_on(name) for name in ("d-2", "later-1", f"later-{KEEP_HINTS - 1}")] == [
            False,
            True,
            True,
        ]


def test_threads_may_share_it(directory: Path) -> None:
    database = Database(directory / "store.db")
    Watching(database).save(FORGE, ROW)
    assert Watching(database).all(FORGE) == {7: ROW}
    database.close()
