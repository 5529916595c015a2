"""Schedule the reviewers side by side, each under its own deadline."""

from __future__ import annotations

import queue
import threading
import time
from collections import deque
from collections.abc import Sequence

from selfreview.api import Review
from selfreview.model.issue import GATE
from selfreview.model.result import ReviewerStatus
from selfreview.review.call_reviewer import outcome_of, reviews_commits, sees_excluded
from selfreview.review.context import Workbench
from selfreview.review.tasks import Outcome, Settings, Task, failed, keep_nothing

GRACE_S = 2.0
"""Seconds past its deadline that a reviewer may take to come back by itself."""

LAST_WORDS_S = 0.5
"""Seconds that reviewers have to come back with what they found when a person interrupts."""

INTERRUPTED = "interrupted before it was done"


def run_all(tasks: Sequence[Task], bench: Workbench, settings: Settings) -> list[Outcome]:
    """Run all tasks and return their outcomes in the same order; never raises for what a reviewer does.

    A reviewer that does not come back is left behind in its daemon thread: its children are killed with the run.
    Where the person interrupts, what is not done counts as failed, and the bench says so.
    """
    outcomes: dict[int, Outcome] = {}
    waiting: deque[int] = deque()
    for index, task in enumerate(tasks):
        if task.files or task.fault is not None or sees_excluded(task, bench) or reviews_commits(task, bench):
            waiting.append(index)
        else:
            nothing = Review(status=ReviewerStatus.NOT_APPLICABLE)
            outcomes[index] = Outcome(task, nothing, 0, cached=False, keep=keep_nothing)
    outcomes.update(_Crew(tasks, bench, settings).work(waiting))
    return [outcomes[index] for index in range(len(tasks))]


class _Crew:
    """Threads at work. Only the thread that calls :meth:`work` starts, awaits and gives up on them.

    So a place is taken when a task is started and free when its outcome is there, whoever made the outcome.
    """

    def __init__(self, tasks: Sequence[Task], bench: Workbench, settings: Settings) -> None:
        self._tasks = tasks
        self._bench = bench
        self._settings = settings
        self._done: queue.SimpleQueue[tuple[int, Outcome] | None] = queue.SimpleQueue()  # None: the run is cancelled
        self._ends: dict[int, float] = {}

    def work(self, waiting: deque[int]) -> dict[int, Outcome]:
        """Run tasks, at most ``jobs`` at once, until each of them has an outcome."""
        outcomes: dict[int, Outcome] = {}
        given = list(waiting)
        self._bench.on_stop(lambda: self._done.put(None))
        try:
            while waiting or self._ends:
                while waiting and len(self._ends) < self._settings.jobs:
                    self._start(waiting[0])
                    waiting.popleft()
                outcomes.update(self._await())
        except KeyboardInterrupt:
            self._bench.interrupted = True
            self._bench.stop()
            outcomes.update(self._last_words())
            # The interrupt may have come between the end of a task and the note that it has ended.
            return outcomes | {i: self._stopped(self._tasks[i]) for i in given if i not in outcomes}
        return outcomes

    def _await(self) -> dict[int, Outcome]:
        """Return the next outcome that counts, or those of tasks whose time is over."""
        patience = max(min(self._ends.values()) - time.monotonic(), 0.0)
        try:
            done = self._done.get(timeout=patience)
        except queue.Empty:
            return self._give_up()
        if done is None:
            raise KeyboardInterrupt
        index, outcome = done
        # What comes too late was given up.
        return {index: outcome} if self._ends.pop(index, None) is not None else {}

    def _start(self, index: int) -> None:
        task = self._tasks[index]
        self._ends[index] = time.monotonic() + self._limit(task) + GRACE_S
        threading.Thread(target=self._run, args=(index, task), daemon=True, name=task.reviewer.name).start()

    def _limit(self, task: Task) -> float:
        try:
            return task.capabilities.seconds(self._settings.timeout)
        except TypeError:
            return self._settings.timeout  # the task itself reports it

    def _run(self, index: int, task: Task) -> None:
        """Work in a thread; whatever is raised, by the watcher too, the outcome is delivered."""
        try:
            there = task.capabilities.why_unavailable() is None  # else its start is not reported
            if there:
                self._settings.watcher.started(task.reviewer.name)
            outcome = outcome_of(task, self._bench, self._settings)
            if there or outcome.review.status.incomplete:
                self._settings.watcher.finished(task.reviewer.name, outcome.review.status)
        except BaseException as error:  # noqa: BLE001 - the boundary: a thread that dies in silence is waited for
            outcome = failed(task, error, self._settings)
        self._done.put((index, outcome))

    def _give_up(self) -> dict[int, Outcome]:
        """Return the outcomes of tasks whose time is over."""
        now = time.monotonic()
        late = [index for index, end in self._ends.items() if end <= now]
        for index in late:
            del self._ends[index]
        return {index: self._late(self._tasks[index]) for index in late}

    def _last_words(self) -> dict[int, Outcome]:
        """Return the outcomes of tasks that return at once when they are stopped, with what they have."""
        outcomes: dict[int, Outcome] = {}
        end = time.monotonic() + LAST_WORDS_S
        while self._ends:
            try:
                done = self._done.get(timeout=max(0.0, end - time.monotonic()))
            except queue.Empty:
                break
            if done is None:
                continue
            index, outcome = done
            if self._ends.pop(index, None) is not None:
                outcomes[index] = outcome
                if outcome.review.status is ReviewerStatus.FAILED:
                    # A tool that the run has just killed says that it was killed, which is not why.
                    outcome.review.error, outcome.review.hint = INTERRUPTED, None
        return outcomes

    def _stopped(self, task: Task) -> Outcome:
        """Return the outcome of a task that the person did not wait for."""
        review = Review(status=ReviewerStatus.FAILED, error=INTERRUPTED)
        return Outcome(task, review, 0, cached=False, keep=keep_nothing)

    def _late(self, task: Task) -> Outcome:
        limit, name = self._limit(task), task.reviewer.name
        hint = f"raise {'reviewer_timeout' if limit == self._settings.timeout else 'its timeout'}"
        review = Review(
            status=ReviewerStatus.TIMED_OUT,
            error=f"did not finish within {limit:g} s",
            # The gate's own reviewer is no plugin: nothing leaves it out.
            hint=hint if name == GATE else f"{hint}, or leave it out with -p no:{name}",
        )
        try:
            self._settings.watcher.finished(name, review.status)
        except Exception as error:  # noqa: BLE001 - the boundary: as for a task that comes back
            return failed(task, error, self._settings)
        return Outcome(task, review, round((limit + GRACE_S) * 1000), cached=False, keep=keep_nothing)
