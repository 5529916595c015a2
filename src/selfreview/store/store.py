"""Store of a repository, as the rest of the program uses it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self, TypeVar

from selfreview.errors import StoreError, UsageError
from selfreview.model.event import Event
from selfreview.model.result import Result, ResultStatus
from selfreview.model.session import Session
from selfreview.store import events, runs, summaries
from selfreview.store.cache import CACHE_BYTES, Cache
from selfreview.store.database import BUSY_SECONDS, FILE_NAME, Database
from selfreview.store.events import EventLog
from selfreview.store.outbox import Messages
from selfreview.store.runs import IssueRecord
from selfreview.store.summaries import OPEN
from selfreview.store.watched import Watching
from selfreview.text.layout import plural

if TYPE_CHECKING:
    import sqlite3

    # Elsewhere imported where numbers are read: no run needs them.
    from selfreview.store.numbers import Call, Caught, Outcome, PrunedRun, Summary, Tally


_CANDIDATES = 8


class Store:
    """Results, issues, events, cached findings and remembered answers of one repository.

    Opening touches nothing: the first operation opens the file, the first that writes creates it, and reading a store
    that is not there finds nothing. Every operation is one transaction and may be called from any thread. Any number of
    processes may use the same store. Every operation may raise a ``StoreError``; what was written before stands.

    Use it as a context manager, or call :meth:`close`.

    Args:
        database: The file.
        keep_runs: How many runs are remembered; older ones are pruned with their issues.
        keep_bytes: How many bytes their results may take together.
        cache_bytes: How many bytes the cache may take.

    Attributes:
        cache: Blobs by key.
        log: The events, to be read on from a cursor.
        messages: What people are told.
        watching: Pull requests that are watched.
    """

    def __init__(
        self,
        database: Database,
        *,
        keep_runs: int = runs.KEEP_RUNS,
        keep_bytes: int = runs.KEEP_BYTES,
        cache_bytes: int = CACHE_BYTES,
    ) -> None:
        self._database = database
        self._keep_runs = keep_runs
        self._keep_bytes = keep_bytes
        self.cache = Cache(database, cache_bytes)
        self.log = EventLog(database)
        self.messages = Messages(database)
        self.watching = Watching(database)

    @classmethod
    def open(cls, directory: Path, *, read_only: bool = False, busy_seconds: float = BUSY_SECONDS) -> Self:
        """Open the store of a folder, by convention ``selfreview`` in the repository's common git directory.

        Args:
            directory: The folder.
            read_only: Whether nothing may be written there, not even to repair it.
            busy_seconds: How long to wait for other processes.
        """
        return cls(Database(directory / FILE_NAME, read_only=read_only, busy_seconds=busy_seconds))

    @property
    def path(self) -> Path:
        """The file, which may not exist."""
        return self._database.path

    @property
    def warnings(self) -> tuple[str, ...]:
        """Warnings that a person must be shown: a damaged store was put aside, a run cannot be read."""
        return tuple(dict.fromkeys(self._database.warnings))

    def add_result(self, result: Result, happened: Callable[[str], Event] | None = None) -> str:
        """Store a result, record its issues, prune what is too old; durable when this returns.

        Args:
            result: The result.
            happened: Returns the event of a run's id that is stored with it.

        Returns:
            The new run's id, such as ``r-20261127-210000-ab12``, which is also set as the result's ``run_id``. Ids sort
            by time and are unique in the store.
        """

        def work(connection: sqlite3.Connection) -> str:
            self.cache.flush(connection)
            run_id = runs.add_result(connection, result, keep_runs=self._keep_runs, keep_bytes=self._keep_bytes)
            event = happened(run_id) if happened is not None else None
            if event is not None:
                events.add(connection, event)
            summaries.add(connection, result, event.session if event is not None else None)
            return run_id

        try:
            return self._database.write(work)
        except StoreError:
            result.run_id = None
            raise

    def results(self, limit: int, branch: str | None = None) -> list[Result]:
        """Return the newest results, newest first.

        Args:
            limit: At most so many.
            branch: Only those of this branch; ``""`` stands for runs without one (a detached HEAD). None: all.
        """
        read = self._database.read(lambda connection: runs.latest(connection, limit, branch))
        found, unreadable = read or ([], [])
        self._database.warnings += [f"the stored run {run_id} cannot be read" for run_id in unreadable]
        return found

    def result(self, run_id: str = "latest") -> Result:
        """Return the result of an id, of the beginning of an id, or of ``latest``.

        Raises:
            UsageError: If there is none, or several begin so; the hint lists them.
            StoreError: If it cannot be read.
        """
        prefix = "" if run_id == "latest" else run_id
        found = self._database.read(lambda connection: runs.ids(connection, prefix, _CANDIDATES)) or []
        if not found:
            if run_id == "latest":
                raise UsageError("there is no run yet", hint="start with: selfreview run")
            gone = self.pruned(_CANDIDATES, prefix=run_id) if run_id else []
            if len(gone) == 1:
                raise UsageError(_pruned(gone[0]), hint="selfreview stats counts it; selfreview history lists the rest")
            raise UsageError(f"there is no run {run_id!r}", hint="selfreview history lists them")
        if run_id not in ("latest", *found) and len(found) > 1:
            raise UsageError(f"{run_id!r} stands for several runs", hint=f"one of {', '.join(found)}")
        return self._load(found[0] if run_id == "latest" else next((i for i in found if i == run_id), found[0]))

    def issue(self, name: str) -> IssueRecord:
        """Return the issue of an id or a fingerprint, or of the beginning of one.

        Raises:
            UsageError: If there is none, or several begin so; the hint lists them.
            StoreError: If it cannot be read.
        """
        found = self._database.read(lambda connection: runs.find(connection, name, _CANDIDATES)) or []
        if not found:
            from selfreview.store import numbers

            became = self._database.read(lambda connection: numbers.outcomes_named(connection, name, _CANDIDATES))
            if name and became and len({one.fingerprint for one in became}) == 1:
                raise UsageError(_became(became[0]), hint="its reviews were pruned, or a refinement fixed it at once")
            raise UsageError(f"no issue {name!r} is known here", hint="'selfreview status' lists the open ones")
        if len(found) > 1:
            names = [f"{s.id} ({s.fingerprint})" if s.id == name else s.id for s in found]
            raise UsageError(f"{name!r} stands for several issues", hint=f"one of {', '.join(names)}")
        seen = found[0]
        for issue in self._load(seen.last_run).issues:
            if issue.fingerprint == seen.fingerprint:
                return IssueRecord(issue, seen)
        raise StoreError(f"the stored run {seen.last_run} does not hold the issue {seen.id}")

    def summaries(self, since: str = "", branch: str | None = None) -> list[Summary]:
        """Return the summaries of runs, oldest first; those of pruned runs, too.

        Args:
            since: Only from this time on.
            branch: Only those of this branch; None: all.
        """
        from selfreview.store import numbers

        return self._database.read(lambda connection: numbers.summaries(connection, since, branch)) or []

    def pruned(self, limit: int, branch: str | None = None, prefix: str = "") -> list[PrunedRun]:
        """Return the runs that are pruned, newest first.

        Args:
            limit: At most so many.
            branch: Only those of this branch; None: all.
            prefix: Only those whose ids begin so.
        """
        from selfreview.store import numbers

        return self._database.read(lambda connection: numbers.pruned_runs(connection, prefix, branch, limit)) or []

    def tallies(self, since: str = "", branch: str | None = None) -> list[Tally]:
        """Return how many issues of each rule have which outcome, of those that were first seen since a time."""
        from selfreview.store import numbers

        return self._database.read(lambda connection: numbers.tallies(connection, since, branch)) or []

    def caught(self, since: str = "", branch: str | None = None) -> list[Caught]:
        """Return how many of the same issues were first seen on each day, by category, severity and outcome."""
        from selfreview.store import numbers

        return self._database.read(lambda connection: numbers.caught(connection, since, branch)) or []

    def calls(self, since: str = "", branch: str | None = None) -> list[Call]:
        """Return the ends of fix cycles and the calls for a person since a time, as far as the log is kept."""
        from selfreview.store import numbers

        return self._database.read(lambda connection: numbers.calls(connection, since, branch)) or []

    def add_event(self, event: Event) -> None:
        """Append an event; durable when this returns, so that its effect may start."""
        self._database.write(lambda connection: events.add(connection, event))

    def events(self, run_id: str) -> list[Event]:
        """Return a run's events, oldest first."""
        return self._database.read(lambda connection: events.found(connection, "run_id", run_id)) or []

    def session(self, worktree: str, branch: str) -> Session | None:
        """Return the newest session of a branch (``""``: a detached HEAD) in a worktree, or None."""
        return self._database.read(lambda connection: runs.newest_session(connection, worktree, branch))

    def save_session(self, session: Session, *happened: Event) -> None:
        """Store a session and the events that changed it, all or nothing; durable when this returns."""

        def work(connection: sqlite3.Connection) -> None:
            runs.save_session(connection, session)
            if session.request is not None:
                summaries.opened(connection, session.id, session.request)
            for event in happened:
                events.add(connection, event)

        self._database.write(work)

    def session_events(self, session: str) -> list[Event]:
        """Return a session's events, oldest first."""
        return self._database.read(lambda connection: events.found(connection, "session", session)) or []

    def patches_taken(self, action: str) -> dict[str, str]:
        """Return when people last decided on patches, by their ids.

        Args:
            action: ``apply`` or ``undo``.
        """
        decided = self._database.read(lambda connection: events.found(connection, "kind", f"person.{action}")) or []
        return {str(event.data.get("reason")): event.at for event in decided}

    def waiting_patches(self) -> set[str]:
        """Return the ids of kept patches that sessions refer to."""
        return self._database.read(runs.waiting_patches) or set()

    def setting(self, key: str) -> str | None:
        """Return a remembered answer, or None."""

        def work(connection: sqlite3.Connection) -> str | None:
            row = connection.execute("SELECT value FROM settings WHERE key = ?", (key,)).fetchone()
            return None if row is None else str(row[0])

        return self._database.read(work)

    def set_setting(self, key: str, value: str | None) -> None:
        """Remember an answer; None forgets it."""

        def work(connection: sqlite3.Connection) -> None:
            connection.execute("DELETE FROM settings WHERE key = ?", (key,))
            if value is not None:
                connection.execute("INSERT INTO settings (key, value) VALUES (?, ?)", (key, value))

        self._database.write(work)

    def close(self) -> None:
        """Write the cache's records of use, and close the file."""
        self.cache.close()
        self._database.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def _load(self, run_id: str) -> Result:
        result = self._database.read(lambda connection: runs.by_id(connection, run_id))
        if result is None:  # pruned by another process since it was found
            raise UsageError(f"there is no run {run_id!r} any more")
        return result


def _pruned(run: PrunedRun) -> str:
    """Return what is left of a run, as a sentence."""
    its = run.numbers
    ended = "passed" if its.passed else "not passed"
    if its.status is not ResultStatus.COMPLETE:
        ended = its.status.value.replace("_", " ")
    return f"the run {run.id} of {run.at[:10]} was pruned: {ended}, {plural(its.open, 'open issue')}"


def _became(issue: Outcome) -> str:
    """Return what became of an issue that no review holds, as a sentence."""
    named = f"{issue.rule} of {issue.reviewer}" if issue.rule else issue.reviewer
    ended = issue.outcome.replace("_", " ") + (f" by {issue.who}" if issue.who and issue.outcome != OPEN else "")
    where = f"on {issue.branch}" if issue.branch else "without a branch"
    about = f"{named}, {issue.severity}, last seen on {issue.last_seen[:10]} {where}: {ended}"
    return f"no review that is kept holds the issue {issue.id} ({about})"


T = TypeVar("T")


class ReviewStore:
    """Everything a review keeps. Nothing here raises a ``StoreError``: the first one ends the use of the store and is
    reported in :attr:`warnings`. Safe for threads.

    Args:
        store: The store, which the caller closes; None outside of a repository: nothing is kept.

    Attributes:
        cache: Findings by key.
    """

    def __init__(self, store: Store | None) -> None:
        self._store = store
        self._failures: list[StoreError] = []
        self.cache = ReviewCache(self)

    @property
    def warnings(self) -> tuple[str, ...]:
        """Warnings that a person must be shown once the review is over."""
        noted = self._store.warnings if self._store is not None else ()
        return (*noted, *(f"the review is not remembered: {_both(failure)}" for failure in self._failures[:1]))

    def add_result(self, result: Result, happened: Callable[[str], Event] | None = None) -> str | None:
        """Keep a result with its event, and set its ``run_id``; return that, or None where it is not kept.

        That a part of the branch holds nothing to review, as hooks often find, is not worth remembering.
        """
        whole = result.scope is not None and result.scope.whole
        if result.status is ResultStatus.NOTHING_TO_REVIEW and not whole:
            return None
        return self.attempt(lambda store: store.add_result(result, happened), None)

    def attempt(self, operation: Callable[[Store], T], default: T) -> T:
        """Run an operation of the store; return ``default`` where there is none or it fails."""
        if self._store is None or self._failures:
            return default
        try:
            return operation(self._store)
        except StoreError as error:
            self._failures.append(error)
            return default


def _both(failure: StoreError) -> str:
    """Return the message and the hint of an error."""
    return failure.message + (f" ({failure.hint})" if failure.hint else "")


class ReviewCache:
    """Cache of a :class:`ReviewStore`; without a store it is empty."""

    def __init__(self, owner: ReviewStore) -> None:
        self._owner = owner

    def get_many(self, keys: Sequence[bytes]) -> dict[bytes, bytes]:
        """Return the values of those keys that are there."""
        return self._owner.attempt(lambda store: store.cache.get_many(keys), {})

    def put_many(self, entries: Mapping[bytes, bytes]) -> None:
        """Keep values."""
        self._owner.attempt(lambda store: store.cache.put_many(entries), None)
