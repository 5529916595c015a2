"""Sessions in the store, and the events of a branch, in order."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Literal

import msgspec

from selfreview.errors import StoreError
from selfreview.model.session import Event, Session, SessionState
from selfreview.model.wire import display_path, from_json, kept_json

if TYPE_CHECKING:
    import sqlite3

KEEP_SESSIONS = 500
"""Maximum number of sessions that a store keeps, exceeded where none of them may be pruned."""
_LIVE = frozenset({SessionState.SELF_REVIEWING, SessionState.REFINING})


def save(connection: sqlite3.Connection, session: Session, *, keep: int = KEEP_SESSIONS) -> None:
    """Add a session, or replace what is stored under its id; prune those that nothing has happened to for longest."""
    connection.execute(
        """
        INSERT INTO sessions (id, worktree, branch, body) VALUES (?, ?, ?, ?)
        ON CONFLICT (id) DO UPDATE SET body = excluded.body
        """,
        (session.id, display_path(session.worktree), display_path(session.branch), kept_json(session)),
    )
    (count,) = connection.execute("SELECT count(*) FROM sessions").fetchone()
    if count > keep:
        gone = _prunable(connection, session.id)[: count - keep]
        connection.executemany("DELETE FROM sessions WHERE seq = ?", [(seq,) for seq in gone])


def _prunable(connection: sqlite3.Connection, saved: str) -> list[int]:
    """Return prunable rows, the least recently updated first: no session that runs, has a patch or is unreadable."""
    found = []
    for seq, name, body in connection.execute("SELECT seq, id, body FROM sessions WHERE id != ?", (saved,)):
        with contextlib.suppress(StoreError):  # a newer selfreview may know what to do with it
            session = _decode(name, body)
            if session.state not in _LIVE and session.patch is None:
                found.append((session.updated, seq))
    return [seq for _, seq in sorted(found)]


def newest(connection: sqlite3.Connection, worktree: str, branch: str) -> Session | None:
    """Return the newest session of a branch in a worktree, or None.

    Raises:
        StoreError: If it cannot be read.
    """
    row = connection.execute(
        "SELECT id, body FROM sessions WHERE worktree = ? AND branch = ? ORDER BY seq DESC LIMIT 1",
        (display_path(worktree), display_path(branch)),
    ).fetchone()
    return None if row is None else _decode(*row)


def waiting_patches(connection: sqlite3.Connection) -> set[str]:
    """Return the ids of the patches that sessions refer to."""
    found = set()
    for name, body in connection.execute("SELECT id, body FROM sessions"):
        patch = _decode(name, body).patch
        if patch is not None:
            found.add(patch)
    return found


def _decode(name: str, body: bytes) -> Session:
    try:
        return from_json(body, Session)
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise StoreError(
            f"the stored session {name} cannot be read: {error}", hint="it is damaged, or from a newer selfreview"
        ) from error


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


def events(connection: sqlite3.Connection, column: Literal["run_id", "session", "kind"], value: str) -> list[Event]:
    """Return the events of a run, of a session or of a kind, in the order in which they were added.

    Raises:
        StoreError: If one cannot be read.
    """
    query = f"SELECT kind, at, run_id, session, data FROM events WHERE {column} = ? ORDER BY seq"  # noqa: S608 - ours
    try:
        return [
            Event(kind=kind, at=at, run_id=run, session=session, data=from_json(data, dict[str, object]))
            for kind, at, run, session, data in connection.execute(query, (value,))
        ]
    except msgspec.MsgspecError as error:
        raise StoreError(f"the stored events of {value} cannot be read: {error}") from error
