"""Remaining rate limits of a forge, by the headers of its answers."""

from __future__ import annotations

import threading
from collections.abc import Mapping

from selfreview.api import RateLimit
from selfreview.forges._http.limits import left_of


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
