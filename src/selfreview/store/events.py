"""The log of events: written in order, read on from a cursor, and pruned from its beginning.

An event's number is given inside the transaction that writes it, and only one process writes at a time: none appears
after one with a higher number was read. Only the oldest are ever deleted, so the lowest number says what is gone.

A reader never waits for a writer's work, and no writer for a reader's: a batch is small, and it is decoded when its
transaction is over.
"""

from __future__ import annotations

import functools
import time
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeVar

import msgspec

from selfreview.errors import StoreError, UsageError
from selfreview.model.event import Event, Item, LoggedEvent
from selfreview.model.wire import from_json, kept_json
from selfreview.store.database import Database

if TYPE_CHECKING:
    import sqlite3

T = TypeVar("T")

KEEP_EVENTS = 20_000
"""Maximum number of events that a store keeps."""
BATCH = 200
"""Maximum number of events that are read in one transaction."""
_BATCH_BYTES = 1_000_000
"""Size of their data with which a batch is full."""
_SETTLED_S = 1.0
"""Seconds after which a file whose state is the same holds nothing new: clocks of file systems are coarse."""


def add(connection: sqlite3.Connection, event: Event, *, keep_events: int = KEEP_EVENTS) -> None:
    """Add an event and prune the oldest."""
    cursor = connection.execute(
        "INSERT INTO events (run_id, session, at, kind, data) VALUES (?, ?, ?, ?, ?)",
        (event.run_id, event.session, event.at, event.kind, kept_json(event.data)),
    )
    assert cursor.lastrowid is not None  # noqa: S101 - for the type checker
    connection.execute("DELETE FROM events WHERE seq <= ?", (cursor.lastrowid - keep_events,))


def found(connection: sqlite3.Connection, column: Literal["run_id", "session", "kind"], value: str) -> list[Event]:
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


class Batch(NamedTuple):
    """Events that were read at once.

    Attributes:
        events: They, oldest first.
        cursor: Where to read on.
        reset: Why they do not continue what was read before, as a sentence: they begin with the oldest that is kept.
            None where nothing is missing.
    """

    events: list[LoggedEvent]
    cursor: str
    reset: str | None = None


class _Row(NamedTuple):
    """A row of the log, as it is."""

    seq: int
    kind: str
    at: str
    run_id: str | None
    session: str | None
    data: bytes


class _Read(NamedTuple):
    """A part of the log, as it is, with the sessions that its rows name."""

    store: str
    first: int
    last: int
    rows: list[_Row]
    sessions: dict[str, bytes]


class EventLog:
    """Reader of a store's events; any number of them may read while runs write.

    Args:
        database: The file.
    """

    def __init__(self, database: Database) -> None:
        self._database = database

    def read_after(self, cursor: str = "", limit: int = BATCH) -> Batch:
        """Return the events behind a cursor, at most ``limit`` and never more than ``BATCH``.

        Args:
            cursor: Of an event or a batch; empty: from the oldest that is kept.
            limit: How many to return.

        Raises:
            UsageError: If it is no cursor.
            StoreError: If the store cannot be read.
        """
        store, after = _parsed(cursor)
        read = self._database.read(lambda connection: _read(connection, store, after, min(limit, BATCH)))
        if read is None:
            return Batch([], cursor)
        reset = _reset(read, store, after)
        last = read.rows[-1].seq if read.rows else read.first - 1 if reset or not store else after
        return Batch(_logged(read), f"{read.store}.{last}", reset)

    def newest(
        self,
        limit: int,
        wanted: Callable[[LoggedEvent], bool] = bool,
        may_be: Callable[[str, str | None], bool] = lambda kind, session: True,  # noqa: ARG005
    ) -> Batch:
        """Return the newest events that are wanted, and the cursor of the log's end.

        Args:
            limit: How many at most.
            wanted: Whether an event is wanted.
            may_be: Whether one of a kind and a session may be wanted: what may not is not decoded.

        Raises:
            StoreError: If the store cannot be read.
        """
        events: list[LoggedEvent] = []
        cursor, before = "", 0
        while True:
            read = self._database.read(functools.partial(_read_back, before=before))
            if read is None:
                break
            cursor = cursor or f"{read.store}.{read.last}"
            rows = [row for row in read.rows if may_be(row.kind, row.session)]
            events[:0] = [event for event in _logged(read._replace(rows=rows)) if wanted(event)]
            if not read.rows or len(events) >= limit:
                break
            before = read.rows[0].seq
        return Batch(events[-limit:] if limit else [], cursor)

    def follow(self, cursor: str = "") -> Follower:
        """Return what reads on from a cursor as the log grows."""
        return Follower(self, self._database, cursor)


class Follower:
    """Reads on in a log; where its file has not changed, without a transaction.

    Args:
        log: The log.
        database: Its file.
        cursor: Where to begin.
        clock: Seconds that only grow.

    Attributes:
        cursor: Where it is.
    """

    def __init__(
        self, log: EventLog, database: Database, cursor: str, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.cursor = cursor
        self._log = log
        self._database = database
        self._clock = clock
        self._state: tuple[int, ...] = ()
        self._since = 0.0
        self._done = False

    def read(self) -> Batch | None:
        """Return the next events, or None where there is nothing new.

        Raises:
            StoreError: If the store cannot be read.
        """
        state, now = self._database.state(), self._clock()
        if state != self._state:
            self._state, self._since, self._done = state, now, False
        if self._done:
            return None
        batch = self._log.read_after(self.cursor)
        self.cursor = batch.cursor
        # Read once more than seems needed: a change within one tick of the clock leaves the file's time as it is.
        self._done = not batch.events and now - self._since > _SETTLED_S
        return batch if batch.events or batch.reset else None


def _parsed(cursor: str) -> tuple[str, int]:
    """Return the store and the number of a cursor.

    Raises:
        UsageError: If it is none.
    """
    store, _, number = cursor.rpartition(".")
    if not cursor or (store and number.isascii() and number.isdigit()):
        return store, int(number or 0)
    raise UsageError(f"{cursor!r} is no cursor of an event", hint="it is what selfreview events --format json prints")


def _reset(read: _Read, store: str, after: int) -> str | None:
    """Return why events do not continue what was read up to a number of a store."""
    if not store:
        return None
    if store != read.store:
        return "the store was begun anew"
    if after > read.last:
        return "the store is older than the cursor: an earlier copy of it was put in place"
    return "events that were not read yet are gone: more came than are kept" if after < read.first - 1 else None


_COLUMNS = "SELECT seq, kind, at, run_id, session, data FROM events"


def _read(connection: sqlite3.Connection, store: str, after: int, limit: int) -> _Read:
    """Read behind a number of a store, or from the beginning where nothing continues there."""
    there = _ends(connection)
    if _reset(there, store, after) is not None:
        after = 0
    return _with_rows(connection, there, connection.execute(f"{_COLUMNS} WHERE seq > ? ORDER BY seq", (after,)), limit)


def _read_back(connection: sqlite3.Connection, before: int) -> _Read:
    """Read up to a number, or to the end where it is 0."""
    there = _ends(connection)
    seq = before or there.last + 1
    rows = connection.execute(f"{_COLUMNS} WHERE seq < ? ORDER BY seq DESC", (seq,))
    read = _with_rows(connection, there, rows, BATCH)
    read.rows.reverse()
    return read


def _ends(connection: sqlite3.Connection) -> _Read:
    (store,) = connection.execute("SELECT value FROM settings WHERE key = 'store_id'").fetchone()
    # Each by itself is looked up; both in one query would be a scan of all.
    ends = "SELECT (SELECT min(seq) FROM events), (SELECT max(seq) FROM events)"
    first, last = connection.execute(ends).fetchone()
    return _Read(store, first or 1, last or 0, [], {})


def _with_rows(connection: sqlite3.Connection, read: _Read, rows: Iterator[Sequence[object]], limit: int) -> _Read:
    size = 0
    for row in map(_Row._make, rows) if limit else ():
        read.rows.append(row)
        size += len(row.data)
        if len(read.rows) >= limit or size >= _BATCH_BYTES:
            break
    for name in {row.session for row in read.rows if row.session is not None}:
        there = connection.execute("SELECT body FROM sessions WHERE id = ?", (name,)).fetchone()
        if there is not None:
            read.sessions[name] = there[0]
    return read


def _logged(read: _Read) -> list[LoggedEvent]:
    """Decode what was read."""
    sessions = {name: _decoded(body, Item, Item()) for name, body in read.sessions.items()}
    events = []
    for row in read.rows:
        data: dict[str, object] = _decoded(row.data, dict, {})
        item = sessions.get(row.session or "")
        if item is None:
            item = Item(branch=str(data.get("branch") or ""), worktree=str(data.get("worktree") or ""))
        cursor = f"{read.store}.{row.seq}"
        events.append(
            LoggedEvent(
                cursor=cursor,
                kind=row.kind,
                at=row.at,
                run_id=row.run_id,
                session=row.session,
                item=item,
                data=data,
            )
        )
    return events


def _decoded(body: bytes, kind: type[T], default: T) -> T:
    """Return what a row holds, or ``default`` where it cannot be read: the event has happened all the same."""
    try:
        return from_json(body, kind)
    except (msgspec.MsgspecError, UnicodeDecodeError):
        return default
