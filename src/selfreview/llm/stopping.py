"""Decision to stop asking a server, when no further question can succeed."""

from __future__ import annotations

import threading

from selfreview.llm.request import Fault, ModelError

_FOR_ALL = frozenset({Fault.CREDENTIALS, Fault.FORBIDDEN, Fault.NO_MODEL, Fault.SPENT, Fault.LATER, Fault.CANCELLED})
"""Faults that every further request would meet as well."""
_MOST = 2
"""Maximum questions in a row that used up their attempts; or that were the first, and each refused as a bad request."""


class Stop:
    """Record of a model's faults that decides whether to go on asking it; used from several threads.

    Args:
        why: Why nothing can be asked from the start, or None.
    """

    def __init__(self, why: ModelError | None = None) -> None:
        self._lock = threading.Lock()
        self._why = why
        self._answered = False
        self._unavailable = self._refused = 0

    @property
    def why(self) -> ModelError | None:
        """Error because of which nothing more is asked, or None."""
        return self._why

    def take(self, error: ModelError | None) -> None:
        """Record the error of a question; None where it was answered."""
        fault = error.fault if error is not None else None
        with self._lock:
            self._unavailable = self._unavailable + 1 if fault is Fault.UNAVAILABLE else 0
            self._refused += fault is Fault.BAD_REQUEST
            self._answered |= error is None
            # What a server refuses may be one request, for what stands in it; of the first few it may be all.
            hopeless = self._unavailable >= _MOST or (self._refused >= _MOST and not self._answered)
            if self._why is None and (fault in _FOR_ALL or hopeless):
                self._why = error


def is_doubtful(error: ModelError | None) -> bool:
    """Return whether another question may well meet the same fault, so that it is better asked alone."""
    return error is not None and error.fault in (Fault.UNAVAILABLE, Fault.BAD_REQUEST)
