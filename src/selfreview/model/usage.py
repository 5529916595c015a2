"""Requests, tokens and cost of models, and why one could not be asked."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec


class Usage(msgspec.Struct, kw_only=True, rename="camel", gc=False):
    """Requests to models, their tokens, and their cost.

    Attributes:
        requests: How many were sent.
        input_tokens: Tokens that were sent and neither read from nor written to a cache.
        cache_read_tokens, cache_write_tokens: Tokens that were read from a cache, and written to one.
        output_tokens: Tokens of the answers, thinking included.
        cost_usd: US dollars, what has no known price not counted: 0 may mean that no price is known.
    """

    requests: int = 0
    input_tokens: int = 0
    cache_read_tokens: int = 0
    cache_write_tokens: int = 0
    output_tokens: int = 0
    cost_usd: float = 0.0

    @classmethod
    def total(cls, usages: Iterable[Usage]) -> Usage:
        """Return the sum of several."""
        total = cls()
        for usage in usages:
            total.add(usage)
        return total

    def add(self, other: Usage) -> None:
        """Add another usage."""
        for name in self.__struct_fields__:
            setattr(self, name, getattr(self, name) + getattr(other, name))


class Outage(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """A model that could not be asked for now: that is nobody's fault, and passes.

    Attributes:
        quota: Whether a quota or a limit of the rate is used up; else the service cannot be reached, or lets nobody in.
        wait_s: Seconds until it is worth to ask again, where the service says so, or None.
    """

    quota: bool = False
    wait_s: float | None = None
