"""Schedule of a watcher: intervals of looks and repetitions, decisions after a look, and pauses for a quota.

While a quota is used up, each fix cycle would only find that out again.
"""

from __future__ import annotations

import enum
import hashlib
import threading
import time
from collections.abc import Callable, Collection, Iterator, Mapping
from typing import NamedTuple

from selfreview.api import RateLimit
from selfreview.errors import ExitCode
from selfreview.model.feedback import RequestState, Sighting
from selfreview.pullrequest.ports import Outcome
from selfreview.pullrequest.watching.ports import Done, Job, Tell
from selfreview.store.store import Store
from selfreview.store.watched import Watched

_SLOWEST = 5.0
_SLOWER = 1.5
LONGEST_WAIT_S = 3600.0
_SWEEP_S = (1800.0, 3600.0)
_UNKNOWN_S = 24.0
_FASTEST_S = 7.0
_TRICKLE_S = 60.0
_COST = 10
"""Requests that a whole reading takes: the pull request, reviews, comments of two kinds, threads, checks of two kinds,
who we are, and what one or two people may do."""
_HALF, _TENTH = 0.5, 0.1


class Pace:
    """The interval between looks: stretched step by step up to five times while nothing happens."""

    def __init__(self) -> None:
        self._factor = 1.0

    def after(self, interval: float, *, idle: bool) -> float:
        """Return the seconds until the next look."""
        self._factor = min(self._factor * _SLOWER, _SLOWEST) if idle else 1.0
        return interval * self._factor

    def hurry(self) -> None:
        """Reset the pace to the configured interval."""
        self._factor = 1.0


def wait_after(tries: int, interval: float) -> float:
    """Return the seconds until an unfinished cycle is tried again."""
    return float(min(interval * 2 ** min(tries - 1, 16), LONGEST_WAIT_S))


def is_due(due: float, now: float) -> bool:
    """Return whether something postponed may be tried; a clock that was set back delays nothing for ever."""
    return due <= now or due > now + LONGEST_WAIT_S


class Sweeps:
    """Selects pull requests to read whole although a look shows no news: each every 30 to 60 minutes, spread.

    A look does not show everything: not an older comment that was edited, and no thread that was settled. How many such
    readings there are follows what is left of the forge's limit (:func:`between_sweeps`); with many pull requests, each
    comes later.
    """

    def __init__(self) -> None:
        self._left = 0.0
        self._at: float | None = None

    def begin(self, now: float, left: RateLimit | None = None) -> None:
        """Begin a look."""
        between = between_sweeps(left)
        passed = 0.0 if self._at is None else max(0.0, now - self._at)
        first, self._at = self._at is None, now
        if between is None:
            self._left = 0.0
        else:
            self._left = 1.0 if first else min(self._left, 1.0) + passed / between

    def take(self, number: int, swept: float, now: float) -> bool:
        """Return whether a pull request is to be read whole now; if so, that reading is counted."""
        if self._left < 1.0 or (swept <= now and now - swept < _period(number)):
            return False
        self._left -= 1.0
        return True


def between_sweeps(left: RateLimit | None) -> float | None:
    """Return the seconds between two whole readings, or None for no whole readings.

    Down to half of the limit, what is above the half is spread over the time until it is renewed: a token is shared
    with people. Below that there is one now and then, and none where only a tenth is left.
    """
    if left is None:
        return _UNKNOWN_S
    if left.share <= _TENTH:
        return None
    spare, shortest = left.remaining - left.limit * _HALF, _FASTEST_S
    if spare < _COST:
        spare, shortest = left.remaining - left.limit * _TENTH, _TRICKLE_S
    return max(shortest, left.reset_s * _COST / spare)


def _period(number: int) -> float:
    shortest, longest = _SWEEP_S
    share = int.from_bytes(hashlib.sha256(b"%d" % number).digest()[:4], "big") / 2**32
    return shortest + (longest - shortest) * share


class Why(enum.StrEnum):
    """Reason to read a pull request whole, or to notify a person of it."""

    NEWS = "news"
    AGAIN = "again"
    HINT = "hint"
    SWEEP = "sweep"


class Step(NamedTuple):
    """Decision about one pull request.

    Attributes:
        row: What is known of it.
        mark: What the look shows.
        why: Why.
        fix: Whether a cycle is scheduled; else a person is told.
    """

    row: Watched
    mark: str
    why: Why
    fix: bool

    @property
    def job(self) -> Job:
        """Job of the fix cycle."""
        return Job(self.row.number, self.mark)


def postponed(sightings: Mapping[int, Sighting], rows: Mapping[int, Watched], now: float) -> list[int]:
    """Return the numbers of open pull requests whose news wait for a later try."""
    found = []
    for number, seen in sorted(sightings.items()):
        row = rows.get(number)
        news = row is not None and seen.mark != row.done and seen.mark == row.tried
        if row is not None and news and seen.state is RequestState.OPEN and not is_due(row.due, now):
            found.append(number)
    return found


def news(
    sightings: Mapping[int, Sighting], rows: Mapping[int, Watched], *, busy: Collection[int], now: float
) -> Iterator[Step]:
    """Yield the pull requests whose news people are notified of, where feedback is not answered; as :func:`decide`."""
    for number, seen in sorted(sightings.items()):
        row = rows.get(number) or Watched(number, swept=now)
        if seen.state is RequestState.OPEN and number not in busy and seen.mark not in (row.told, row.done):
            yield Step(row, seen.mark, Why.NEWS, fix=False)


def decide(
    sightings: Mapping[int, Sighting],
    rows: Mapping[int, Watched],
    *,
    busy: Collection[int],
    now: float,
    hinted: Collection[int] = (),
    sweeps: Sweeps | None = None,
) -> Iterator[Step]:
    """Yield the decisions about pull requests, where feedback is answered."""
    for number, seen in sorted(sightings.items()):
        if seen.state is not RequestState.OPEN or number in busy:
            continue
        row = rows.get(number) or Watched(number, swept=now)
        if number in hinted:
            yield Step(row, seen.mark, Why.HINT, fix=True)
        elif seen.mark != row.done:
            known = seen.mark == row.tried
            if not known or is_due(row.due, now):
                yield Step(row, seen.mark, Why.AGAIN if known else Why.NEWS, fix=True)
        elif sweeps is not None and sweeps.take(number, row.swept, now):
            yield Step(row, seen.mark, Why.SWEEP, fix=True)


_MAX_S = 86400.0
_SAME_S = 2.0


class QuotaPause:
    """Holds back the fix cycles of one repository; may be used from any thread.

    Raises:
        StoreError: If what is kept cannot be read.
    """

    def __init__(self, forge: str, memory: Store, tell: Tell) -> None:
        self._key = f"held {forge}"
        self._memory = memory
        self._tell = tell
        self._lock = threading.Lock()
        until, _, self._why = (memory.setting(self._key) or "").partition(" ")
        self._until = self._kept = float(until) if until.isdecimal() else 0.0

    @property
    def left(self) -> float:
        """Remaining seconds, or 0; a clock that was set back delays nothing for ever."""
        left = self._until - time.time()
        return left if 0 < left <= _MAX_S + 1 else 0.0

    def take(self, done: Done) -> None:
        """Store and report the quota limit of a cycle that ended.

        Raises:
            StoreError: If it cannot be kept.
        """
        self._heed(done)
        if self._until != self._kept:
            self._kept = self._until
            self._memory.set_setting(self._key, f"{self._until:.0f} {self._why}")
            self._tell("held", why=self._why, wait=round(self.left, 1))

    def run(self, number: int, run: Callable[[int], Done]) -> Done:
        """Run a cycle for a pull request, unless none may begin; those that follow know its outcome at once."""
        done = self._instead()
        if done is None:
            done = run(number)
            self._heed(done)
        return done

    def _heed(self, done: Done) -> None:
        if done.wait_s is None:
            return
        until = float(round(time.time() + min(done.wait_s, _MAX_S)))
        with self._lock:
            if not self.left or until > self._until + _SAME_S:
                self._until, self._why = until, "; ".join(done.why)

    def _instead(self) -> Done | None:
        """Return the outcome of a cycle that must not begin, or None where it may."""
        left = self.left
        if not left:
            return None
        return Done(Outcome.WAITING.value, int(ExitCode.INCOMPLETE), (self._why,), wait_s=left)
