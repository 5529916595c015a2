"""Budgets and prices."""

from __future__ import annotations

import threading
from concurrent.futures import Future

import pytest

from selfreview.llm.transport.budget import Budget
from selfreview.llm.transport.fences import random_words
from selfreview.llm.transport.request import Fault, ModelError, ModelRequest, estimate_tokens, price_of
from selfreview.model.result import Usage

WORDS = random_words()


def ask(**more) -> ModelRequest:
    """Make a request of 200 tokens, its words included."""
    user = "u" * (250 - len((WORDS.opening + WORDS.closing).encode()))
    given = {"name": "n", "system": "s" * 250, "user": user, "schema": {}, "model": "claude-sonnet-5-5", "words": WORDS}
    return ModelRequest(**{**given, "max_tokens": 1000, **more})


def price(model):
    return price_of(model, {})


def reserved(budget, request):
    """Reserve on a thread that keeps nobody: where a request does not fit, the test fails instead of waiting on."""
    done = Future()

    def reserve():
        try:
            done.set_result(budget.reserve(request))
        except ModelError as error:
            done.set_exception(error)

    threading.Thread(target=reserve, daemon=True).start()
    return done


def test_what_is_under_way_is_waited_for():
    budget = Budget(2500, None, price)
    first, _second = (reserved(budget, ask()).result(30) for _ in range(2))
    third = reserved(budget, ask(max_tokens=900))
    usage = Usage(requests=1, input_tokens=100, output_tokens=50, cache_read_tokens=10, cache_write_tokens=20)
    budget.record(first, usage)
    assert third.result(30).tokens < first.tokens
    assert usage.cost_usd == pytest.approx((100 * 2 + 50 * 10 + 10 * 0.2 + 20 * 2.5) / 1e6)
    assert budget.spent == usage


def test_what_was_waited_for_can_be_too_much():
    budget = Budget(2500, None, price)
    first, _second = (reserved(budget, ask()).result(30) for _ in range(2))
    third = reserved(budget, ask())
    budget.record(first, Usage(input_tokens=2400))
    with pytest.raises(ModelError, match="2,500 tokens") as caught:
        third.result(30)
    assert caught.value.fault is Fault.BUDGET


def test_a_repeated_attempt_has_to_fit_as_well():
    budget = Budget(2500, None, price)
    reservation = budget.reserve(ask())
    budget.again(reservation, Usage(input_tokens=1000))
    with pytest.raises(ModelError, match="2,500 tokens"):
        budget.again(reservation, Usage(input_tokens=2000))


def test_settled_tokens_of_every_kind_stay_spent():
    budget = Budget(2500, None, price)
    used = Usage(input_tokens=400, output_tokens=400, cache_read_tokens=400, cache_write_tokens=400)
    budget.record(budget.reserve(ask()), used)
    with pytest.raises(ModelError):
        budget.reserve(ask())


def test_money_is_limited_and_needs_a_price():
    budget = Budget(None, 0.02, price)
    budget.reserve(ask())
    with pytest.raises(ModelError, match=r"more than \$0\.02"):
        budget.reserve(ask(max_tokens=5000))
    with pytest.raises(ModelError, match="price of local is not known"):
        budget.reserve(ask(model="local"))
    Budget(10_000, None, price).reserve(ask(model="local"))


@pytest.mark.parametrize(
    "model", ["claude-sonnet-5-5", "eu.anthropic.claude-sonnet-5-5-v1:0", "claude-sonnet-5-5@20260901"]
)
def test_prices_are_known_under_every_name(model):
    found = price_of(model, {})
    assert found is not None
    assert (found.input, found.output) == (2.0, 10.0)


def test_a_price_can_be_set():
    found = price_of("local", {"local": {"input": 1, "output": 3, "cache_write": 0}})
    assert found is not None
    assert (found.input, found.output, found.cache_read, found.cache_write) == (1, 3, 0.1, 0)
    assert price_of("unknown", {}) is None


@pytest.mark.parametrize(("text", "tokens"), [("", 0), ("a", 1), ("a" * 10, 4), ("é" * 5, 4), ("\ud800", 2)])
def test_tokens_are_guessed_from_bytes(text, tokens):
    assert estimate_tokens(text) == tokens
