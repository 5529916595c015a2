"""How often: looks, repetitions, and whole readings of pull requests that seem to have no news."""

from __future__ import annotations

import hashlib

_SLOWEST = 5.0
_SLOWER = 1.5
LONGEST_WAIT_S = 3600.0
_SWEEP_S = (1800.0, 3600.0)
_BETWEEN_SWEEPS_S = 24.0


class Pace:
    """The interval between looks: stretched step by step up to five times while nothing happens."""

    def __init__(self) -> None:
        self._factor = 1.0

    def after(self, interval: float, *, idle: bool) -> float:
        """Return the seconds until the next look.

        Args:
            interval: As configured.
            idle: Whether the last look showed nothing new, and nothing is being answered.
        """
        self._factor = min(self._factor * _SLOWER, _SLOWEST) if idle else 1.0
        return interval * self._factor

    def hurry(self) -> None:
        """Go back to the interval as it is configured."""
        self._factor = 1.0


def wait_after(tries: int, interval: float) -> float:
    """Return the seconds until a cycle that did not come to its end is tried again.

    Args:
        tries: How often it was tried, from 1.
        interval: Between two looks.
    """
    return float(min(interval * 2 ** min(tries - 1, 16), LONGEST_WAIT_S))


def may_try(due: float, now: float) -> bool:
    """Whether something that was put off may be tried; a clock that was set back holds up nothing for ever."""
    return due <= now or due > now + LONGEST_WAIT_S


class Sweeps:
    """Says which pull requests are read whole although a look shows no news: each every 30 to 60 minutes, spread.

    A look does not show everything: not an older comment that was edited, and no thread that was settled. There is at
    most one such reading in 24 seconds on average, so that they take a small part of what a forge allows in an hour;
    with more than 75 pull requests, each comes later.
    """

    def __init__(self) -> None:
        self._left = 0.0
        self._at: float | None = None

    def begin(self, now: float) -> None:
        """Begin a look."""
        passed = _BETWEEN_SWEEPS_S if self._at is None else max(0.0, now - self._at)
        self._at = now
        self._left = min(self._left, 1.0) + passed / _BETWEEN_SWEEPS_S

    def take(self, number: int, swept: float, now: float) -> bool:
        """Whether a pull request is to be read whole now; it counts then."""
        if self._left < 1.0 or (swept <= now and now - swept < _period(number)):
            return False
        self._left -= 1.0
        return True


def _period(number: int) -> float:
    least, most = _SWEEP_S
    share = int.from_bytes(hashlib.sha256(b"%d" % number).digest()[:4], "big") / 2**32
    return least + (most - least) * share
