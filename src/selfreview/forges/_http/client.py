"""HTTP client of a forge's API for one token."""

from __future__ import annotations

import random
import threading

from selfreview.forges._http.call import Call
from selfreview.forges._http.clock import Clock
from selfreview.forges._http.etags import Etags
from selfreview.forges._http.meter import Meter
from selfreview.forges._http.pauses import Pauses, owner_of
from selfreview.forges._http.service import Service
from selfreview.forges._http.wire import Wire


class Client:
    """Creates calls, each with a deadline of its own.

    Args:
        service: Where.
        token: With what.
        clock: What time is told by.
        pauses: Where limits are remembered.
        timeout_s: Seconds that one call may take, waiting included.
    """

    def __init__(self, service: Service, token: str, *, clock: Clock, pauses: Pauses, timeout_s: float) -> None:
        self.service = service
        self.clock = clock
        self.pauses = pauses
        self.owner = owner_of(service.rest, token)
        self.wire = Wire(service, token, clock)
        self.etags = Etags()
        self.meter = Meter()
        self.random = random.Random()  # noqa: S311 - spreads clients
        self._timeout_s = timeout_s
        self._moved: tuple[str, str] | None = None
        self._lock = threading.Lock()

    def __repr__(self) -> str:
        return f"Client({self.service.rest!r})"

    def call(self) -> Call:
        """Begin a call of one or more requests."""
        return Call(self, self._timeout_s)

    def close(self) -> None:
        """Close the connections."""
        self.wire.close()

    @property
    def moved(self) -> bool:
        """Return whether the forge reported that a requested resource has moved."""
        return self._moved is not None

    def note_move(self, old: str, new: str) -> None:
        """Remember that everything below one path has moved below another."""
        with self._lock:
            self._moved = (old, new)

    def place(self, path: str) -> str:
        """Return the current location of a path."""
        with self._lock:
            if self._moved is None:
                return path
            old, new = self._moved
        below = path.removeprefix(old)
        return new + below if path.startswith(old) and (not below or below[0] in "/?") else path
