"""The log of events, as a reader goes on in it: from a cursor, a little at a time, and told where something is gone."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from selfreview.errors import UsageError
from selfreview.model.event import Event, LoggedEvent, SessionResumed
from selfreview.model.session import Session
from selfreview.store import Store, events
from selfreview.store.database import Database
from selfreview.store.events import BATCH, EventLog, Follower

from .builders import make_result


def add(store: Store, *kinds: str, session: str | None = None) -> None:
    for kind in kinds:
        store.add_event(Event(kind=kind, at="2026-11-27T21:00:00Z", session=session))


def kinds(found: list[LoggedEvent]) -> list[str]:
    return [event.kind for event in found]


def test_a_reader_goes_on_where_it_was(store: Store) -> None:
    add(store, "a", "b")
    first = store.log.read_after()
    assert (kinds(first.events), first.reset) == (["a", "b"], None)
    assert first.cursor == first.events[-1].cursor
    assert store.log.read_after(first.cursor) == ([], first.cursor, None)
    add(store, "c")
    assert kinds(store.log.read_after(first.cursor).events) == ["c"]
    assert kinds(store.log.read_after(first.events[0].cursor).events) == ["b", "c"]


def test_a_batch_is_small_and_the_next_goes_on_behind_it(store: Store) -> None:
    add(store, *(f"k{number}" for number in range(BATCH + 5)))
    first = store.log.read_after(limit=10_000)
    second = store.log.read_after(first.cursor)
    assert (len(first.events), len(second.events)) == (BATCH, 5)
    few = store.log.read_after(limit=2)
    assert (kinds(few.events), kinds(store.log.read_after(few.cursor, 1).events)) == (["k0", "k1"], ["k2"])


def test_a_batch_ends_behind_much_data(store: Store) -> None:
    for _ in range(3):
        store.add_event(Event(kind="large", at="now", data={"text": "x" * 600_000}))
    assert len(store.log.read_after().events) == 2


def test_a_store_that_is_not_there_has_no_events(store: Store, directory: Path) -> None:
    assert store.log.read_after() == ([], "", None)
    assert store.log.read_after("00ff.7") == ([], "00ff.7", None)
    assert store.log.newest(5) == ([], "", None)
    assert not directory.exists()


def test_a_store_without_events_has_a_cursor(store: Store) -> None:
    store.add_result(make_result())
    batch = store.log.read_after()
    add(store, "a")
    assert kinds(store.log.read_after(batch.cursor).events) == ["a"]
    assert store.log.read_after(batch.cursor).reset is None


@pytest.mark.parametrize("cursor", ["7", ".7", "x", "00ff.", "00ff.-1", "00ff.\N{SUPERSCRIPT TWO}"])
def test_what_is_no_cursor_is_refused(store: Store, cursor: str) -> None:
    with pytest.raises(UsageError, match="no cursor"):
        store.log.read_after(cursor)


def test_a_reader_that_is_too_slow_is_told_and_goes_on_with_the_oldest_that_is_kept(directory: Path) -> None:
    database = Database(directory / "store.db")
    log = EventLog(database)
    cursors = []
    for number in range(9):
        event = Event(kind=f"k{number}", at="now")
        database.write(lambda connection, event=event: events.add(connection, event, keep_events=4))
        cursors.append(log.read_after(cursors[-1] if cursors else "").cursor)
    for late in cursors[:4]:
        batch = log.read_after(late, 2)
        assert "gone" in (batch.reset or "")
        assert kinds(batch.events) == ["k5", "k6"]
        assert log.read_after(batch.cursor).reset is None
        assert kinds(log.read_after(batch.cursor).events) == ["k7", "k8"]
    assert log.read_after(cursors[4]).reset is None
    assert kinds(log.read_after(cursors[4]).events) == ["k5", "k6", "k7", "k8"]
    database.close()


def test_a_store_begun_anew_has_another_name(store: Store, directory: Path) -> None:
    add(store, "a", "b")
    cursor = store.log.read_after().cursor
    (directory / "store.db").unlink()
    add(store, "c")
    batch = store.log.read_after(cursor)
    assert (kinds(batch.events), batch.reset) == (["c"], "the store was begun anew")
    assert store.log.read_after(batch.cursor).reset is None


def test_an_earlier_copy_of_the_store_is_told_of(store: Store, directory: Path) -> None:
    add(store, "a", "b")
    store.close()
    copy = (directory / "store.db").read_bytes()
    add(store, "c", "d")
    cursor = store.log.read_after().cursor
    store.close()
    (directory / "store.db").write_bytes(copy)
    batch = store.log.read_after(cursor)
    assert kinds(batch.events) == ["a", "b"]
    assert "earlier copy" in (batch.reset or "")


def test_every_event_of_a_session_has_its_item(store: Store) -> None:
    session = Session(id="s-1", branch="work", worktree="/tree", created="now", updated="now")
    happened = [SessionResumed(iteration=n, patches=[]).event("now", session="s-1") for n in range(2)]
    store.save_session(session, *happened)
    session.forge, session.request, session.request_url = "github.com/octo/app", 7, "https://github.com/octo/app/pull/7"
    store.save_session(session)
    add(store, "other")
    first, second, other = store.log.read_after().events
    assert first.item == second.item
    assert (first.item.branch, first.item.worktree, first.item.request) == ("work", "/tree", 7)
    assert first.item.request_url == session.request_url
    assert other.item.branch == ""
    assert (first.session, first.data["iteration"], second.data["iteration"]) == ("s-1", 0, 1)


def test_an_event_whose_session_is_gone_or_damaged_is_there(store: Store, directory: Path) -> None:
    session = Session(id="s-1", branch="work", worktree="/tree", created="now", updated="now")
    store.save_session(session, SessionResumed(iteration=1, patches=[]).event("now", session="s-1"))
    add(store, "orphan", session="s-2")
    with closing(sqlite3.connect(directory / "store.db")) as connection, connection:
        connection.execute("UPDATE events SET data = ?", (b"{",))
        connection.execute("UPDATE sessions SET body = ?", (b"{",))
    found = store.log.read_after().events
    assert [(event.kind, event.item.branch, event.data) for event in found] == [
        ("session.resumed", "", {}), ("orphan", "", {}),
    ]  # fmt: skip


def test_the_newest_are_found_however_far_back_they_are(store: Store) -> None:
    add(store, "wanted", *["other"] * (BATCH + 3), "wanted", "other")
    batch = store.log.newest(5, lambda event: event.kind == "wanted")
    assert kinds(batch.events) == ["wanted", "wanted"]
    assert kinds(store.log.newest(1, lambda event: event.kind == "wanted").events) == ["wanted"]
    assert kinds(store.log.newest(5, may_be=lambda kind, session: kind == "wanted" and session is None).events) == [
        "wanted", "wanted",
    ]  # fmt: skip
    assert store.log.newest(0).events == []
    assert store.log.read_after(batch.cursor).events == []


def test_a_follower_opens_no_transaction_where_the_file_has_not_changed(store: Store, directory: Path) -> None:
    now = [0.0]
    reads: list[str] = []

    class Counting(EventLog):
        def read_after(self, cursor: str = "", limit: int = BATCH) -> events.Batch:
            reads.append(cursor)
            return super().read_after(cursor, limit)

    database = Database(directory / "store.db")
    follower = Follower(Counting(database), database, "", lambda: now[0])
    assert follower.read() is None
    add(store, "a")
    batch = follower.read()
    assert batch is not None
    assert kinds(batch.events) == ["a"]
    for now[0] in (0.1, 0.9):
        assert follower.read() is None  # a change within a tick of the file system's clock would leave no trace
    assert len(reads) == 4
    now[0] = 2.0
    assert follower.read() is None
    for now[0] in (3.0, 4.0):
        assert follower.read() is None
    assert len(reads) == 5
    add(store, "b")
    batch = follower.read()
    assert batch is not None
    assert kinds(batch.events) == ["b"]
    database.close()


def test_a_follower_is_told_of_a_store_begun_anew(store: Store, directory: Path) -> None:
    add(store, "a")
    follower = store.log.follow(store.log.read_after().cursor)
    assert follower.read() is None
    (directory / "store.db").unlink()
    assert follower.read() is None
    store.add_result(make_result())
    batch = follower.read()
    assert batch is not None
    assert (batch.events, batch.reset) == ([], "the store was begun anew")
