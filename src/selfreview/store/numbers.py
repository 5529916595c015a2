"""Reading of what is kept of runs and issues: the numbers, and what is left of what was pruned."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from selfreview.model.wire import from_json
from selfreview.store import runs
from selfreview.store.summaries import RunFigures, RunNumbers

if TYPE_CHECKING:
    import sqlite3


class Summary(msgspec.Struct, frozen=True, gc=False):
    """Summary of a run.

    Attributes:
        id, at, branch: As the run has them.
        session: The session that it belongs to, or empty.
        first: Whether it is the first complete review of the whole change of that session.
        request: The pull request that its branch came to, or None.
        opened: Whether that was open already.
        numbers: The numbers.
    """

    id: str
    at: str
    branch: str
    session: str
    first: bool
    request: int | None
    opened: bool
    numbers: RunFigures


class PrunedRun(NamedTuple):
    """Run whose result is pruned.

    Attributes:
        id, at, branch: As the run had them.
        numbers: The numbers.
    """

    id: str
    at: str
    branch: str
    numbers: RunNumbers


class Outcome(NamedTuple):
    """What became of an issue on a branch.

    Attributes:
        fingerprint, id, rule, reviewer, category, severity: As the issue has them; the rule may be empty.
        first_seen, last_seen: UTC, of the first and the newest run that held it.
        runs: How many runs held it.
        outcome: ``open``, ``fixed``, ``accepted``, ``suppressed``, ``baseline``, ``refuted``, ``out_of_scope`` or
            ``gone``.
        who: The fixer or the person that it is from, or empty.
    """

    fingerprint: str
    branch: str
    id: str
    rule: str
    reviewer: str
    category: str
    severity: str
    first_seen: str
    last_seen: str
    runs: int
    outcome: str
    who: str


class Tally(NamedTuple):
    """Number of issues of a rule with one outcome.

    Attributes:
        reviewer, rule, outcome, who: As the outcomes have them.
        issues: How many there are.
    """

    reviewer: str
    rule: str
    outcome: str
    who: str
    issues: int


class Caught(NamedTuple):
    """Number of issues of a kind that were first seen on one day.

    Attributes:
        category, severity, outcome: As the outcomes have them.
        day: The day, in UTC.
        issues: How many there are.
    """

    category: str
    severity: str
    outcome: str
    day: str
    issues: int


class Call(NamedTuple):
    """An event that numbers count: a fix cycle's end, or a call for a person."""

    kind: str
    at: str
    branch: str


_SUMMARY = "SELECT id, at, branch, session, first, request, opened, body FROM summaries"


def summaries(connection: sqlite3.Connection, since: str, branch: str | None) -> list[Summary]:
    """Return the summaries since a time, of all branches or one, oldest first; without those that cannot be read."""
    where, given = _of(branch)
    rows = connection.execute(f"{_SUMMARY} WHERE at >= ?{where} ORDER BY seq", (since, *given))
    return list(filter(None, map(_summary, rows)))


def _summary(row: tuple[str, str, str, str, int, int | None, int, bytes]) -> Summary | None:
    run_id, at, branch, session, first, request, was_open, body = row
    try:
        figures = _figures.decode(body)
    except (msgspec.MsgspecError, UnicodeDecodeError):
        return None
    return Summary(run_id, at, branch, session, first == 1, request, was_open == 1, figures)


_figures = msgspec.json.Decoder(RunFigures)
_COLUMNS = (
    "SELECT fingerprint, branch, id, rule, reviewer, category, severity, first_seen, last_seen, sightings, "
    "outcome, who FROM outcomes"
)


def tallies(connection: sqlite3.Connection, since: str, branch: str | None) -> list[Tally]:
    """Return how many issues of each rule have which outcome; first seen since a time, on all branches or one."""
    return list(map(Tally._make, _counted(connection, "reviewer, rule, outcome, who", since, branch)))


def caught(connection: sqlite3.Connection, since: str, branch: str | None) -> list[Caught]:
    """Return how many issues of each category, severity and outcome were first seen on each day since a time."""
    day = "category, severity, outcome, substr(first_seen, 1, 10)"
    return list(map(Caught._make, _counted(connection, day, since, branch)))


def _counted(connection: sqlite3.Connection, what: str, since: str, branch: str | None) -> Iterator[tuple[Any, ...]]:
    """Count in the database: there are many outcomes, and few kinds of them."""
    where, given = _of(branch)
    query = f"SELECT {what}, count(*) FROM outcomes WHERE first_seen >= ?{where} GROUP BY {what}"  # noqa: S608 - ours
    return connection.execute(query, (since, *given))


def calls(connection: sqlite3.Connection, since: str, branch: str | None) -> list[Call]:
    """Return the ends of fix cycles and the calls for a person since a time, oldest first."""
    where, given = _of(branch)
    found = "SELECT kind, at, coalesce(branch, '') FROM events LEFT JOIN sessions ON sessions.id = session"
    kinds = "kind IN ('cycle.ended', 'session.escalated')"
    query = f"{found} WHERE {kinds} AND at >= ?{where} ORDER BY events.seq"
    rows = connection.execute(query, (since, *given))
    return list(map(Call._make, rows))


def _of(branch: str | None) -> tuple[str, tuple[str, ...]]:
    return ("", ()) if branch is None else (" AND branch = ?", (runs.branch_key(branch),))


def pruned_runs(connection: sqlite3.Connection, prefix: str, branch: str | None, limit: int) -> list[PrunedRun]:
    """Return the runs that are pruned, whose ids begin with a prefix, newest first."""
    where, given = _of(branch)
    pruned = "substr(id, 1, ?) = ? AND seq NOT IN (SELECT seq FROM runs)"
    query = f"SELECT id, at, branch, body FROM summaries WHERE {pruned}{where} ORDER BY seq DESC LIMIT ?"  # noqa: S608
    found = []
    for run_id, at, of_branch, body in connection.execute(query, (len(prefix), prefix, *given, limit)):
        with contextlib.suppress(msgspec.MsgspecError, UnicodeDecodeError):  # of a newer selfreview
            found.append(PrunedRun(run_id, at, of_branch, from_json(body, RunNumbers)))
    return found


def outcomes_named(connection: sqlite3.Connection, name: str, limit: int) -> list[Outcome]:
    """Return what became of the issues whose id or fingerprint begins with a name, newest first."""
    query = "WHERE ? IN (substr(id, 1, ?), substr(fingerprint, 1, ?)) ORDER BY last_seq DESC, branch LIMIT ?"
    return list(map(Outcome._make, connection.execute(f"{_COLUMNS} {query}", (name, len(name), len(name), limit))))
