"""Hints that a pull request has news: several in a row count as one, and none counts twice."""

from __future__ import annotations

import threading
from collections.abc import Container
from typing import NamedTuple

QUIET_S = 3.0
_LONGEST_S = 20.0
MAX_PENDING = 10_000
_LOST_S = 60.0
ECHOES_S = (10.0, 30.0, 60.0)
"""Seconds after which a pull request is looked at again when a hint led to nothing new: a forge may send a hint
before its own answers show what it is about."""


class _Pending(NamedTuple):
    first: float
    last: float
    ids: tuple[str, ...]


class Hints:
    """Pending hints about pull requests; may be used by several threads."""

    def __init__(self, quiet_s: float = QUIET_S) -> None:
        self._quiet_s = quiet_s
        self._lock = threading.Lock()
        self._pending: dict[int, _Pending] = {}
        self._ids: set[str] = set()
        self._taken: dict[int, set[str]] = {}
        self._echoes: dict[int, tuple[float, int]] = {}
        self._lost = 0
        self._lost_told = 0.0

    def add(self, number: int, name: str, now: float) -> bool:
        """Add a hint; return whether it is new."""
        with self._lock:
            if name in self._ids:
                return False
            if len(self._ids) >= MAX_PENDING:  # the next poll finds what is not taken
                self._lost += 1
                return False
            self._ids.add(name)
            known = self._pending.get(number)
            ids = (*(known.ids if known else ()), name)
            self._pending[number] = _Pending(known.first if known else now, max(known.last, now) if known else now, ids)
            return True

    def lost(self, now: float) -> int:
        """Return the number of hints dropped since the last report because too many wait; at most once a minute."""
        with self._lock:
            if not self._lost or (self._lost_told and now - self._lost_told < _LOST_S):
                return 0
            lost, self._lost, self._lost_told = self._lost, 0, now
            return lost

    def ripe(self, now: float, busy: Container[int] = ()) -> list[int]:
        """Return the pull requests that may be looked at now, and mark them as being looked at.

        Args:
            now: Monotonic seconds.
            busy: Numbers that wait on: what is under way for them began before they were hinted at.
        """
        with self._lock:
            found = []
            for number, pending in list(self._pending.items()):
                quiet = now - pending.last >= self._quiet_s or now - pending.first >= _LONGEST_S
                if quiet and number not in busy:
                    del self._pending[number]
                    self._taken.setdefault(number, set()).update(pending.ids)
                    found.append(number)
            return found

    def back(self, number: int, now: float) -> None:
        """Requeue a pull request that could not be looked at.

        Args:
            number: Its.
            now: As if it were hinted at then, in monotonic seconds: more hints do not hurry it.
        """
        with self._lock:
            taken = self._taken.pop(number, set())
            known = self._pending.get(number)
            ids = (*sorted(taken), *(known.ids if known else ()))
            if ids:
                self._pending[number] = _Pending(known.first if known else now, now, ids)

    def finish(self, number: int) -> list[str]:
        """Return the names of the hints that led to the current action, and forget them."""
        with self._lock:
            names = self._taken.pop(number, set())
            self._ids -= names
            return sorted(names)

    def echo(self, number: int, now: float) -> None:
        """Schedule some more looks at a pull request."""
        with self._lock:
            self._echoes[number] = (now + ECHOES_S[0], 0)

    def no_echo(self, number: int) -> None:
        """Cancel further looks at a pull request: it had news."""
        with self._lock:
            self._echoes.pop(number, None)

    def echoes(self, now: float) -> list[int]:
        """Return the pull requests that are due for another look now."""
        with self._lock:
            found = []
            for number, (due, step) in list(self._echoes.items()):
                if due <= now:
                    found.append(number)
                    if step + 1 < len(ECHOES_S):
                        self._echoes[number] = (now + ECHOES_S[step + 1], step + 1)
                    else:
                        del self._echoes[number]
            return found
