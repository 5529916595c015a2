"""What the store knows of an issue across runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import msgspec

from selfreview.model.issue import Issue

if TYPE_CHECKING:
    import sqlite3


class IssueRecord(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """An issue as it was last seen, and its history.

    Attributes:
        issue: As the newest result that holds it has it.
        first_seen, last_seen: UTC, ISO 8601, of the first and the newest run that held it.
        first_run, last_run: Their ids; the first may have been pruned since.
        runs: How many runs held it.
    """

    issue: Issue
    first_seen: str
    last_seen: str
    first_run: str
    last_run: str
    runs: int


class Sighting(NamedTuple):
    """Everything of an :class:`IssueRecord` but the issue itself."""

    fingerprint: str
    id: str
    first_seen: str
    last_seen: str
    first_run: str
    last_run: str
    runs: int


def find(connection: sqlite3.Connection, prefix: str, limit: int) -> list[Sighting]:
    """Return the issues whose id or fingerprint is ``prefix``, or else begins with it; newest first."""
    query = """
        SELECT fingerprint, issues.id, first_seen, last_seen, first_run, runs.id, sightings
        FROM issues JOIN runs ON runs.seq = last_seq WHERE {} ORDER BY last_seq DESC, fingerprint LIMIT ?
    """
    end = prefix + "\U0010ffff"
    rows = connection.execute(
        query.format("issues.id = ? OR fingerprint = ?"), (prefix, prefix, limit)
    ).fetchall() or connection.execute(
        query.format("issues.id >= ? AND issues.id < ? OR fingerprint >= ? AND fingerprint < ?"),
        (prefix, end, prefix, end, limit),
    )
    return [Sighting(*row) for row in rows]
