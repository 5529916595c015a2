"""Results of runs: added with the history of each issue, found again, and pruned."""

from __future__ import annotations

import itertools
import os
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from selfreview.errors import StoreError
from selfreview.model.issue import Issue
from selfreview.model.result import Result
from selfreview.model.wire import display_path, from_json, kept_json, utc_now
from selfreview.store.older_results import fill_in

if TYPE_CHECKING:
    import sqlite3

KEEP_RUNS = 500
"""Maximum number of runs that a store keeps by default."""

KEEP_BYTES = 64 * 1024 * 1024
"""Maximum total size of the runs' results; the newest is kept whatever its size."""


def add(connection: sqlite3.Connection, result: Result, *, keep_runs: int, keep_bytes: int) -> str:
    """Add a result under a new id, which is also set as its ``run_id``, and prune the oldest."""
    at = result.timestamp or utc_now()
    run_id = _new_id(connection, at)
    result.run_id = run_id
    body = kept_json(result)
    branch = branch_key(result.scope.branch if result.scope else None)
    cursor = connection.execute(
        "INSERT INTO runs (id, at, branch, size) VALUES (?, ?, ?, ?)", (run_id, at, branch, len(body))
    )
    connection.execute("INSERT INTO results (seq, body) VALUES (?, ?)", (cursor.lastrowid, body))
    _record_issues(connection, result, cursor.lastrowid, at)
    _prune(connection, keep_runs, keep_bytes)
    return run_id


def branch_key(branch: str | None) -> str:
    """Return a branch's name as it is stored: valid Unicode, and ``''`` for none."""
    return display_path(branch or "")


def latest(connection: sqlite3.Connection, limit: int, branch: str | None) -> tuple[list[Result], list[str]]:
    """Return the newest results, newest first, and the ids of those that cannot be read."""
    query = "SELECT id, body FROM runs JOIN results USING (seq)"
    where, parameters = ("", (limit,)) if branch is None else (" WHERE branch = ?", (branch_key(branch), limit))
    results, unreadable = [], []
    for run_id, body in connection.execute(f"{query}{where} ORDER BY seq DESC LIMIT ?", parameters):
        try:
            results.append(_decode(run_id, body))
        except StoreError:
            unreadable.append(run_id)
    return results, unreadable


def by_id(connection: sqlite3.Connection, run_id: str) -> Result | None:
    """Return the result of exactly this id.

    Raises:
        StoreError: If it is there and cannot be read.
    """
    row = connection.execute("SELECT body FROM runs JOIN results USING (seq) WHERE id = ?", (run_id,)).fetchone()
    return None if row is None else _decode(run_id, row[0])


def ids(connection: sqlite3.Connection, prefix: str, limit: int) -> list[str]:
    """Return ids that begin with a prefix, newest first."""
    rows = connection.execute(
        "SELECT id FROM runs WHERE substr(id, 1, ?) = ? ORDER BY seq DESC LIMIT ?", (len(prefix), prefix, limit)
    )
    return [row[0] for row in rows]


def _new_id(connection: sqlite3.Connection, at: str) -> str:
    digits = "".join(c for c in at if c in "0123456789")[:14].ljust(14, "0")
    while True:
        run_id = f"r-{digits[:8]}-{digits[8:]}-{os.urandom(2).hex()}"
        if connection.execute("SELECT 1 FROM runs WHERE id = ?", (run_id,)).fetchone() is None:
            return run_id


def _decode(run_id: str, body: bytes) -> Result:
    try:
        result = from_json(body, Result)
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise StoreError(
            f"the stored run {run_id} cannot be read: {error}", hint="it is damaged, or from a newer selfreview"
        ) from error
    fill_in(result)
    return result


def _record_issues(connection: sqlite3.Connection, result: Result, seq: int | None, at: str) -> None:
    sightings: dict[str, Issue] = {}
    for issue in result.issues:
        if issue.fingerprint:
            sightings.setdefault(issue.fingerprint, issue)
    connection.executemany(
        """
        INSERT INTO issues (fingerprint, id, first_seen, first_run, last_seen, last_seq, sightings, status)
        VALUES (?, ?, ?, ?, ?, ?, 1, ?)
        ON CONFLICT (fingerprint) DO UPDATE SET
            id = excluded.id, last_seen = excluded.last_seen, last_seq = excluded.last_seq,
            sightings = sightings + 1, status = excluded.status
        """,
        (
            (fingerprint, issue.id, at, result.run_id, at, seq, issue.status.value)
            for fingerprint, issue in sightings.items()
        ),
    )


def _prune(connection: sqlite3.Connection, keep_runs: int, keep_bytes: int) -> None:
    sizes = connection.execute("SELECT seq, size FROM runs ORDER BY seq DESC").fetchall()
    totals = itertools.accumulate(size for _, size in sizes)
    too_old = (
        seq
        for rank, ((seq, _), total) in enumerate(zip(sizes, totals, strict=True))
        if rank and (rank >= keep_runs or total > keep_bytes)
    )
    seq = next(too_old, None)
    if seq is None:
        return
    connection.execute("DELETE FROM events WHERE run_id IN (SELECT id FROM runs WHERE seq <= ?)", (seq,))
    for table, column in (("runs", "seq"), ("results", "seq"), ("issues", "last_seq")):
        connection.execute(f"DELETE FROM {table} WHERE {column} <= ?", (seq,))  # noqa: S608 - names from the line above


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
