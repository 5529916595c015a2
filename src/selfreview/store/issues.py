"""Issues in the store, with their history across runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import msgspec

from selfreview.model.issue import Issue

if TYPE_CHECKING:
    import sqlite3


class History(NamedTuple):
    """History of a fingerprint across runs.

    Attributes:
        id: The issue's id in the newest of them.
        first_seen, last_seen: UTC, ISO 8601, of the first and the newest run that held it.
        first_run, last_run: Their ids; the first may have been pruned since.
        runs: How many runs held it.
        status: Where it stood in the newest of them.
    """

    fingerprint: str
    id: str
    first_seen: str
    last_seen: str
    first_run: str
    last_run: str
    runs: int
    status: str


class IssueRecord(NamedTuple):
    """Issue, from the newest result that holds it, with its history."""

    issue: Issue
    history: History


def find(connection: sqlite3.Connection, prefix: str, limit: int) -> list[History]:
    """Return the issues whose id or fingerprint is ``prefix``, or else begins with it; newest first."""
    if not prefix:  # every issue begins with it, and none is meant by it
        return []
    query = """
        SELECT fingerprint, issues.id, first_seen, last_seen, first_run, runs.id, sightings, status
        FROM issues JOIN runs ON runs.seq = last_seq WHERE {} ORDER BY last_seq DESC, fingerprint LIMIT ?
    """
    end = prefix + "\U0010ffff"
    rows = connection.execute(
        query.format("issues.id = ? OR fingerprint = ?"), (prefix, prefix, limit)
    ).fetchall() or connection.execute(
        query.format("issues.id >= ? AND issues.id < ? OR fingerprint >= ? AND fingerprint < ?"),
        (prefix, end, prefix, end, limit),
    )
    return msgspec.convert(list(rows), list[History])
