"""One question to a model, until there is an answer that can be used, or a reason why there is none."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Generic, TypeVar

from selfreview.llm.budget import Budget
from selfreview.llm.request import Client, Fault, ModelError, Request
from selfreview.model.result import Usage

T = TypeVar("T")

_MOST_ANSWER_TOKENS = 64_000


@dataclasses.dataclass(frozen=True, kw_only=True)
class Asked(Generic[T]):
    """Outcome of one question.

    Attributes:
        value: What was understood, or None.
        error: Why there is nothing.
        usage: What it cost.
    """

    value: T | None
    error: ModelError | None
    usage: Usage


def ask(request: Request, understand: Callable[[str], T], client: Client, budget: Budget) -> Asked[T]:
    """Send a request and parse its answer; an answer that cannot be used is asked for once more.

    Args:
        request: The question.
        understand: Turns the answer's text into a value, or raises :class:`ModelError`.
        client: Sends it.
        budget: What may be spent.
    """
    usage = Usage()
    left = {Fault.GARBAGE: 1, Fault.CUT_OFF: 1}
    while True:
        try:
            text = _send(request, client, budget, usage)
            return Asked(value=understand(text), error=None, usage=usage)
        except ModelError as error:
            if not left.get(error.fault):
                return Asked(value=None, error=error, usage=usage)
            left[error.fault] -= 1
            if error.fault is Fault.CUT_OFF:
                larger = min(request.max_tokens * 2, _MOST_ANSWER_TOKENS)
                if larger <= request.max_tokens:
                    return Asked(value=None, error=error, usage=usage)  # it would be cut off again
                request = dataclasses.replace(request, max_tokens=larger)


def _send(request: Request, client: Client, budget: Budget, usage: Usage) -> str:
    """Send within the budget, and add the usage to ``usage``, whether it succeeded or not."""
    reservation = budget.reserve(request)
    spent = Usage()
    try:
        answer = client.send(request, lambda so_far: budget.again(reservation, so_far))
    except ModelError as error:
        spent = error.usage
        raise
    else:
        spent = answer.usage
        return answer.text
    finally:
        budget.settle(reservation, spent)
        usage.add(spent)
