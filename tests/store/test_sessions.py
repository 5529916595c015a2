"""Which sessions a store remembers when there are too many."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from selfreview.errors import StoreError
from selfreview.model.event import Event
from selfreview.model.session import Session, SessionState
from selfreview.store import Store, events, runs
from selfreview.store.database import Database
from selfreview.store.tables import MIGRATIONS


def session(name: str, updated: int, state: SessionState = SessionState.SELF_REVIEW_FAILED, **more: str) -> Session:
    at = f"2026-11-27T21:00:{updated:02}Z"
    return Session(id=name, branch=f"b-{name}", worktree="/w", created=at, updated=at, state=state, **more)  # type: ignore[arg-type]


@pytest.fixture
def connection() -> Iterator[sqlite3.Connection]:
    connection = sqlite3.connect(":memory:", isolation_level=None)
    for script in MIGRATIONS.scripts:
        for statement in script:
            connection.execute(statement)
    yield connection
    connection.close()


def names(connection: sqlite3.Connection) -> set[str]:
    return {name for (name,) in connection.execute("SELECT id FROM sessions")}


def test_the_least_recently_updated_goes_whenever_it_was_made(connection: sqlite3.Connection) -> None:
    for name, updated in (("a", 1), ("b", 2), ("c", 3)):
        runs.save_session(connection, session(name, updated), keep=3)
    runs.save_session(connection, session("a", 9), keep=3)
    assert names(connection) == {"a", "b", "c"}
    runs.save_session(connection, session("d", 10), keep=3)
    assert names(connection) == {"a", "c", "d"}


def test_nothing_that_runs_or_waits_goes(connection: sqlite3.Connection) -> None:
    runs.save_session(connection, session("runs", 1, SessionState.REFINING), keep=2)
    runs.save_session(connection, session("reviews", 1, SessionState.SELF_REVIEWING), keep=2)
    runs.save_session(connection, session("waits", 1, patch="p-1"), keep=2)
    runs.save_session(connection, session("new", 1), keep=2)
    assert names(connection) == {"runs", "reviews", "waits", "new"}
    runs.save_session(connection, session("newer", 2), keep=2)
    assert names(connection) == {"runs", "reviews", "waits", "newer"}
    runs.save_session(connection, session("waits", 3), keep=2)
    assert names(connection) == {"runs", "reviews", "waits"}


def test_what_cannot_be_read_stays(connection: sqlite3.Connection) -> None:
    runs.save_session(connection, session("odd", 1), keep=1)
    connection.execute("UPDATE sessions SET body = ?", (b"{",))
    runs.save_session(connection, session("new", 2), keep=1)
    assert names(connection) == {"odd", "new"}


def test_a_store_keeps_500(connection: sqlite3.Connection) -> None:
    for number in range(runs.KEEP_SESSIONS + 2):
        runs.save_session(connection, session(f"s-{number}", number % 2))
    gone = {f"s-{number}" for number in range(runs.KEEP_SESSIONS + 2)} - names(connection)
    assert gone == {"s-0", "s-2"}


def test_events_come_back_in_the_order_of_their_adding(store: Store, directory: Path) -> None:
    added = [
        Event(kind="review.started", at="2026-11-27T21:00:02Z", run_id="r-1", data={"files": [1, None, "caf\xe9"]}),
        Event(kind="review.completed", at="2026-11-27T21:00:01Z", run_id="r-1"),
    ]
    for event in added:
        store.add_event(event)
    store.add_event(Event(kind="review.started", at="2026-11-27T21:00:03Z", run_id="r-2"))
    store.close()
    with Store.open(directory) as again:
        assert again.events("r-1") == added


def test_an_event_with_a_path_that_is_not_utf8_is_kept(store: Store) -> None:
    store.add_event(Event(kind="file", at="now", run_id="r-1", data={"path": "caf\udce9"}))
    assert store.events("r-1")[0].data == {"path": "caf\N{REPLACEMENT CHARACTER}"}


def test_events_that_cannot_be_read_are_an_error(store: Store, directory: Path) -> None:
    store.add_event(Event(kind="review.completed", at="now", run_id="r-1"))
    with closing(sqlite3.connect(directory / "store.db")) as connection, connection:
        connection.execute("UPDATE events SET data = ?", (b"{",))
    with pytest.raises(StoreError, match="events of r-1 cannot be read"):
        store.events("r-1")
    assert store.events("r-2") == []
    assert store.warnings == ()


def test_the_oldest_events_go(directory: Path) -> None:
    database = Database(directory / "store.db")
    for number in range(7):
        event = Event(kind=f"kind.{number}", at="now", run_id="r-1")
        database.write(lambda connection, event=event: events.add(connection, event, keep_events=4))
    kept = database.read(lambda connection: events.found(connection, "run_id", "r-1"))
    database.close()
    assert kept is not None
    assert [event.kind for event in kept] == ["kind.3", "kind.4", "kind.5", "kind.6"]
