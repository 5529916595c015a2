"""Queue of fix cycles, on DBOS, whose content outlives this process, and the child process that each cycle is.

One workflow is one cycle, with one step: a child process. A cycle that was under way when its watcher died is begun
again by the next watcher of the same name; it may be, because it looks at what was done before it does anything.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import json
import sys
import threading
import time
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from selfreview.errors import ExitCode, SelfreviewError, ToolError
from selfreview.proc import Runner
from selfreview.pullrequest.ports import Outcome
from selfreview.pullrequest.watching.ports import FAILED, Done, Job, QueueError

if TYPE_CHECKING:
    from dbos import WorkflowStatus

_MAX_NOTES = 20
_MAX_TEXT = 500


class FixProcess:
    """Runs ``selfreview pr fix``."""

    def __init__(
        self, runner: Runner, folder: Callable[[], Path], options: Sequence[str], timeout_s: Callable[[], float]
    ) -> None:
        self._runner = runner
        self._folder = folder
        self._options = tuple(options)
        self._timeout_s = timeout_s
        self._asking: dict[int, Callable[[], None]] = {}
        self._unwanted: set[int] = set()
        self._lock = threading.Lock()

    def stop(self, number: int) -> bool:
        """Ask the process for a pull request, whose answer nobody wants any more, to end; return whether one runs."""
        with self._lock:
            ask = self._asking.get(number)
            if ask is None or number in self._unwanted:
                return False
            self._unwanted.add(number)
            ask()
        return True

    def __call__(self, number: int) -> Done:
        """Run the process for a pull request, and return the outcome."""
        # -P: no module of the repository's is taken for one of this program's.
        begun = functools.partial(self._asking.__setitem__, number)
        program = [sys.executable, "-P", "-m", "selfreview", "pr", "fix", str(number)]
        try:
            ran = self._runner.run_tied(
                [*program, "--format", "json", "--tied", *self._options],
                cwd=self._folder(),
                timeout=self._timeout_s(),
                begun=begun,
            )
        except SelfreviewError as error:
            code = ExitCode.INCOMPLETE if isinstance(error, ToolError) else error.exit_code
            return Done(FAILED, int(code), (error.message,))
        finally:
            with self._lock:
                self._asking.pop(number, None)
                unwanted = number in self._unwanted
                self._unwanted.discard(number)
        if unwanted and ran.returncode != ExitCode.PASSED:
            return Done(Outcome.ENDED.value, int(ExitCode.PASSED), ("it was closed or merged meanwhile",))
        return done_of(ran.returncode, ran.stdout, ran.stderr)


def done_of(code: int, out: bytes, err: bytes) -> Done:
    """Return the outcome of a fix cycle by its exit code and output."""
    notes = [line.strip()[:_MAX_TEXT] for line in err.decode("utf-8", "replace").splitlines() if line.strip()]
    said = _document(out)
    outcome = said.get("outcome")
    if code in (ExitCode.PASSED, ExitCode.ISSUES, ExitCode.INCOMPLETE) and isinstance(outcome, str):
        wait = said.get("wait")
        return Done(
            outcome,
            code,
            _texts(said, "why"),
            tuple(notes[:_MAX_NOTES]),
            not_shown=_texts(said, "notShown"),
            wait_s=float(wait) if isinstance(wait, (int, float)) else None,
            busy=said.get("busy") is True,
        )
    errors = [line.removeprefix("error: ") for line in notes if line.startswith("error: ")]
    how = f"it was ended by signal {-code}" if code < 0 else f"it ended with {code}"
    known = code in ExitCode._value2member_map_
    return Done(
        FAILED, code if known else ExitCode.INTERNAL_ERROR, tuple(errors[-1:]) or (how,), tuple(notes[:_MAX_NOTES])
    )


def _texts(said: dict[str, Any], name: str) -> tuple[str, ...]:
    found = said.get(name)
    return tuple(map(str, found)) if isinstance(found, list) else ()


def _document(out: bytes) -> dict[str, Any]:
    try:
        said = json.loads(out)
    except (ValueError, RecursionError):
        return {}
    return said if isinstance(said, dict) else {}


_NAME = "selfreview"
_VERSION = "1"
"""Version of queued tasks, the same in all versions of this program: an updated one takes over an older one's."""
_POLL_S = 0.5
_THREADS = 64
_KEEP_S = 7 * 86400.0
_LATE_S = 120.0
_WAITING = ("ENQUEUED", "PENDING", "DELAYED")
_TIDIED_AT_ONCE = 500


class QueueSettings(NamedTuple):
    """Settings of a queue.

    Attributes:
        url: The database's, for SQLAlchemy.
        worker: This watcher's name, distinct among those that use the database at one time, the same after each start.
        max_concurrency: How many cycles run at once, over all watchers.
        longest_s: Says how many seconds a cycle may take: one that was begun longer ago is not run by anybody.
        shared: Whether others use the database too.
    """

    url: str
    worker: str
    max_concurrency: int
    longest_s: Callable[[], float]
    shared: bool


class TaskQueue:
    """Queue of one repository's fix cycles; at most one for each pull request at a time, whoever schedules it."""

    def __init__(
        self,
        forge: str,
        settings: QueueSettings,
        *,
        run: Callable[[int], Done],
        stop: Callable[[int], bool] = lambda _: False,
    ) -> None:
        self._forge = forge
        self._worker = settings.worker
        self._run = run
        self._stop = stop
        self._shared = settings.shared
        self._longest_s = settings.longest_s
        self._max_concurrency = settings.max_concurrency
        self._name = f"fix-{hashlib.sha256(forge.encode()).hexdigest()[:12]}"
        self._active: dict[int, str] = {}
        self._here: dict[str, Done] = {}
        self._lock = threading.Lock()
        with _problems("the queue of fix cycles cannot be opened"):
            self._begin(settings.url)

    def _begin(self, url: str) -> None:
        import dbos

        dbos.DBOS(
            config={
                "name": _NAME,
                "system_database_url": url,
                "application_version": _VERSION,
                "executor_id": self._worker,
                "log_level": "CRITICAL",
                "enable_otlp": False,
                "max_executor_threads": _THREADS,
            }
        )
        self._dbos = dbos.DBOS

        @self._dbos.step(name="selfreview.pr_fix")
        def once(number: int) -> dict[str, Any]:
            return self._once(number)

        @self._dbos.workflow(name="selfreview.fix_cycle")
        def cycle(number: int) -> dict[str, Any]:
            return once(number)

        self._cycle = cycle
        self._dbos.listen_queues([self._name])
        self._dbos.launch()
        self.resize(self._max_concurrency)
        for status in self._dbos.list_workflows(queue_name=self._name, status=[*_WAITING], load_input=False):
            self._follow(status.workflow_id)

    def _once(self, number: int) -> dict[str, Any]:
        done = self._run(number)
        name = self._dbos.workflow_id
        with self._lock:
            if name is not None:
                self._here[name] = done
        return {name: list(value) if isinstance(value, tuple) else value for name, value in done._asdict().items()}

    @property
    def active(self) -> Mapping[int, Job]:
        """Unfinished cycles, by the number of their pull request."""
        return {number: _job_of(name) for number, name in self._active.items()}

    def put(self, job: Job, *, fresh: bool) -> Done | None:
        """Schedule a cycle, unless the pull request has an unfinished one: then that one is followed.

        Args:
            job: The cycle.
            fresh: Whether one is run also where the same job ended well somewhere already.

        Returns:
            How the same job ended elsewhere, or None where it is yet to end.

        Raises:
            QueueError: If it cannot be put down.
        """
        import dbos

        prefix = f"{self._forge}#{job.number}:{job.mark}:"
        with _problems("a fix cycle cannot be scheduled"):
            if self._shared and not fresh and (known := self._known(prefix)) is not None:
                return known
            options = dbos.SetEnqueueOptions(
                deduplication_id=f"{self._name}#{job.number}", duplication_policy="return-existing"
            )
            with dbos.SetWorkflowID(f"{prefix}{uuid.uuid4().hex[:12]}"), options:
                handle = self._dbos.enqueue_workflow(self._name, self._cycle, job.number)
            self._follow(handle.get_workflow_id())
        return None

    def _known(self, prefix: str) -> Done | None:
        """Return the outcome of anybody's cycle for the same news, if it ended well."""
        found = self._dbos.list_workflows(
            workflow_id_prefix=prefix, status="SUCCESS", sort_desc=True, limit=5, load_input=False
        )
        return next((done for done in map(_done_of, found) if done.finished), None)

    def _follow(self, name: str) -> None:
        self._active[_job_of(name).number] = name

    def stop(self, number: int) -> bool:
        """Ask the cycle of a closed pull request to end; return whether it runs here and had not been asked."""
        return self._stop(number)

    def ended(self) -> list[tuple[Job, Done]]:
        """Return the cycles that ended since the last call."""
        if not self._active:
            return []
        with _problems("the queue of fix cycles cannot be read"):
            names = list(self._active.values())
            known = self._dbos.list_workflows(workflow_ids=names, load_input=False)
            left = {status.workflow_id for status in known if status.status in _WAITING}
            over = {status.workflow_id: _done_of(status) for status in known if status.workflow_id not in left}
            gone = Done(FAILED, ExitCode.INCOMPLETE, ("its entry in the queue is gone",))
            found = self._take({name: over.get(name, gone) for name in names if name not in left})
            if over and not self._shared:
                self._dbos.delete_workflows(list(over))
        return found

    def _take(self, over: Mapping[str, Done]) -> list[tuple[Job, Done]]:
        with self._lock:
            for name in over:
                self._here.pop(name, None)
        for name in over:
            self._active.pop(_job_of(name).number, None)
        return [(_job_of(name), done) for name, done in over.items()]

    def resize(self, max_concurrency: int) -> None:
        """Change the maximum number of concurrent cycles."""
        with _problems("the queue of fix cycles cannot be set up"):
            self._dbos.register_queue(
                self._name,
                worker_concurrency=max_concurrency,
                global_concurrency=max_concurrency,
                polling_interval_sec=_POLL_S,
                on_conflict="always_update",
            )
        self._max_concurrency = max_concurrency

    def tidy(self) -> list[int]:
        """Give up cycles of watchers that did not come back, and remove old ones; return whose were given up."""
        if not self._shared:
            return []
        with _problems("the queue of fix cycles cannot be tidied"):
            running = self._dbos.list_workflows(queue_name=self._name, status="PENDING", load_input=False)
            before = (time.time() - self._longest_s() - _LATE_S) * 1000
            late = [
                workflow
                for workflow in running
                if workflow.executor_id != self._worker and (workflow.dequeued_at or before) < before
            ]
            if late:
                self._dbos.cancel_workflows([workflow.workflow_id for workflow in late])
            old = self._dbos.list_workflows(
                queue_name=self._name,
                completed_before=_iso(time.time() - _KEEP_S),
                limit=_TIDIED_AT_ONCE,
                load_input=False,
                load_output=False,
            )
            if old:
                self._dbos.delete_workflows([workflow.workflow_id for workflow in old])
        return [_job_of(workflow.workflow_id).number for workflow in late]

    def close(self, wait_s: float) -> list[tuple[Job, Done]]:
        """Begin no more cycles, wait for those that run here, and return those that ended."""
        with _problems("the queue of fix cycles cannot be closed"):
            self._dbos.destroy(workflow_completion_timeout_sec=int(wait_s), destroy_registry=True)
        with self._lock:
            over = {name: done for name, done in self._here.items() if name in self._active.values()}
        return self._take(over)


def _job_of(name: str) -> Job:
    """Return the job of a workflow by its name: ``host/owner/name#NUMBER:MARK:RANDOM``."""
    number, mark, _ = name.rpartition("#")[2].split(":")
    return Job(int(number), mark)


def _done_of(status: WorkflowStatus) -> Done:
    output = status.output
    if status.status == "SUCCESS" and isinstance(output, dict):
        known = {name: output[name] for name in Done._fields if name in output}  # an older watcher says less
        whole: dict[str, Any] = {
            name: tuple(value) if isinstance(value, list) else value for name, value in known.items()
        }
        return Done(**whole)
    if status.status == "CANCELLED":
        return Done(FAILED, ExitCode.INCOMPLETE, ("the watcher that was at it did not come back",))
    return Done(FAILED, ExitCode.INTERNAL_ERROR, (f"the queue says {status.status.lower()}: {status.error!r:.200}",))


def _iso(at: float) -> str:
    import datetime

    return datetime.datetime.fromtimestamp(at, datetime.UTC).isoformat()


@contextlib.contextmanager
def _problems(what: str) -> Iterator[None]:
    """Report database errors in one line."""
    import dbos
    import sqlalchemy.exc

    try:
        yield
    except (sqlalchemy.exc.SQLAlchemyError, dbos.error.DBOSException, OSError) as error:
        raise QueueError(f"{what}: {_line(error)}", hint="is the database of `feedback.database_url` there?") from error


def _line(error: Exception) -> str:
    cause: Sequence[object] = [part for part in (getattr(error, "orig", None), error) if part]
    return " ".join(str(cause[0]).split())[:300]
