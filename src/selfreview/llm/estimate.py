"""Estimate of a review's requests and cost before anything is sent."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from selfreview.api import Estimate
from selfreview.llm.prices import Price
from selfreview.llm.request import Request
from selfreview.llm.tokens import estimate as tokens

_ANSWER_TOKENS = 1_500
"""Tokens of a typical answer, thinking included."""


def estimate(requests: Sequence[Request], price_of: Callable[[str], Price | None]) -> Estimate:
    """Add up the requests that would be sent."""
    cost: float | None = 0.0
    sent = 0
    for request in requests:
        size = sum(map(tokens, request.texts))
        sent += size
        price = price_of(request.model)
        if cost is not None:
            cost = None if price is None else cost + (size * price.input + _ANSWER_TOKENS * price.output) / 1e6
    return Estimate(
        requests=len(requests), input_tokens=sent, output_tokens=len(requests) * _ANSWER_TOKENS, cost_usd=cost
    )
