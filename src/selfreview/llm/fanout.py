"""Ask many questions: one first, so that the rest read the shared prefix from the cache, then several at once."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

Q = TypeVar("Q")
A = TypeVar("A")


class Fanout:
    """Runs the questions of one review.

    Args:
        concurrency: How many at once.
    """

    def __init__(self, concurrency: int) -> None:
        self._concurrency = max(1, concurrency)
        self._warm = threading.Event()

    def run(self, questions: Sequence[Q], answer: Callable[[Q], A]) -> list[A]:
        """Answer all questions, and return the answers in the same order.

        The very first question of this object is answered alone.

        Args:
            questions: What to ask.
            answer: Called once with each, from several threads; what it raises is raised here.
        """
        rest = list(questions)
        done: list[A] = []
        if rest and not self._warm.is_set():
            done.append(answer(rest.pop(0)))
            self._warm.set()
        if not rest:
            return done
        with ThreadPoolExecutor(max_workers=self._concurrency, thread_name_prefix="selfreview-model") as pool:
            return [*done, *pool.map(answer, rest)]
