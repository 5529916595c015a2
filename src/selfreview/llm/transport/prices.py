"""Prices of models, estimated tokens of a text, and the estimated cost of a review."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from selfreview.api import Estimate
from selfreview.llm.transport.request import ModelRequest
from selfreview.model.usage import Usage


@dataclasses.dataclass(frozen=True, kw_only=True)
class Price:
    """US dollars per million tokens."""

    input: float
    output: float
    cache_read: float
    cache_write: float

    def of(self, usage: Usage) -> float:
        """Return the cost of some usage, in US dollars."""
        return (
            usage.input_tokens * self.input
            + usage.output_tokens * self.output
            + usage.cache_read_tokens * self.cache_read
            + usage.cache_write_tokens * self.cache_write
        ) / 1e6


def _price(given: Mapping[str, Any]) -> Price:
    """Return a price; cache reads cost a tenth of the input and cache writes a quarter more, unless given."""
    entry = float(given["input"])
    return Price(
        input=entry,
        output=float(given["output"]),
        cache_read=float(given.get("cache_read", entry * 0.1)),
        cache_write=float(given.get("cache_write", entry * 1.25)),
    )


_TABLE = {
    "claude-fable-5-2": {"input": 8.0, "output": 40.0},
    "claude-opus-5-5": {"input": 4.0, "output": 20.0},
    "claude-sonnet-5-5": {"input": 2.0, "output": 10.0},
}
"""Prices as of November 2026."""


def price_of(model: str, overrides: Mapping[str, Mapping[str, Any]]) -> Price | None:
    """Return a model's price, or None where it is not known.

    Args:
        model: The model's id, also as Bedrock and Vertex write it.
        overrides: By model: ``input``, ``output`` and perhaps ``cache_read`` and ``cache_write``.
    """
    if model in overrides:
        return _price(overrides[model])
    # "eu.anthropic.claude-sonnet-5-5-v1:0" and "claude-sonnet-5-5@20260901" are the same model.
    plain = model.rpartition("anthropic.")[2].partition("@")[0].partition("-v1")[0]
    return _price(_TABLE[plain]) if plain in _TABLE else None


def estimate_tokens(text: str) -> int:
    """Return an upper estimate of the tokens of code, rarely exceeded: two for every five bytes of UTF-8.

    Measured tokenizers take about three bytes of code for a token; symbols and other scripts take more tokens.
    """
    return -(-len(text.encode("utf-8", "surrogatepass")) * 2 // 5)


_ANSWER_TOKENS = 1_500
"""Tokens of a typical answer, thinking included."""


def estimate_review(requests: Sequence[ModelRequest], price_of: Callable[[str], Price | None]) -> Estimate:
    """Add up the requests that would be sent."""
    cost: float | None = 0.0
    sent = 0
    for request in requests:
        size = sum(map(estimate_tokens, request.texts))
        sent += size
        price = price_of(request.model)
        if cost is not None:
            cost = None if price is None else cost + (size * price.input + _ANSWER_TOKENS * price.output) / 1e6
    return Estimate(
        requests=len(requests), input_tokens=sent, output_tokens=len(requests) * _ANSWER_TOKENS, cost_usd=cost
    )
