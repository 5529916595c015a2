"""Questions to a model: one until it has a usable answer, many at once, and when to stop asking."""

from __future__ import annotations

import dataclasses
import functools
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Generic, TypeVar

from selfreview.llm.transport.budget import Budget
from selfreview.llm.transport.request import Fault, ModelClient, ModelError, ModelRequest
from selfreview.model.usage import Usage

T = TypeVar("T")

_MAX_ANSWER_TOKENS = 64_000


@dataclasses.dataclass(frozen=True, kw_only=True)
class Asked(Generic[T]):
    """Outcome of one question.

    Attributes:
        value: What was understood, or None.
        error: Why there is nothing.
        usage: What it cost.
    """

    value: T | None
    error: ModelError | None
    usage: Usage


def ask(request: ModelRequest, understand: Callable[[str], T], client: ModelClient, budget: Budget) -> Asked[T]:
    """Send a request and parse its answer; an answer that cannot be used is asked for once more.

    Args:
        request: The question.
        understand: Turns the answer's text into a value, or raises :class:`ModelError`.
        client: Sends it.
        budget: What may be spent.
    """
    usage = Usage()
    left = {Fault.GARBAGE: 1, Fault.CUT_OFF: 1}
    while True:
        try:
            answer = budget.pay(request, functools.partial(client.send, request), usage)
            return Asked(value=understand(answer.text), error=None, usage=usage)
        except ModelError as error:
            if not left.get(error.fault):
                return Asked(value=None, error=error, usage=usage)
            left[error.fault] -= 1
            if error.fault is Fault.CUT_OFF:
                larger = min(request.max_tokens * 2, _MAX_ANSWER_TOKENS)
                if larger <= request.max_tokens:
                    return Asked(value=None, error=error, usage=usage)  # it would be cut off again
                request = dataclasses.replace(request, max_tokens=larger)


_FOR_ALL = frozenset({Fault.CREDENTIALS, Fault.FORBIDDEN, Fault.NO_MODEL, Fault.SPENT, Fault.LATER, Fault.CANCELLED})
"""Faults that every further request would meet as well."""
_MAX_IN_A_ROW = 2
"""Maximum questions in a row that used up their attempts; or that were the first, and each refused as a bad request."""


class FaultTracker:
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
            hopeless = self._unavailable >= _MAX_IN_A_ROW or (self._refused >= _MAX_IN_A_ROW and not self._answered)
            if self._why is None and (fault in _FOR_ALL or hopeless):
                self._why = error


def is_doubtful(error: ModelError | None) -> bool:
    """Return whether another question may well meet the same fault, so that it is better asked alone."""
    return error is not None and error.fault in (Fault.UNAVAILABLE, Fault.BAD_REQUEST)


Q = TypeVar("Q")
A = TypeVar("A")


class Fanout:
    """Concurrent questions with the same model and schema, and so the prefix that the service caches.

    Args:
        concurrency: How many at once.
    """

    def __init__(self, concurrency: int) -> None:
        self._concurrency = max(1, concurrency)

    def run(
        self, questions: Sequence[Q], answer: Callable[[Q], A], alone: Callable[[A], bool] = lambda _: False
    ) -> list[A]:
        """Answer all questions, the first of them alone, and return the answers in the same order.

        Args:
            questions: What to ask.
            answer: Called once with each, from several threads; what it raises is raised here.
            alone: Whether the next question goes alone too, after the answers until then.
        """
        done: list[A] = []
        for question in questions:
            done.append(answer(question))
            if not alone(done[-1]):
                break
        rest = questions[len(done) :]
        if not rest:
            return done
        with ThreadPoolExecutor(max_workers=self._concurrency, thread_name_prefix="selfreview-model") as pool:
            return [*done, *pool.map(answer, rest)]
