"""Outbox of messages to people: one row a message and channel, moved by compare-and-swap.

Times are seconds since 1970.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import msgspec

from selfreview.errors import StoreError
from selfreview.model.notice import Delivery, Notice
from selfreview.model.wire import from_json, kept_json
from selfreview.store.database import Database

if TYPE_CHECKING:
    import sqlite3

KEEP_MESSAGES = 5_000
"""Maximum number of messages that a store keeps."""
_COLUMNS = "seq, key, channel, state, tries, added, due, said, body"
_SETTLED = (Delivery.SENT.value, Delivery.FAILED.value, Delivery.UNKNOWN.value)


class Message(NamedTuple):
    """Notice on its way to one channel.

    Attributes:
        seq: Which one it is.
        key, channel: What makes it one message.
        state: How it stands.
        tries: How often sending was begun.
        added: When it was put in.
        due: When it may be tried.
        said: What came of the last try, as plain text.
        notice: What people are told.
    """

    seq: int
    key: str
    channel: str
    state: Delivery
    tries: int
    added: float
    due: float
    said: str
    notice: Notice


class Messages:
    """All messages of a store; every operation is one transaction, durable when it returns, and may be called from any
    thread and process. Any may raise a ``StoreError``.

    Args:
        database: The file.
        keep: How many messages are remembered; those that are still to be sent stay.
    """

    def __init__(self, database: Database, keep: int = KEEP_MESSAGES) -> None:
        self._database = database
        self._keep = keep

    def add(self, notice: Notice, channel: str, now: float) -> bool:
        """Add a message unless its key exists for the channel, prune old ones, and return whether it was added."""

        def work(connection: sqlite3.Connection) -> bool:
            cursor = connection.execute(
                """
                INSERT INTO outbox (key, channel, state, tries, added, due, lease, owner, said, body)
                VALUES (?, ?, ?, 0, ?, ?, 0, '', '', ?) ON CONFLICT (key, channel) DO NOTHING
                """,
                (notice.key, channel, Delivery.WAITING.value, now, now, kept_json(notice)),
            )
            if cursor.rowcount != 1:
                return False
            connection.execute(
                "DELETE FROM outbox WHERE state IN (?, ?, ?) AND seq <= "
                "(SELECT seq FROM outbox ORDER BY seq DESC LIMIT 1 OFFSET ?)",
                (*_SETTLED, self._keep),
            )
            return True

        return self._database.write(work)

    def due(self, now: float) -> list[Message]:
        """Return the waiting messages that are due, oldest first."""
        query = f"SELECT {_COLUMNS} FROM outbox WHERE state = ? AND due <= ? ORDER BY seq"  # noqa: S608 - ours
        return self._select(query, Delivery.WAITING.value, now)

    def latest(self, limit: int) -> list[Message]:
        """Return messages, the newest first."""
        return self._select(f"SELECT {_COLUMNS} FROM outbox ORDER BY seq DESC LIMIT ?", limit)  # noqa: S608 - ours

    def message(self, seq: int) -> Message | None:
        """Return the message of a number, or None."""
        found = self._select(f"SELECT {_COLUMNS} FROM outbox WHERE seq = ?", seq)  # noqa: S608 - ours
        return found[0] if found else None

    def later(self, channel: str, seq: int) -> list[Message]:
        """Return the messages added for a channel after a given message, oldest first."""
        query = f"SELECT {_COLUMNS} FROM outbox WHERE channel = ? AND seq > ? ORDER BY seq"  # noqa: S608 - ours
        return self._select(query, channel, seq)

    def claim(self, seq: int, owner: str, now: float, lease_s: float) -> bool:
        """Claim a message that is due, to send it, and return whether nobody else was first."""
        return self._changes(
            "UPDATE outbox SET state = ?, owner = ?, lease = ?, tries = tries + 1 "
            "WHERE seq = ? AND state = ? AND due <= ?",
            *(Delivery.SENDING.value, owner, now + lease_s, seq, Delivery.WAITING.value, now),
        )

    def settle(self, seq: int, owner: str, state: Delivery, said: str, due: float) -> bool:
        """Record the outcome of a message; only whoever claimed it last may do so, however late."""
        return self._changes(
            "UPDATE outbox SET state = ?, said = ?, due = ? WHERE seq = ? AND owner = ? AND state IN (?, ?)",
            *(state.value, said, due, seq, owner, Delivery.SENDING.value, Delivery.UNKNOWN.value),
        )

    def refuse(self, seq: int, said: str) -> bool:
        """Give up a message that waits."""
        return self._changes(
            "UPDATE outbox SET state = ?, said = ? WHERE seq = ? AND state = ?",
            *(Delivery.FAILED.value, said, seq, Delivery.WAITING.value),
        )

    def hold(self, channel: str, until: float) -> None:
        """Hold back a channel's messages for a while."""
        self._changes(
            "UPDATE outbox SET due = ? WHERE channel = ? AND state = ? AND due < ?",
            *(until, channel, Delivery.WAITING.value, until),
        )

    def lost(self, now: float) -> list[Message]:
        """Return the messages whose sender did not report back in time."""
        query = f"SELECT {_COLUMNS} FROM outbox WHERE state = ? AND lease <= ? ORDER BY seq"  # noqa: S608 - ours
        return self._select(query, Delivery.SENDING.value, now)

    def give_back(self, seq: int, now: float, state: Delivery, said: str) -> bool:
        """Set the state of a message whose sender did not report back in time."""
        return self._changes(
            "UPDATE outbox SET state = ?, said = ?, due = ? WHERE seq = ? AND state = ? AND lease <= ?",
            *(state.value, said, now, seq, Delivery.SENDING.value, now),
        )

    def drop(self, seq: int) -> None:
        """Delete a message that waits."""
        self._changes("DELETE FROM outbox WHERE seq = ? AND state = ?", seq, Delivery.WAITING.value)

    def _changes(self, statement: str, *values: object) -> bool:
        return self._database.write(lambda connection: connection.execute(statement, values).rowcount > 0)

    def _select(self, query: str, *values: object) -> list[Message]:
        return [_message(row) for row in self._database.read(lambda c: c.execute(query, values).fetchall()) or []]


def _message(row: tuple[int, str, str, str, int, float, float, str, bytes]) -> Message:
    seq, key, channel, state, tries, added, when, said, body = row
    try:
        return Message(seq, key, channel, Delivery(state), tries, added, when, said, from_json(body, Notice))
    except (msgspec.MsgspecError, ValueError) as error:
        raise StoreError(
            f"the stored message {seq} cannot be read: {error}", hint="it is damaged, or from a newer selfreview"
        ) from error
