"""Tables of a store as migrations: the statements, and what fills tables from what a store of before holds.

A store's ``user_version`` is the number of migrations that it has been through. A migration that was released is never
edited: a change of the tables is one more entry at the end. The SQL needs SQLite 3.24 or newer (upserts).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, NamedTuple

from selfreview.store import summaries

if TYPE_CHECKING:
    import sqlite3


APPLICATION_ID = 0x53525657
"""SQLite's ``application_id`` of a store: ``SRVW`` in ASCII. Tells a store from some other program's database."""

_INITIAL = (
    f"PRAGMA application_id = {APPLICATION_ID}",
    # One row a run. The whole result is the JSON in "results"; the columns here are only what is searched by. The
    # branch is '' on a detached HEAD and for a bare diff.
    """
    CREATE TABLE runs (
        seq INTEGER PRIMARY KEY AUTOINCREMENT,
        id TEXT NOT NULL UNIQUE,
        at TEXT NOT NULL,
        branch TEXT NOT NULL,
        size INTEGER NOT NULL
    )
    """,
    "CREATE INDEX runs_branch ON runs (branch, seq)",
    # Apart from "runs", so that listing and pruning do not read the documents.
    "CREATE TABLE results (seq INTEGER PRIMARY KEY, body BLOB NOT NULL)",
    # One row a fingerprint; the issue itself is in the result of the run that last saw it.
    """
    CREATE TABLE issues (
        fingerprint TEXT PRIMARY KEY,
        id TEXT NOT NULL,
        first_seen TEXT NOT NULL,
        first_run TEXT NOT NULL,
        last_seen TEXT NOT NULL,
        last_seq INTEGER NOT NULL,
        sightings INTEGER NOT NULL,
        status TEXT NOT NULL
    ) WITHOUT ROWID
    """,
    "CREATE INDEX issues_id ON issues (id)",
    "CREATE INDEX issues_last ON issues (last_seq)",
    """
    CREATE TABLE events (
        seq INTEGER PRIMARY KEY AUTOINCREMENT,
        run_id TEXT,
        at TEXT NOT NULL,
        kind TEXT NOT NULL,
        data BLOB NOT NULL
    )
    """,
    "CREATE INDEX events_run ON events (run_id, seq)",
    # "used" is a logical clock: every use of an entry gives it the next number, whatever the time of day is.
    """
    CREATE TABLE cache (
        key BLOB PRIMARY KEY,
        used INTEGER NOT NULL,
        size INTEGER NOT NULL,
        crc INTEGER NOT NULL,
        value BLOB NOT NULL
    )
    """,
    "CREATE INDEX cache_lru ON cache (used, size)",
    # What the entries of the cache take together, always: adding them up takes 20 ms when there are 200,000.
    "CREATE TABLE cache_total (bytes INTEGER NOT NULL)",
    "INSERT INTO cache_total (bytes) VALUES (0)",
    "CREATE TRIGGER cache_added AFTER INSERT ON cache BEGIN UPDATE cache_total SET bytes = bytes + new.size; END",
    "CREATE TRIGGER cache_removed AFTER DELETE ON cache BEGIN UPDATE cache_total SET bytes = bytes - old.size; END",
    "CREATE TABLE settings (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID",
)

_SESSIONS = (
    # One row a session. The newest of a branch in a worktree is the one that counts; the document is the session.
    """
    CREATE TABLE sessions (
        seq INTEGER PRIMARY KEY AUTOINCREMENT,
        id TEXT NOT NULL UNIQUE,
        worktree TEXT NOT NULL,
        branch TEXT NOT NULL,
        body BLOB NOT NULL
    )
    """,
    "CREATE INDEX sessions_place ON sessions (worktree, branch, seq)",
    "ALTER TABLE events ADD COLUMN session TEXT",
    "CREATE INDEX events_session ON events (session, seq)",
)

_OUTBOX = (
    # One row a message and channel, for ever under one key: what people are told of once. "due" and "lease" are seconds
    # since 1970: not to be tried before, and not to be taken for lost before. Who sends it signs with "owner".
    """
    CREATE TABLE outbox (
        seq INTEGER PRIMARY KEY AUTOINCREMENT,
        key TEXT NOT NULL,
        channel TEXT NOT NULL,
        state TEXT NOT NULL,
        tries INTEGER NOT NULL,
        added REAL NOT NULL,
        due REAL NOT NULL,
        lease REAL NOT NULL,
        owner TEXT NOT NULL,
        said TEXT NOT NULL,
        body BLOB NOT NULL,
        UNIQUE (key, channel)
    )
    """,
    "CREATE INDEX outbox_state ON outbox (state, channel, seq)",
)

_WATCHING = (
    # One row a pull request that is watched. "done" is the mark of the last look whose feedback was answered, "told" of
    # the last one that a person was told of, "tried" of the last one that an answer was begun for. "due" and "swept"
    # are seconds since 1970: not to be tried again before, and read whole the last time.
    """
    CREATE TABLE watched (
        forge TEXT NOT NULL,
        number INTEGER NOT NULL,
        done TEXT NOT NULL,
        told TEXT NOT NULL,
        tried TEXT NOT NULL,
        tries INTEGER NOT NULL,
        due REAL NOT NULL,
        swept REAL NOT NULL,
        said TEXT NOT NULL,
        PRIMARY KEY (forge, number)
    ) WITHOUT ROWID
    """,
    # Hints of a forge that were acted on, so that one which is sent again does nothing.
    "CREATE TABLE hints (seq INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE)",
)

_STORE_ID = (
    # Names this store in the cursors of its events: one that is begun anew has another.
    "INSERT OR REPLACE INTO settings (key, value) VALUES ('store_id', lower(hex(randomblob(8))))",
)

_SUMMARIES = (
    # One row a run, kept longer than its result. "request" is the pull request that its session came to, now or later;
    # "opened" says whether that was open then. What numbers are made of is the JSON in "body".
    """
    CREATE TABLE summaries (
        seq INTEGER PRIMARY KEY,
        id TEXT NOT NULL,
        at TEXT NOT NULL,
        branch TEXT NOT NULL,
        session TEXT NOT NULL,
        first INTEGER NOT NULL,
        request INTEGER,
        opened INTEGER NOT NULL,
        body BLOB NOT NULL
    )
    """,
    "CREATE INDEX summaries_session ON summaries (session, branch, first)",
    # One row a fingerprint and branch: what became of the issue, and by whom.
    """
    CREATE TABLE outcomes (
        fingerprint TEXT NOT NULL,
        branch TEXT NOT NULL,
        id TEXT NOT NULL,
        rule TEXT NOT NULL,
        reviewer TEXT NOT NULL,
        category TEXT NOT NULL,
        severity TEXT NOT NULL,
        first_seen TEXT NOT NULL,
        last_seen TEXT NOT NULL,
        last_seq INTEGER NOT NULL,
        sightings INTEGER NOT NULL,
        outcome TEXT NOT NULL,
        who TEXT NOT NULL,
        PRIMARY KEY (fingerprint, branch)
    ) WITHOUT ROWID
    """,
    # Of the few that a later review can close: each index costs every run, for each of its issues.
    "CREATE INDEX outcomes_open ON outcomes (branch) WHERE outcome = 'open'",
)


class Migrations(NamedTuple):
    """Migrations of a store to the current version.

    Attributes:
        scripts: Statements that take a store from version ``n`` to ``n + 1``, by ``n``.
        tables: What a store has after the last of them.
        fills: What fills tables from what a store of before holds, by the version that made them; run on the newest
            tables, and only where there is something to fill them from.
    """

    scripts: tuple[tuple[str, ...], ...]
    tables: frozenset[str]
    fills: Mapping[int, Callable[[sqlite3.Connection], None]] = {}

    @property
    def version(self) -> int:
        """Version that the migrations lead to."""
        return len(self.scripts)


MIGRATIONS = Migrations(
    scripts=(_INITIAL, _SESSIONS, _OUTBOX, _WATCHING, _STORE_ID, _SUMMARIES),
    tables=frozenset(
        """
        runs results issues events cache cache_total settings sessions outbox watched hints summaries
        outcomes
        """.split()  # noqa: SIM905 - a table to read
    ),
    fills={6: summaries.fill},
)
