"""Events: in order, with their run, bounded."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from selfreview.errors import StoreError
from selfreview.model.event import Event
from selfreview.store import Store, events
from selfreview.store.database import Database


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
    kept = database.read(lambda connection: events.of_run(connection, "r-1"))
    database.close()
    assert kept is not None
    assert [event.kind for event in kept] == ["kind.3", "kind.4", "kind.5", "kind.6"]
