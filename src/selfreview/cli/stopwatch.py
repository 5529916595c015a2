"""Working time of a command, without the time in which it waits for a person's answer."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator


class Stopwatch:
    """A stopwatch that starts when it is created."""

    def __init__(self) -> None:
        self._begin = time.monotonic()

    @contextlib.contextmanager
    def paused(self) -> Iterator[None]:
        """Count nothing for as long as the context lasts."""
        since = time.monotonic()
        try:
            yield
        finally:
            self._begin += time.monotonic() - since

    @property
    def elapsed_ms(self) -> int:
        """Milliseconds of work so far."""
        return round((time.monotonic() - self._begin) * 1000)
