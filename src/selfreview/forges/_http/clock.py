"""Clock of HTTP calls, replaceable so that tests need not wait."""

from __future__ import annotations

import time
from typing import Protocol


class Clock(Protocol):
    """Clock that gives the time and sleeps."""

    def now(self) -> float:
        """Return seconds since some moment; never goes back."""

    def wall(self) -> float:
        """Return the seconds since 1970, by this machine's clock."""

    def sleep(self, seconds: float) -> None:
        """Let time pass."""


class RealClock:
    """Clock of this machine."""

    def now(self) -> float:
        """Return the monotonic clock's seconds."""
        return time.monotonic()

    def wall(self) -> float:
        """Return the seconds since 1970."""
        return time.time()

    def sleep(self, seconds: float) -> None:
        """Wait."""
        time.sleep(seconds)
