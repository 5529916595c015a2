"""Prices and budget from the configuration."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from selfreview.api.config import ConfigView
from selfreview.llm.budget import Budget
from selfreview.llm.prices import Price, price_of


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
