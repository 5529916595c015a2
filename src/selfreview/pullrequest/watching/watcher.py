"""Watcher of pull requests: looks at them, schedules fix cycles, and records their outcomes."""

from __future__ import annotations

import queue
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import NamedTuple, Protocol

from selfreview.api import Connection, Detects, ReadsRateLimit, ReadsRequests, Sighting, TellsWhereabouts
from selfreview.errors import BusyError, ExitCode, ForgeError, StoreError, TokenError
from selfreview.model.feedback import ChangeRequest
from selfreview.pullrequest.watching.hints import Hints
from selfreview.pullrequest.watching.ports import Done, Job, QueueError, Settings, Tell, worst
from selfreview.pullrequest.watching.schedule import (
    LONGEST_WAIT_S,
    Pace,
    QuotaPause,
    Step,
    Sweeps,
    decide,
    news,
    postponed,
    wait_after,
)
from selfreview.pullrequest.watching.tasks import TaskQueue
from selfreview.store.watched import Watched, Watching

_MAX_SAID = 500


class Ledger:
    """The rows of one repository's pull requests.

    Attributes:
        rows: By number.
        worst: The worst exit code of all cycles.
    """

    def __init__(self, forge: str, memory: Watching, hints: Hints, tell: Tell) -> None:
        self._forge = forge
        self._memory = memory
        self._hints = hints
        self._tell = tell
        self.rows: dict[int, Watched] = {}
        self.worst = int(ExitCode.PASSED)
        self._unseen: set[int] = set()
        self._not_shown: set[str] = set()

    def load(self) -> None:
        """Read the stored rows."""
        self.rows = self._memory.all(self._forge)

    def keep(self, rows: Sequence[Watched]) -> None:
        """Store rows, in place of older ones."""
        self._memory.save(self._forge, *rows)
        self.rows |= {row.number: row for row in rows}

    def forget_all_but(self, numbers: Collection[int]) -> None:
        """Remove the rows of all other pull requests, which are not watched any more."""
        gone = self.rows.keys() - numbers
        self._memory.forget(self._forge, gone)
        for number in gone:
            del self.rows[number]
            self._tell("gone", number)

    def seen(self, wanted: Collection[int], shown: Collection[int]) -> None:
        """Record the pull requests that a look showed; each missing one is reported once, until it is seen again."""
        unseen = set(wanted) - set(shown)
        for number in sorted(unseen - self._unseen):
            self._tell("unseen", number, why="the forge does not show it; the next look asks again")
        for number in sorted(self._unseen & set(shown)):
            self._tell("seen_again", number)
        self._unseen = unseen
        if unseen:
            self.worst = worst(self.worst, ExitCode.INCOMPLETE)

    def finish_hints(self, number: int) -> list[str]:
        """Record that a pull request's hints are handled; return the hints' names."""
        names = self._hints.finish(number)
        self._memory.act_on(names)
        return names

    def wait(self) -> None:
        """Record that news wait, which counts where this look is the only one."""
        self.worst = worst(self.worst, ExitCode.INCOMPLETE)

    def take(self, ended: Sequence[tuple[Job, Done]], interval: float) -> None:
        """Record the outcomes of cycles. A mark counts as seen only where everything was handled."""
        now = time.time()
        before = {job.number: self.rows.get(job.number) or Watched(job.number) for job, _ in ended}
        self.keep([_after(before[job.number], job, done, interval=interval, now=now) for job, done in ended])
        for job, done in ended:
            self.worst = worst(self.worst, done.code)
            for note in done.notes:
                self._tell("note", job.number, text=note)
            for text in done.not_shown:
                if text not in self._not_shown:  # the same for every pull request
                    self._not_shown.add(text)
                    self._tell("note", text=text)
            about = {"outcome": done.outcome, "code": done.code, "why": list(done.why)}
            if done.finished:
                self._tell("ended", job.number, **about)
                self._finish(job, done, news=before[job.number].done != job.mark)
            else:
                self._tell("put_off", job.number, **about, wait=self.rows[job.number].due - now)

    def _finish(self, job: Job, done: Done, *, news: bool) -> None:
        hinted = self.finish_hints(job.number)
        if news:
            self._hints.no_echo(job.number)
        elif hinted and done.outcome == "nothing_to_do":  # what it was about may not show yet
            self._hints.echo(job.number, time.monotonic())


def _after(row: Watched, job: Job, done: Done, *, interval: float, now: float) -> Watched:
    """Return the row of a pull request after a cycle."""
    said = "; ".join((done.outcome.replace("_", " "), *done.why))[:_MAX_SAID]
    if done.finished:
        return Watched(job.number, done=job.mark, told=job.mark, swept=now, said=said)
    if done.wait_s is not None:  # it is no attempt that failed
        return row._replace(tried=job.mark, due=now + min(done.wait_s, LONGEST_WAIT_S), said=said)
    tries = row.tries + 1
    return row._replace(tried=job.mark, tries=tries, due=now + wait_after(tries, interval), said=said)


def still_open(connection: ReadsRequests, tasks: TaskQueue, tell: Tell) -> Sequence[ChangeRequest]:
    """Return all open pull requests; stop the fix cycles of others, for nobody waits for these any more.

    Raises:
        ForgeError: If the forge cannot be asked.
    """
    found = connection.all_open()
    for number in tasks.active.keys() - {request.number for request in found}:
        if tasks.stop(number):
            tell("ending", number)
    return found


def is_archived(connection: Connection, say: Callable[[str, str], None]) -> bool:
    """Report the repository's current location, where it changed; return whether it is archived.

    Raises:
        ForgeError: If the forge cannot be asked.
    """
    if not isinstance(connection, TellsWhereabouts):
        return False
    here, path = connection.whereabouts(), connection.location.path
    if here.path.lower() != path.lower():
        say("renamed", f"{path} is {here.path} now; git remote set-url makes that known here")
    if here.archived:
        say("archived", f"{here.path} is archived: nothing can be done there")
    return here.archived


_SLICE_S, _BUSY_SLICE_S = 1.0, 0.25
_LIST_S = 120.0
_AFTER_ERROR_S = 30.0


class Watchable(ReadsRequests, Detects, Protocol):
    """Capabilities that the watcher requires of a forge."""


class WatcherParts(NamedTuple):
    """What a watcher works with.

    Attributes:
        concerns: Picks the pull requests that are watched, from all open ones.
        settings: Says what is configured now.
        memory: What is remembered.
        tasks: The cycles.
        hints: What the forge says by itself.
        hold: Says whether any cycle may be begun.
        tell: Is told of everything.
        between: Called after each look, for what else is to be done from time to time.
    """

    concerns: Callable[[Sequence[ChangeRequest]], list[ChangeRequest]]
    settings: Callable[[], Settings]
    memory: Watching
    tasks: TaskQueue
    hints: Hints
    hold: QuotaPause
    tell: Tell
    between: Callable[[], None] = lambda: None


class Watcher:
    """Watches the pull requests of one repository."""

    def __init__(self, connection: Watchable, forge: str, parts: WatcherParts) -> None:
        self._connection = connection
        self._forge = forge
        self._concerns = parts.concerns
        self._settings = parts.settings
        self._ledger = Ledger(forge, parts.memory, parts.hints, parts.tell)
        self._tasks = parts.tasks
        self._hints = parts.hints
        self._hold = parts.hold
        self._tell = parts.tell
        self._between = parts.between
        self._now_configured = parts.settings()
        self._numbers: frozenset[int] = frozenset()
        self._hinted: set[int] = set()
        self._pace, self._sweeps = Pace(), Sweeps()
        self._wakes: queue.SimpleQueue[None] = queue.SimpleQueue()
        self._told: set[str] = set()
        self._ending = False
        self._paused_until = 0.0
        self._listed: float | None = None

    def stop(self) -> None:
        """Begin no more cycles, and end when running ones have ended; may be called by a signal's handler."""
        self._ending = True
        self._wakes.put(None)

    def run(self, *, once: bool) -> int:
        """Watch until told to stop, or look once and wait for what that led to; return the exit code.

        Raises:
            TokenError: If the forge does not accept the token.
            ForgeError: With ``once``: if it cannot be asked.
        """
        self._ledger.load()
        first = self._now_configured
        self._tell("watching", repository=self._forge, auto=first.auto, off=first.off)
        for number in self._tasks.active:
            self._tell("resumed", number)
        due = time.monotonic()
        while not self._ending:
            now = time.monotonic()
            self._collect()
            if now >= due and now >= self._paused_until:
                due = now + self._poll(once=once)
                self._between()
            self._follow_hints()
            if once and not self._tasks.active:
                break
            if once:
                due = float("inf")
            self._wait(due)
        return self._ledger.worst if once else int(ExitCode.PASSED)

    def take(self, ended: Sequence[tuple[Job, Done]]) -> None:
        """Record the cycles that ended."""
        for _, done in ended:
            self._hold.take(done)
            if done.busy and done.wait_s is not None:
                self._pause("; ".join(done.why), done.wait_s)
        self._ledger.take(ended, self._now_configured.interval)

    def _wait(self, due: float) -> None:
        most = _BUSY_SLICE_S if self._tasks.active else _SLICE_S
        wait = min(most, max(0.0, due - time.monotonic()))
        try:
            self._wakes.get(timeout=wait)
        except queue.Empty:
            return

    # --- looks -------------------------------------------------------------------------------------------------------

    def _poll(self, *, once: bool) -> float:
        """Look at all pull requests; return the seconds until the next look."""
        self._now_configured = self._configure()
        interval = self._now_configured.interval
        idle = False
        try:
            idle = not self._look_at_all()
        except TokenError:
            raise
        except BusyError as error:
            self._leave_alone(error)
            if once:
                raise
            return max(error.wait_s, 1.0)
        except (ForgeError, QueueError, StoreError) as error:
            if once:
                raise
            self._say_once("problem", error.message)
            idle = True  # what cannot be asked is not asked faster
        else:
            self._told -= {text for text in self._told if text.startswith("problem ")}
        return self._pace.after(interval, idle=idle and not self._tasks.active)

    def _configure(self) -> Settings:
        before, now = self._now_configured, self._settings()
        if now != before:
            self._tell("settings", auto=now.auto, interval=now.interval, most=now.max_concurrency, off=now.off)
        if now.max_concurrency != before.max_concurrency:
            self._tasks.resize(now.max_concurrency)
        return now

    def _look_at_all(self) -> int:
        """Look at all pull requests; return the number of those with news."""
        archived = is_archived(self._connection, self._say_once)
        for number in self._tasks.tidy():
            self._tell("given_up", number)
        requests = self._concerns(still_open(self._connection, self._tasks, self._tell))
        for request in requests:
            self._tell("seen", request.number, title=request.title, branch=request.head)
        self._numbers = frozenset(request.number for request in requests)
        self._ledger.forget_all_but(self._numbers | self._tasks.active.keys())
        sightings = self._connection.look(sorted(self._numbers)) if self._numbers else {}
        self._ledger.seen(self._numbers, sightings.keys())
        if self._now_configured.auto and postponed(sightings, self._ledger.rows, time.time()):
            self._ledger.wait()
        limit = self._connection.rate_limit() if isinstance(self._connection, ReadsRateLimit) else None
        self._sweeps.begin(time.time(), limit)
        found = self._act(sightings, sweeps=self._sweeps, frozen=archived)
        for number in self._hinted - self._numbers:  # none of ours, or closed
            self._finish_hints(number)
        self._tell("polled", requests=len(self._numbers), news=found)
        return found

    def _act(
        self,
        sightings: Mapping[int, Sighting],
        *,
        hinted: Collection[int] = (),
        sweeps: Sweeps | None = None,
        frozen: bool = False,
    ) -> int:
        """Act on the decisions after a look; return the number of decisions."""
        auto = self._now_configured.auto and not frozen
        held = auto and self._hold.left > 0
        rows, busy, now = self._ledger.rows, self._tasks.active.keys(), time.time()
        due = None if held else sweeps
        found = decide(sightings, rows, busy=busy, now=now, hinted=hinted, sweeps=due) if auto else (
            news(sightings, rows, busy=busy, now=now)
        )  # fmt: skip
        steps = list(found)
        if held:
            if steps:
                self._ledger.wait()
            return 0
        self._ledger.keep([self._schedule(step) if step.fix else self._announce(step) for step in steps])
        return len(steps)

    def _announce(self, step: Step) -> Watched:
        self._tell(step.why.value, step.row.number)
        return step.row._replace(told=step.mark)

    def _schedule(self, step: Step) -> Watched:
        number = step.row.number
        done = self._tasks.put(step.job, fresh=step.why not in ("news", "again"))
        if done is not None:  # another watcher saw to it
            self._tell("answered_elsewhere", number, outcome=done.outcome)
            return step.row._replace(done=step.mark, tried="", tries=0, due=0.0, said=done.outcome)
        self._tell("scheduled", number, why=step.why.value)
        return step.row._replace(tried=step.mark, tries=step.row.tries if step.row.tried == step.mark else 0)

    # --- hints -------------------------------------------------------------------------------------------------------

    def _follow_hints(self) -> None:
        now = time.monotonic()
        if lost := self._hints.lost(now):
            self._tell("problem", why=f"{lost} hints were not taken, for too many wait; looks find what they are about")
        if now < self._paused_until or (self._now_configured.auto and self._hold.left > 0):
            return
        busy = self._tasks.active.keys()
        self._hinted -= busy  # what a look began for them since began after the hint
        self._hinted.update(self._hints.ripe(now, busy))
        forced = set(self._hinted)
        if not self._may_list(now):  # whether the others are ours is asked later, for all that come until then at once
            forced &= self._numbers
        echoes = [number for number in self._hints.echoes(now) if number not in busy]
        if not forced and not echoes:
            return
        self._now_configured = self._configure()
        self._pace.hurry()
        try:
            if forced - self._numbers:
                self._listed = now
                self._look_at_all()
            wanted = sorted((forced & self._numbers) | (self._numbers & set(echoes)))
            sightings = self._connection.look(wanted) if wanted else {}
            self._act(sightings, hinted=forced)
            for number in forced - self._tasks.active.keys():  # nothing is to come that would settle it
                self._finish_hints(number)
                if number in wanted and number not in sightings:
                    self._hints.echo(number, now)
        except TokenError:
            raise
        except BusyError as error:
            self._leave_alone(error)
        except (ForgeError, QueueError, StoreError) as error:
            self._say_once("problem", error.message)
        else:
            self._hinted -= forced
            return
        for number in forced:
            self._hinted.discard(number)
            self._hints.back(number, now + _AFTER_ERROR_S)

    def _may_list(self, now: float) -> bool:
        """Return whether hints may have all pull requests listed: once an interval, whichever they are about."""
        return self._listed is None or now - self._listed >= min(self._now_configured.interval, _LIST_S)

    def _finish_hints(self, number: int) -> None:
        self._hinted.discard(number)
        self._ledger.finish_hints(number)

    # --- what came of it ---------------------------------------------------------------------------------------------

    def _collect(self) -> None:
        try:
            self.take(self._tasks.ended())
        except (QueueError, StoreError) as error:
            self._say_once("problem", error.message)

    def _leave_alone(self, error: BusyError) -> None:
        """Pause all cycles: they are processes of their own, and do not know that the forge is busy."""
        self._pause(error.message, error.wait_s)
        try:
            self._hold.take(Done("waiting", int(error.exit_code), (error.message,), wait_s=error.wait_s))
        except StoreError as problem:
            self._say_once("problem", problem.message)

    def _pause(self, why: str, wait_s: float) -> None:
        self._paused_until = max(self._paused_until, time.monotonic() + wait_s)
        self._tell("paused", why=why, wait=round(wait_s, 1))

    def _say_once(self, event: str, text: str) -> None:
        if f"{event} {text}" not in self._told:
            self._told.add(f"{event} {text}")
            self._tell(event, why=text)
