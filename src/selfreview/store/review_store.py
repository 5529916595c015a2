"""Store for a review: a review that cannot be stored is still valid."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

from selfreview.errors import StoreError
from selfreview.model.result import Result, ResultStatus
from selfreview.model.session import Event
from selfreview.store.store import Store

T = TypeVar("T")


class ReviewStore:
    """Everything a review keeps. Nothing here raises a ``StoreError``: the first one ends the use of the store and is
    reported in :attr:`warnings`. Safe for threads.

    Args:
        store: The store, which the caller closes; None outside of a repository: nothing is kept.

    Attributes:
        cache: Findings by key.
    """

    def __init__(self, store: Store | None) -> None:
        self._store = store
        self._failures: list[StoreError] = []
        self.cache = ReviewCache(self)

    @property
    def warnings(self) -> tuple[str, ...]:
        """Warnings that a person must be shown once the review is over."""
        noted = self._store.warnings if self._store is not None else ()
        return (*noted, *(f"the review is not remembered: {_both(failure)}" for failure in self._failures[:1]))

    def add_result(self, result: Result) -> str | None:
        """Keep a result and set its ``run_id``; return that, or None where it is not kept.

        That a part of the branch holds nothing to review, as hooks often find, is not worth remembering.
        """
        whole = result.scope is not None and result.scope.whole
        if result.status is ResultStatus.NOTHING_TO_REVIEW and not whole:
            return None
        return self.attempt(lambda store: store.add_result(result), None)

    def add_event(self, event: Event) -> None:
        """Append an event."""
        self.attempt(lambda store: store.add_event(event), None)

    def attempt(self, operation: Callable[[Store], T], default: T) -> T:
        """Run an operation of the store; return ``default`` where there is none or it fails."""
        if self._store is None or self._failures:
            return default
        try:
            return operation(self._store)
        except StoreError as error:
            self._failures.append(error)
            return default


def _both(failure: StoreError) -> str:
    """Return the message and the hint of an error."""
    return failure.message + (f" ({failure.hint})" if failure.hint else "")


class ReviewCache:
    """Cache of a :class:`ReviewStore`; without a store it is empty."""

    def __init__(self, owner: ReviewStore) -> None:
        self._owner = owner

    def get_many(self, keys: Sequence[bytes]) -> dict[bytes, bytes]:
        """Return the values of those keys that are there."""
        return self._owner.attempt(lambda store: store.cache.get_many(keys), {})

    def put_many(self, entries: Mapping[bytes, bytes]) -> None:
        """Keep values."""
        self._owner.attempt(lambda store: store.cache.put_many(entries), None)
