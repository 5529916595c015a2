"""Token and cost limits of a review, from the configuration. Nothing is sent that might exceed them."""

from __future__ import annotations

import dataclasses
import json
import threading
from collections.abc import Callable, Iterable
from typing import TypeVar

from selfreview.api.config import ConfigView
from selfreview.llm.transport.fences import counted
from selfreview.llm.transport.messages import ModelMessage, Turn
from selfreview.llm.transport.request import (
    Fault,
    ModelAnswer,
    ModelError,
    ModelRequest,
    Price,
    estimate_tokens,
    price_of,
)
from selfreview.model.usage import Usage

Sendable = ModelRequest | Turn
Reply = TypeVar("Reply", ModelAnswer, ModelMessage)
Again = Callable[[Usage], None]
"""Function that is called with what was spent before a request is sent once more; refuses by raising."""


@dataclasses.dataclass(frozen=True, eq=False)
class Reservation:
    """Maximum cost of a request, set aside until its actual cost is known.

    Attributes:
        tokens: Input and the longest answer.
        cost_usd: US dollars; 0 where the price is not known.
        price: Of the request's model.
    """

    tokens: int
    cost_usd: float
    price: Price | None


class Budget:
    """Budget of a run: counts the spent and reserved tokens and cost; used from several threads.

    Args:
        max_tokens: Most tokens, those of the cache and of answers included; None for no limit.
        max_cost_usd: Most US dollars; None for no limit.
        price: Returns a model's price, or None where it is not known.
        what: What is paid for, in messages.
    """

    def __init__(
        self,
        max_tokens: int | None,
        max_cost_usd: float | None,
        price: Callable[[str], Price | None],
        what: str = "the review",
    ) -> None:
        self._what = what
        self._max_tokens = max_tokens
        self._max_cost_usd = max_cost_usd
        self._price = price
        self._changed = threading.Condition()
        self._open: set[Reservation] = set()
        self._spent = Usage()

    @property
    def spent(self) -> Usage:
        """Usage of the finished requests, as a copy."""
        with self._changed:
            copy = Usage()
            copy.add(self._spent)
            return copy

    def pay(self, request: Sendable, send: Callable[[Again], Reply], usage: Usage) -> Reply:
        """Send a request within the budget.

        Args:
            request: The request.
            send: Sends it.
            usage: The cost is added to it, whether an answer came or not.

        Raises:
            ModelError: ``Fault.BUDGET``, as of :meth:`reserve`, or what ``send`` raises.
        """
        reservation = self.reserve(request)
        spent = Usage()
        try:
            reply = send(lambda so_far: self.again(reservation, so_far))
        except ModelError as error:
            spent = error.usage
            raise
        else:
            spent = reply.usage
            return reply
        finally:
            self.record(reservation, spent)
            usage.add(spent)

    def reserve(self, request: Sendable) -> Reservation:
        """Reserve the maximum cost of a request.

        Where only requests that are under way stand against it, their end is waited for: they usually cost less.

        Raises:
            ModelError: ``Fault.BUDGET``, if the limit might be exceeded, or if it is one of money and the model's
                price is not known.
        """
        sent = sum(map(estimate_tokens, (*request.texts, json.dumps(dict(request.schema)))))
        price = self._price(request.model)
        if price is None and self._max_cost_usd is not None:
            raise ModelError(
                Fault.BUDGET,
                f"the price of {request.model} is not known, so claude.max_cost_usd cannot be kept",
                hint=f'set claude.prices."{request.model}", or claude.max_cost_usd to 0',
            )
        # Everything that is sent may have to be written to the cache, which costs more than to read it.
        cost = 0.0
        if price is not None:
            cost = (sent * max(price.input, price.cache_write) + request.max_tokens * price.output) / 1e6
        reservation = Reservation(sent + request.max_tokens, cost, price)
        with self._changed:
            self._check([reservation])
            while self._open and not self._fits([*self._open, reservation]):
                self._changed.wait()
                self._check([reservation])
            self._open.add(reservation)
        return reservation

    def again(self, reservation: Reservation, spent: Usage) -> None:
        """Ask whether a request may be sent once more.

        Args:
            reservation: What was set aside for one attempt.
            spent: What its attempts cost until now.

        Raises:
            ModelError: ``Fault.BUDGET``, if the limit might be exceeded.
        """
        cost = reservation.price.of(spent) if reservation.price is not None else 0.0
        with self._changed:
            others = [other for other in self._open if other is not reservation]
            self._check([*others, reservation, Reservation(_tokens(spent), cost, None)])

    def record(self, reservation: Reservation, usage: Usage) -> None:
        """Replace a reservation by the actual usage; fills in ``usage.cost_usd``."""
        if reservation.price is not None:
            usage.cost_usd = reservation.price.of(usage)
        with self._changed:
            self._open.discard(reservation)
            self._spent.add(usage)
            self._changed.notify_all()

    def _sums(self, more: Iterable[Reservation]) -> tuple[int, float]:
        """Return the tokens and US dollars spent, with some more added."""
        parts = list(more)
        tokens = _tokens(self._spent) + sum(part.tokens for part in parts)
        return tokens, self._spent.cost_usd + sum(part.cost_usd for part in parts)

    def _fits(self, more: Iterable[Reservation]) -> bool:
        tokens, cost = self._sums(more)
        return not (
            (self._max_tokens is not None and tokens > self._max_tokens)
            or (self._max_cost_usd is not None and cost > self._max_cost_usd)
        )

    def _check(self, more: Iterable[Reservation]) -> None:
        """Raise where a request exceeds the budget."""
        tokens, cost = self._sums(more)
        if self._max_tokens is not None and tokens > self._max_tokens:
            raise ModelError(
                Fault.BUDGET,
                f"{self._what} might take more than {self._max_tokens:,} tokens",
                hint="raise claude.max_tokens_total, or review a smaller change",
            )
        if self._max_cost_usd is not None and cost > self._max_cost_usd:
            raise ModelError(
                Fault.BUDGET,
                f"{self._what} might cost more than ${self._max_cost_usd:.2f}",
                hint="raise claude.max_cost_usd, or review a smaller change",
            )


def _tokens(usage: Usage) -> int:
    return counted(usage) + usage.output_tokens


def prices_of(config: ConfigView) -> Callable[[str], Price | None]:
    """Return a function that returns the price of a model, or None where it is not known."""
    return lambda model: price_of(model, config.table("claude.prices"))


def budget_of(config: ConfigView, models: Iterable[str], what: str) -> Budget:
    """Return a budget under ``claude.max_tokens_total`` and ``claude.max_cost_usd``.

    Args:
        config: The configuration.
        models: The models that will be asked.
        what: What is paid for, in messages.
    """
    price = prices_of(config)
    most_tokens, most_usd = config["claude.max_tokens_total"], config["claude.max_cost_usd"]
    known = all(price(model) is not None for model in models)
    if not known and config["claude.base_url"] and config.origin("claude.max_cost_usd") == "default":
        most_usd = 0  # a server of the person's own, whose models have no price that we could know
    return Budget(most_tokens or None, most_usd or None, price, what)
