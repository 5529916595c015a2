"""Sessions: one document each, the newest of a branch in a worktree counts."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from selfreview.errors import StoreError
from selfreview.model.session import Session
from selfreview.model.wire import display_path, from_json, to_json

if TYPE_CHECKING:
    import sqlite3

KEEP_SESSIONS = 500
"""How many sessions a store remembers."""


def save(connection: sqlite3.Connection, session: Session) -> None:
    """Add a session, or replace what is stored under its id, and prune the oldest."""
    connection.execute(
        """
        INSERT INTO sessions (id, worktree, branch, body) VALUES (?, ?, ?, ?)
        ON CONFLICT (id) DO UPDATE SET body = excluded.body
        """,
        (session.id, display_path(session.worktree), display_path(session.branch), to_json(session)),
    )
    connection.execute("DELETE FROM sessions WHERE seq <= (SELECT max(seq) FROM sessions) - ?", (KEEP_SESSIONS,))


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
