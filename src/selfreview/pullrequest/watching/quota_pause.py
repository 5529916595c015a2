"""Hold on fix cycles while the quota of a model or an agent is used up, or the forge asks to pause.

Each would only find that out again.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

from selfreview.errors import ExitCode
from selfreview.pullrequest.ports import Outcome
from selfreview.pullrequest.watching.ports import Done, Tell
from selfreview.store.store import Store

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
