"""Concurrent questions: first a single question, so that the rest read the shared prefix from the cache."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

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
