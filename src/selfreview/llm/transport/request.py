"""Requests to a model, its responses and errors, and what tokens cost."""

from __future__ import annotations

import dataclasses
import enum
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

from selfreview.api import Estimate
from selfreview.errors import SelfreviewError, ToolError
from selfreview.llm.transport.fences import Words, random_words
from selfreview.model.usage import Outage, Usage


@dataclasses.dataclass(frozen=True, kw_only=True)
class ModelRequest:
    """Single question to a model. Everything in it is redacted already.

    Attributes:
        name: What it is about, for a person and for ``selfreview show --prompt`` (``"find:1/3"``).
        system: The fixed part, the same bytes for every request of a run, so that it is read from the cache.
        material: What the question is about; comes before it.
        user: The question.
        schema: JSON Schema of the answer.
        model: The model's id.
        again: Whether another request has the same material, so that it is worth keeping in the cache.
        effort: ``low`` to ``max`` as the service names it, or None for the model's own default.
        max_tokens: Most tokens that the answer may have.
        words: Stand before and behind all of it but the fixed part; the answer has to repeat them.
    """

    name: str
    system: str
    user: str
    schema: Mapping[str, Any]
    model: str
    max_tokens: int
    material: str = ""
    again: bool = False
    effort: str | None = None
    words: Words = dataclasses.field(default_factory=random_words)

    @property
    def texts(self) -> tuple[str, ...]:
        """Content of the request without the schema."""
        return (self.system, self.words.opening + self.material, self.user + self.words.closing)


@dataclasses.dataclass(frozen=True, kw_only=True)
class ModelAnswer:
    """Complete answer: the model ended its turn.

    Attributes:
        text: All text blocks, joined.
        usage: What this request cost, failed attempts included.
    """

    text: str
    usage: Usage


class Fault(enum.StrEnum):
    """Reason why there is no usable answer."""

    CREDENTIALS = "credentials"
    """401, or nothing to sign in with."""
    FORBIDDEN = "forbidden"
    """403."""
    NO_MODEL = "no_model"
    """404: the model or the endpoint does not exist."""
    SPENT = "spent"
    """402, or a spend limit."""
    BAD_REQUEST = "bad_request"
    """400 or 422 for another reason than its size."""
    TOO_LONG = "too_long"
    """The request does not fit the model's window, or 413: a smaller task may."""
    CUT_OFF = "cut_off"
    """``max_tokens``: a larger limit or a smaller task may help."""
    REFUSED = "refused"
    """``refusal``."""
    GARBAGE = "garbage"
    """An answer that is not what was asked for, empty ones included."""
    UNAVAILABLE = "unavailable"
    """429, 5xx, 529, a broken or silent connection, after all retries; or a wait longer than the deadline allows."""
    LATER = "later"
    """The server asks to wait for longer than makes sense."""
    DEADLINE = "deadline"
    """The deadline has passed."""
    BUDGET = "budget"
    """The request would have exceeded the budget; nothing was sent."""
    UNASKED = "unasked"
    """The question could not be made; nothing was sent."""
    CANCELLED = "cancelled"
    """The run was interrupted."""


class ModelError(ToolError):
    """Error of a model that gave no usable answer.

    Args:
        fault: Why.
        message: One line for a person.
        hint: What to do about it, or None.
        usage: What the attempts cost.
        outage: Why the model could not be asked, or None.
    """

    def __init__(
        self,
        fault: Fault,
        message: str,
        *,
        hint: str | None = None,
        usage: Usage | None = None,
        outage: Outage | None = None,
    ) -> None:
        super().__init__(message, hint=hint)
        self.outage = outage
        self.fault = fault
        self.usage = usage if usage is not None else Usage()


def unasked(error: SelfreviewError) -> ModelError:
    """Return the error of a question that could not be made."""
    return error if isinstance(error, ModelError) else ModelError(Fault.UNASKED, error.message, hint=error.hint)


class ModelClient(Protocol):
    """Client that sends requests; called from several threads."""

    def send(self, request: ModelRequest, again: Callable[[Usage], None] | None = None) -> ModelAnswer:
        """Send one request and wait for the whole answer, retrying what is worth it until the deadline.

        Args:
            request: What is asked.
            again: Called with what was spent before the request is sent once more; may refuse by raising.

        Raises:
            ModelError: If there is no complete answer.
        """

    def cancel(self) -> None:
        """Make every :meth:`send` that is waiting, and every later one, end with ``Fault.CANCELLED``."""


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
