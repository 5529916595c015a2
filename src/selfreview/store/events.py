"""Log of events: rows are added, never changed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from selfreview.errors import StoreError
from selfreview.model.event import Event
from selfreview.model.kept import kept_json
from selfreview.model.wire import from_json

if TYPE_CHECKING:
    import sqlite3

KEEP_EVENTS = 20_000
"""Maximum number of events that a store keeps; those of a pruned run go with it."""


def add(connection: sqlite3.Connection, event: Event, *, keep_events: int = KEEP_EVENTS) -> None:
    """Add an event and prune the oldest."""
    cursor = connection.execute(
        "INSERT INTO events (run_id, session, at, kind, data) VALUES (?, ?, ?, ?, ?)",
        (event.run_id, event.session, event.at, event.kind, kept_json(event.data)),
    )
    assert cursor.lastrowid is not None  # noqa: S101 - for the type checker
    connection.execute("DELETE FROM events WHERE seq <= ?", (cursor.lastrowid - keep_events,))


def of_run(connection: sqlite3.Connection, run_id: str) -> list[Event]:
    """Return a run's events in the order in which they were added.

    Raises:
        StoreError: If one cannot be read.
    """
    return _select(connection, "run_id", run_id)


def of_session(connection: sqlite3.Connection, session: str) -> list[Event]:
    """Return a session's events in the order in which they were added.

    Raises:
        StoreError: If one cannot be read.
    """
    return _select(connection, "session", session)


def of_kind(connection: sqlite3.Connection, kind: str) -> list[Event]:
    """Return the events of a kind in the order in which they were added.

    Raises:
        StoreError: If one cannot be read.
    """
    return _select(connection, "kind", kind)


def _select(connection: sqlite3.Connection, column: str, value: str) -> list[Event]:
    query = f"SELECT kind, at, run_id, session, data FROM events WHERE {column} = ? ORDER BY seq"  # noqa: S608 - ours
    try:
        return [
            Event(kind=kind, at=at, run_id=run, session=session, data=from_json(data, dict[str, object]))
            for kind, at, run, session, data in connection.execute(query, (value,))
        ]
    except msgspec.MsgspecError as error:
        raise StoreError(f"the stored events of {value} cannot be read: {error}") from error
