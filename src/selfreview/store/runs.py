"""Results of runs with the history of each issue, and sessions: added, found again, and pruned."""

from __future__ import annotations

import contextlib
import itertools
import os
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from selfreview.errors import StoreError
from selfreview.model.issue import CHECK_PREFIX, Issue
from selfreview.model.result import NotPassed, Result, ReviewerReport
from selfreview.model.session import Session, SessionState
from selfreview.model.wire import display_path, from_json, kept_json, utc_now

if TYPE_CHECKING:
    import sqlite3

KEEP_RUNS = 500
"""Maximum number of runs that a store keeps by default."""

KEEP_BYTES = 64 * 1024 * 1024
"""Maximum total size of the runs' results; the newest is kept whatever its size."""


def add_result(connection: sqlite3.Connection, result: Result, *, keep_runs: int, keep_bytes: int) -> str:
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
            results.append(_decode_result(run_id, body))
        except StoreError:
            unreadable.append(run_id)
    return results, unreadable


def by_id(connection: sqlite3.Connection, run_id: str) -> Result | None:
    """Return the result of exactly this id.

    Raises:
        StoreError: If it is there and cannot be read.
    """
    row = connection.execute("SELECT body FROM runs JOIN results USING (seq) WHERE id = ?", (run_id,)).fetchone()
    return None if row is None else _decode_result(run_id, row[0])


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


def _decode_result(run_id: str, body: bytes) -> Result:
    try:
        result = from_json(body, Result)
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise StoreError(
            f"the stored run {run_id} cannot be read: {error}", hint="it is damaged, or from a newer selfreview"
        ) from error
    _fill_in(result)
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


KEEP_SESSIONS = 500
"""Maximum number of sessions that a store keeps, exceeded where none of them may be pruned."""
_LIVE = frozenset({SessionState.SELF_REVIEWING, SessionState.REFINING})


def save_session(connection: sqlite3.Connection, session: Session, *, keep: int = KEEP_SESSIONS) -> None:
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
        gone = _prunable_sessions(connection, session.id)[: count - keep]
        connection.executemany("DELETE FROM sessions WHERE seq = ?", [(seq,) for seq in gone])


def _prunable_sessions(connection: sqlite3.Connection, saved: str) -> list[int]:
    """Return prunable rows, the least recently updated first: no session that runs, has a patch or is unreadable."""
    found = []
    for seq, name, body in connection.execute("SELECT seq, id, body FROM sessions WHERE id != ?", (saved,)):
        with contextlib.suppress(StoreError):  # a newer selfreview may know what to do with it
            session = _decode_session(name, body)
            if session.state not in _LIVE and session.patch is None:
                found.append((session.updated, seq))
    return [seq for _, seq in sorted(found)]


def newest_session(connection: sqlite3.Connection, worktree: str, branch: str) -> Session | None:
    """Return the newest session of a branch in a worktree, or None.

    Raises:
        StoreError: If it cannot be read.
    """
    row = connection.execute(
        "SELECT id, body FROM sessions WHERE worktree = ? AND branch = ? ORDER BY seq DESC LIMIT 1",
        (display_path(worktree), display_path(branch)),
    ).fetchone()
    return None if row is None else _decode_session(*row)


def waiting_patches(connection: sqlite3.Connection) -> set[str]:
    """Return the ids of the patches that sessions refer to."""
    found = set()
    for name, body in connection.execute("SELECT id, body FROM sessions"):
        patch = _decode_session(name, body).patch
        if patch is not None:
            found.add(patch)
    return found


def _decode_session(name: str, body: bytes) -> Session:
    try:
        return from_json(body, Session)
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise StoreError(
            f"the stored session {name} cannot be read: {error}", hint="it is damaged, or from a newer selfreview"
        ) from error


# What earlier versions stored says in sentences alone what has a field by now. The sentences are those of then.
_LIMITS = ("partial: ", "does not count as this branch's review, as it asks for less than the settings")
_MAYBE_ACCEPTED = "an issue like it was accepted "
_TOO_MANY = "more than max_issues allows"
_MARKS_LEFT = "to fix or to remove (strict)"


def _fill_in(result: Result) -> None:
    """Fill in the fields that a result of an earlier version lacks."""
    scope = result.scope
    if scope is not None and (scope.partial or scope.asked_less) and not scope.limits:
        scope.limits = [note for note in result.notes if note.startswith(_LIMITS)] or scope.limits
    if result.not_passed_reasons and not result.not_passed_by:
        result.not_passed_by = [_kind(why) for why in result.not_passed_reasons]
    for report in result.reviewers:
        if report.is_missing and not report.gap:
            report.gap = next(_about(report, result.incomplete_reasons), report.gap)
    for issue in result.open_issues:
        if (issue.status_reason or "").startswith(_MAYBE_ACCEPTED):
            issue.maybe_accepted = True


def _kind(why: str) -> NotPassed:
    if why.endswith(_TOO_MANY):
        return NotPassed.MAX_ISSUES
    return NotPassed.STRICT if why.endswith(_MARKS_LEFT) else NotPassed.PLUGIN


def _about(report: ReviewerReport, reasons: list[str]) -> Iterator[str]:
    """Yield the reasons that name a reviewer or a check, and the error that its part ended with."""
    name = report.name
    begins = f"check {name.removeprefix(CHECK_PREFIX)} " if name.startswith(CHECK_PREFIX) else f"{name} "
    yield from (why for why in reasons if why.startswith(begins) and (report.error or "") in why)
