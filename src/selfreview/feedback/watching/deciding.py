"""Decisions of the watcher after a look at pull requests."""

from __future__ import annotations

import enum
from collections.abc import Collection, Iterator, Mapping
from typing import NamedTuple

from selfreview.feedback.watching.pace import Sweeps, may_try
from selfreview.feedback.watching.ports import Job
from selfreview.model.feedback import RequestState, Sighting
from selfreview.store.watched import Watched


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


def put_off(sightings: Mapping[int, Sighting], rows: Mapping[int, Watched], now: float) -> list[int]:
    """Return the numbers of open pull requests whose news wait for a later try.

    Args:
        sightings: What a look showed.
        rows: What is known.
        now: Seconds since 1970.
    """
    found = []
    for number, seen in sorted(sightings.items()):
        row = rows.get(number)
        news = row is not None and seen.mark != row.done and seen.mark == row.tried
        if row is not None and news and seen.state is RequestState.OPEN and not may_try(row.due, now):
            found.append(number)
    return found


def decide(
    sightings: Mapping[int, Sighting],
    rows: Mapping[int, Watched],
    *,
    busy: Collection[int],
    auto: bool,
    now: float,
    hinted: Collection[int] = (),
    sweeps: Sweeps | None = None,
) -> Iterator[Step]:
    """Yield the decisions about pull requests.

    Args:
        sightings: What a look showed.
        rows: What is known.
        busy: Numbers that a cycle is under way for.
        auto: Whether feedback is answered.
        now: Seconds since 1970.
        hinted: Numbers that the forge says there is something new about.
        sweeps: Says which are read whole without news; None: none.
    """
    for number, seen in sorted(sightings.items()):
        if seen.state is not RequestState.OPEN or number in busy:
            continue
        row = rows.get(number) or Watched(number, swept=now)
        if not auto:
            if seen.mark not in (row.told, row.done):
                yield Step(row, seen.mark, Why.NEWS, fix=False)
        elif number in hinted:
            yield Step(row, seen.mark, Why.HINT, fix=True)
        elif seen.mark != row.done:
            known = seen.mark == row.tried
            if not known or may_try(row.due, now):
                yield Step(row, seen.mark, Why.AGAIN if known else Why.NEWS, fix=True)
        elif sweeps is not None and sweeps.take(number, row.swept, now):
            yield Step(row, seen.mark, Why.SWEEP, fix=True)
