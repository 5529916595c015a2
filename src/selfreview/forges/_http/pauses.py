"""Pauses that a forge asked for, one per token and resource, kept by all who use the token."""

from __future__ import annotations

import dataclasses
import functools
import hashlib
import threading

from selfreview.forges._http.limits import LEAST_S, MOST_S, Limit

_EVERYTHING = "*"


@dataclasses.dataclass
class _Pause:
    until: float = 0.0
    strikes: int = 0


class Pauses:
    """Pauses by token and resource, with their ends."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._pauses: dict[tuple[str, str], _Pause] = {}

    def left(self, owner: str, resource: str, now: float) -> float:
        """Return the seconds until a resource may be used again; 0 where it may."""
        with self._lock:
            known = (self._pauses.get((owner, name)) for name in (_EVERYTHING, resource))
            return max((pause.until - now for pause in known if pause is not None), default=0.0)

    def hit(self, owner: str, resource: str, limit: Limit, *, sent: float, now: float) -> float:
        """Record a limit, and return the seconds of its pause.

        Args:
            owner: Whose limit it is.
            resource: What was used.
            limit: What the forge said.
            sent: When the request was sent: one from before the pause began says nothing new.
            now: The present.
        """
        with self._lock:
            pause = self._pauses.setdefault((owner, _EVERYTHING if limit.everything else resource), _Pause())
            if limit.wait_s is not None:
                pause.until = max(pause.until, now + limit.wait_s)
            elif sent >= pause.until:
                pause.until = now + min(LEAST_S * 2.0**pause.strikes, MOST_S)
                pause.strikes = min(pause.strikes + 1, 20)
            return max(pause.until - now, 0.0)

    def well(self, owner: str, resource: str, sent: float) -> None:
        """Reset the count of limits hit: a request that was sent after the pause succeeded."""
        with self._lock:
            for name in (_EVERYTHING, resource):
                pause = self._pauses.get((owner, name))
                if pause is not None and sent >= pause.until:
                    del self._pauses[owner, name]


def owner_of(endpoint: str, token: str) -> str:
    """Return a name for a token at an endpoint, which does not reveal the token."""
    return hashlib.sha256(f"{endpoint}\0{token}".encode("utf-8", "surrogatepass")).hexdigest()


@functools.cache
def pauses_of_process() -> Pauses:
    """Return the pauses of this whole process: limits count for a token, however many connections use it."""
    return Pauses()
