"""What a review would take, told before anything is sent."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import msgspec

from selfreview.llm.prices import Price
from selfreview.llm.request import Request
from selfreview.llm.tokens import estimate as tokens

_ANSWER_TOKENS = 1_500
"""Tokens of a usual answer, thinking included."""


class Estimate(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """What the finders of a review would take; verification comes on top and depends on what they find.

    Attributes:
        requests: How many.
        input_tokens: Tokens that are sent, the shared part counted each time.
        output_tokens: Tokens of usual answers.
        cost_usd: US dollars, or None where the model's price is not known.
    """

    requests: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cost_usd: float | None = 0.0


def estimate(requests: Sequence[Request], price_of: Callable[[str], Price | None]) -> Estimate:
    """Add up requests that would be sent."""
    cost: float | None = 0.0
    sent = 0
    for request in requests:
        size = tokens(request.system) + tokens(request.user)
        sent += size
        price = price_of(request.model)
        if cost is not None:
            cost = None if price is None else cost + (size * price.input + _ANSWER_TOKENS * price.output) / 1e6
    return Estimate(
        requests=len(requests), input_tokens=sent, output_tokens=len(requests) * _ANSWER_TOKENS, cost_usd=cost
    )
