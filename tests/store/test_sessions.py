"""Which sessions a store remembers when there are too many."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

import pytest

from selfreview.model.session import Session, SessionState
from selfreview.store import sessions
from selfreview.store.schema import MIGRATIONS


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
        sessions.save(connection, session(name, updated), keep=3)
    sessions.save(connection, session("a", 9), keep=3)
    assert names(connection) == {"a", "b", "c"}
    sessions.save(connection, session("d", 10), keep=3)
    assert names(connection) == {"a", "c", "d"}


def test_nothing_that_runs_or_waits_goes(connection: sqlite3.Connection) -> None:
    sessions.save(connection, session("runs", 1, SessionState.REFINING), keep=2)
    sessions.save(connection, session("reviews", 1, SessionState.SELF_REVIEWING), keep=2)
    sessions.save(connection, session("waits", 1, patch="p-1"), keep=2)
    sessions.save(connection, session("new", 1), keep=2)
    assert names(connection) == {"runs", "reviews", "waits", "new"}
    sessions.save(connection, session("newer", 2), keep=2)
    assert names(connection) == {"runs", "reviews", "waits", "newer"}
    sessions.save(connection, session("waits", 3), keep=2)
    assert names(connection) == {"runs", "reviews", "waits"}


def test_what_cannot_be_read_stays(connection: sqlite3.Connection) -> None:
    sessions.save(connection, session("odd", 1), keep=1)
    connection.execute("UPDATE sessions SET body = ?", (b"{",))
    sessions.save(connection, session("new", 2), keep=1)
    assert names(connection) == {"odd", "new"}


def test_a_store_keeps_500(connection: sqlite3.Connection) -> None:
    for number in range(sessions.KEEP_SESSIONS + 2):
        sessions.save(connection, session(f"s-{number}", number % 2))
    gone = {f"s-{number}" for number in range(sessions.KEEP_SESSIONS + 2)} - names(connection)
    assert gone == {"s-0", "s-2"}
