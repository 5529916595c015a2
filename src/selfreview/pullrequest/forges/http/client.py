"""HTTP client of a forge's API for one token."""

from __future__ import annotations

import random
import threading
from collections.abc import Mapping

from selfreview.api import RateLimit
from selfreview.pullrequest.forges.http.call import Call, Etags
from selfreview.pullrequest.forges.http.limits import Pauses, left_of, owner_of
from selfreview.pullrequest.forges.http.wire import Clock, Service, Wire


class Meter:
    """Remaining rate limit of each resource; may be used by several threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._known: dict[str, tuple[int, int, float]] = {}

    def note(self, resource: str, headers: Mapping[str, str], *, now: float, wall: float) -> None:
        """Record the rate limit in an answer's headers.

        Args:
            resource: What was used, where the answer does not name it.
            headers: By lower-case name.
            now: Monotonic seconds.
            wall: This machine's seconds since 1970, for an answer without ``Date``.
        """
        found = left_of(headers, wall)
        if found is not None:
            limit, remaining, reset_s = found
            with self._lock:
                self._known[headers.get("x-ratelimit-resource") or resource] = (limit, remaining, now + reset_s)

    def scarcest(self, now: float) -> RateLimit | None:
        """Return the rate limit with the smallest remaining share; None where no limit is known.

        Args:
            now: Monotonic seconds.
        """
        with self._lock:
            # One that was renewed since is whole, as far as is known.
            known = [
                RateLimit(limit, remaining if now < until else limit, max(0.0, until - now))
                for limit, remaining, until in self._known.values()
            ]
        return min(known, key=lambda one: one.share, default=None)


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
