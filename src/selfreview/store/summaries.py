"""Numbers of runs, and what became of each issue: kept long after results are pruned.

A summary is one row a run, an outcome one row a fingerprint and branch. Both are written in the transaction that adds
the result, so that they are never apart from it.
"""

from __future__ import annotations

import calendar
import contextlib
import time
from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from selfreview.errors import StoreError
from selfreview.model.issue import Issue, IssueStatus
from selfreview.model.refinement import FixerReport, FixOutcome, Stop
from selfreview.model.result import Counts, Iteration, Result, ResultStatus, ReviewerStatus, Verdict
from selfreview.model.usage import Usage
from selfreview.model.wire import display_path, from_json, to_json, utc_now
from selfreview.store import runs
from selfreview.text.masking import masking

if TYPE_CHECKING:
    import sqlite3

KEEP_SUMMARIES = 20_000
"""Maximum number of runs whose summaries a store keeps."""
KEEP_OUTCOMES = 50_000
"""Maximum number of issues whose outcomes a store keeps."""
KEEP_DAYS = 400
"""Days for which it keeps them at most."""
_LOOK_EVERY = 50
"""Runs after which the bounds are looked at again: counting takes time, and a few too many take no room."""
_AT_ONCE = 1000
"""Maximum number of rows that are too old and go at once: a clock that was wrong once must not cost them all."""

OPEN, FIXED, ACCEPTED, SUPPRESSED = "open", "fixed", "accepted", "suppressed"
BASELINE, REFUTED, OUT_OF_SCOPE, GONE = "baseline", "refuted", "out_of_scope", "gone"
_OUTCOMES = {
    IssueStatus.OPEN: OPEN,
    IssueStatus.ADDRESSED: FIXED,
    IssueStatus.SUPPRESSED: SUPPRESSED,
    IssueStatus.BASELINED: BASELINE,
    IssueStatus.ACCEPTED: ACCEPTED,
    IssueStatus.DISMISSED: REFUTED,
    IssueStatus.UNCONFIRMED: REFUTED,
}


class RunFigures(msgspec.Struct, kw_only=True, rename="camel", omit_defaults=True, gc=False):
    """Numbers of a run that are added up.

    Attributes:
        passed, duration_ms: As in the result.
        iterations: How many refinements it made.
        spent: What models cost, by the fixer that asked; all that reviewers asked is under their names together.
    """

    passed: bool = False
    iterations: int = 0
    duration_ms: int = 0
    spent: dict[str, Usage] = {}


class RunNumbers(RunFigures, kw_only=True, rename="camel", omit_defaults=True, gc=False):
    """Numbers of a run.

    Attributes:
        status, verdict, stop, usage: As in the result.
        whole: Whether it was of the whole branch, with everything that the settings ask for.
        files, added_lines: Size of the change.
        counts: Open issues by category and severity.
    """

    status: ResultStatus
    verdict: Verdict | None = None
    whole: bool = False
    stop: Stop | None = None
    files: int = 0
    added_lines: int = 0
    usage: Usage = msgspec.field(default_factory=Usage)
    counts: dict[str, dict[str, int]] = {}

    @property
    def open(self) -> int:
        """Number of open issues."""
        return sum(sum(by_severity.values()) for by_severity in self.counts.values())

    @property
    def severities(self) -> Counts:
        """Number of open issues by severity."""
        return Counts(**sum(map(Counter, self.counts.values()), Counter()))


class _Session(msgspec.Struct):
    """What a summary has of a session."""

    request: int | None = None


def add(connection: sqlite3.Connection, result: Result, session: str | None) -> None:
    """Add the summary of a result that was just added, and record what became of its issues."""
    (last,) = connection.execute("SELECT max(seq) FROM runs").fetchone()
    request = _request(connection, session)
    _add(connection, last, result, session or "", request, opened=request is not None)
    if last % _LOOK_EVERY == 0:
        bound(connection, result.timestamp or utc_now())


def _add(
    connection: sqlite3.Connection, seq: int, result: Result, session: str, request: int | None, *, opened: bool
) -> None:
    branch = runs.branch_key(result.scope.branch if result.scope else None)
    whole = result.scope is not None and result.scope.whole
    at = result.timestamp or utc_now()
    first = whole and result.status is ResultStatus.COMPLETE and not _reviewed_before(connection, session, branch)
    connection.execute(
        """
        INSERT INTO summaries (seq, id, at, branch, session, first, request, opened, body)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
        """,
        (seq, result.run_id, at, branch, session, first, request, opened, to_json(_numbers(result, whole=whole))),
    )
    _record(connection, result, branch, seq, at)


def _request(connection: sqlite3.Connection, session: str | None) -> int | None:
    row = connection.execute("SELECT body FROM sessions WHERE id = ?", (session,)).fetchone() if session else None
    if row is not None:
        with contextlib.suppress(msgspec.MsgspecError, UnicodeDecodeError):  # of a newer selfreview
            return from_json(row[0], _Session).request
    return None


def _reviewed_before(connection: sqlite3.Connection, session: str, branch: str) -> bool:
    query = "SELECT 1 FROM summaries WHERE session = ? AND branch = ? AND first = 1"
    return connection.execute(query, (session, branch)).fetchone() is not None


def opened(connection: sqlite3.Connection, session: str, request: int) -> None:
    """Note which pull request a session came to, with the runs before it."""
    connection.execute(
        "UPDATE summaries SET request = ? WHERE session = ? AND request IS NULL AND session != ''", (request, session)
    )


def _numbers(result: Result, *, whole: bool) -> RunNumbers:
    counts: dict[str, dict[str, int]] = {}
    for issue in result.open_issues:
        of_category = counts.setdefault(issue.category.value, {})
        of_category[issue.severity.value] = of_category.get(issue.severity.value, 0) + 1
    scope = result.scope
    return RunNumbers(
        status=result.status,
        verdict=result.verdict,
        passed=result.passed,
        whole=whole,
        iterations=len(result.iterations),
        stop=result.stop,
        files=scope.files if scope else 0,
        added_lines=scope.added_lines if scope else 0,
        duration_ms=result.duration_ms,
        usage=result.usage,
        spent=_spent(result),
        counts=counts,
    )


def _spent(result: Result) -> dict[str, Usage]:
    """Return what models cost by who asked them; a result holds the last reviews alone, but the total of all."""
    spent: dict[str, Usage] = {}
    for iteration in result.iterations:
        for fixer in iteration.refinement.fixers:
            if fixer.usage is not None:
                spent.setdefault(fixer.name, Usage()).add(fixer.usage)
    total = Usage.total(spent.values())
    left = Usage(**{name: max(0, getattr(result.usage, name) - getattr(total, name)) for name in _USAGE})
    if any(getattr(left, name) for name in _USAGE):
        names = sorted({report.name for report in result.reviewers if report.usage is not None})
        spent.setdefault(", ".join(names) or "reviewers", Usage()).add(left)
    return spent


_USAGE = Usage.__struct_fields__


class _Seen(NamedTuple):
    issue: Issue
    outcome: str
    who: str


def _record(connection: sqlite3.Connection, result: Result, branch: str, seq: int, at: str) -> None:
    """Record what became of the issues of a result."""
    fixers = dict(_fixed(result))
    held = {issue.fingerprint for issue in result.issues}
    seen: dict[str, _Seen] = {}
    for issue in result.issues:
        if issue.fingerprint and issue.status in _OUTCOMES:
            # A patch that waits has its fixer noted: the issue is fixed as soon as a review is without it.
            who = fixers[issue.fingerprint][1] if issue.is_open and issue.fingerprint in fixers else _person(issue)
            seen.setdefault(issue.fingerprint, _Seen(issue, _OUTCOMES[issue.status], who))
    for fingerprint, (issue, fixer) in fixers.items():
        if fingerprint not in held:
            seen[fingerprint] = _Seen(issue, FIXED, fixer)
    connection.executemany(
        """
        INSERT INTO outcomes (fingerprint, branch, id, rule, reviewer, category, severity, first_seen, last_seen,
            last_seq, sightings, outcome, who)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 1, ?, ?)
        ON CONFLICT (fingerprint, branch) DO UPDATE SET
            id = excluded.id, severity = excluded.severity, last_seen = excluded.last_seen,
            last_seq = excluded.last_seq, sightings = sightings + 1, outcome = excluded.outcome,
            who = CASE WHEN excluded.outcome = 'open' AND excluded.who = '' THEN who ELSE excluded.who END
        """,
        (_row(fingerprint, branch, one, seq, at) for fingerprint, one in seen.items()),
    )
    _close(connection, result, branch, seq, held)


def _row(fingerprint: str, branch: str, seen: _Seen, seq: int, at: str) -> tuple[object, ...]:
    issue = seen.issue
    names = (issue.id, display_path(issue.rule or ""), display_path(issue.reviewer))
    return (fingerprint, branch, *names, issue.category.value, issue.severity.value, at, at, seq, *seen[1:])


def _person(issue: Issue) -> str:
    """Return who accepted an issue, which its reason begins with."""
    if issue.status is not IssueStatus.ACCEPTED:
        return ""
    begins = "accepted by "
    reason = issue.status_reason or ""
    who = reason.removeprefix(begins).partition(":")[0] if reason.startswith(begins) else ""
    return display_path(masking().hide(who))


def _fixed(result: Result) -> Iterator[tuple[str, tuple[Issue, str]]]:
    """Yield what refinement addressed, each with its fixer; not what an earlier refinement brought."""
    brought: set[str] = set()
    for iteration in result.iterations:
        for issue in iteration.addressed:
            if issue.fingerprint and issue.id not in brought:
                yield issue.fingerprint, (issue, _fixer(iteration, issue))
        brought.update(iteration.refinement.new_issues_introduced)


def _fixer(iteration: Iteration, issue: Issue) -> str:
    """Return who addressed an issue: who says so, else the last that was given it and edited something."""

    def rank(report: FixerReport) -> tuple[bool, bool]:
        says = any(a.issue == issue.id and a.outcome is FixOutcome.ADDRESSED for a in report.answers)
        return says, issue.id in report.issues

    editing = [report for report in iteration.refinement.fixers if report.files]
    return max(reversed(editing), key=rank).name if editing else ""


def _close(connection: sqlite3.Connection, result: Result, branch: str, seq: int, held: set[str]) -> None:
    """Close what was open on a branch, and that a review of all of it does not hold, or only out of its scope."""
    if result.status is not ResultStatus.COMPLETE or result.scope is None or not result.scope.whole:
        return
    did = (ReviewerStatus.OK, ReviewerStatus.NOT_APPLICABLE)
    missing = {report.name for report in result.reviewers if report.status not in did}
    outside = {issue.fingerprint for issue in result.issues if issue.status is IssueStatus.OUT_OF_SCOPE}
    there = connection.execute(
        "SELECT fingerprint, reviewer, who FROM outcomes WHERE branch = ? AND outcome = 'open' AND last_seq < ?",
        (branch, seq),
    ).fetchall()
    closed = [
        (OUT_OF_SCOPE if fingerprint in outside else FIXED if who else GONE, fingerprint, branch)
        for fingerprint, reviewer, who in there
        if fingerprint in outside or (fingerprint not in held and reviewer not in missing)
    ]
    connection.executemany("UPDATE outcomes SET outcome = ? WHERE fingerprint = ? AND branch = ?", closed)


def bound(
    connection: sqlite3.Connection,
    now: str,
    *,
    keep_summaries: int = KEEP_SUMMARIES,
    keep_outcomes: int = KEEP_OUTCOMES,
) -> None:
    """Remove what is too old or too much, the oldest first."""
    since = days_before(now, KEEP_DAYS)
    for table, order, key, at, keep in (
        ("summaries", "seq", "seq", "at", keep_summaries),
        ("outcomes", "last_seq", "fingerprint, branch", "last_seen", keep_outcomes),
    ):
        (count,) = connection.execute(f"SELECT count(*) FROM {table}").fetchone()  # noqa: S608 - names from above
        oldest = f"SELECT {key} FROM {table} ORDER BY {order} LIMIT ?"  # noqa: S608 - names from above
        delete = f"DELETE FROM {table} WHERE ({key}) IN ({oldest})"  # noqa: S608 - names from above
        connection.execute(delete, (max(0, count - keep),))
        connection.execute(f"{delete} AND {at} < ?", (_AT_ONCE, since))


def days_before(at: str, days: float) -> str:
    """Return the time so many days earlier, or ``""`` where ``at`` is no time."""
    try:
        seconds = calendar.timegm(time.strptime(at, "%Y-%m-%dT%H:%M:%SZ")) - days * 86400
        return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds))
    except (ValueError, OverflowError, OSError):
        return ""


def fill(connection: sqlite3.Connection) -> None:
    """Fill the tables of a store of before from the results that it keeps."""
    for seq, run_id in connection.execute("SELECT seq, id FROM runs ORDER BY seq").fetchall():
        with contextlib.suppress(StoreError):  # one that cannot be read is told of where it is asked for
            result = runs.by_id(connection, run_id)
            if result is None:
                continue
            result.run_id = run_id
            query = "SELECT session FROM events WHERE run_id = ? AND session IS NOT NULL LIMIT 1"
            (session,) = connection.execute(query, (run_id,)).fetchone() or ("",)
            request = _request(connection, session)
            opened_before = request is not None and _opened_at(connection, session) <= (result.timestamp or "")
            _add(connection, seq, result, session, request, opened=opened_before)


def _opened_at(connection: sqlite3.Connection, session: str) -> str:
    """Return when the pull request of a session was opened; ``""`` where that is not known any more."""
    query = "SELECT min(at) FROM events WHERE session = ? AND instr(data, CAST(? AS BLOB))"
    (at,) = connection.execute(query, (session, '"new":"pr_created"')).fetchone()
    return at or ""
