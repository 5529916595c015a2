"""Whether an agent's or a model's words say that it may not be asked for now, and until when."""

from __future__ import annotations

import pytest

from selfreview.model.usage import Outage
from selfreview.pullrequest.quota import PAUSE_S, away_of, limit_after, limit_in, limit_of

NOON = 1_767_268_800.0  # 2026-01-01 12:00 UTC


@pytest.mark.parametrize(
    ("said", "wait_s"),
    [
        ("claude ended with status 1: Claude AI usage limit reached|1767276000", 7200),
        ("Claude usage limit reached. Your limit will reset at 3pm (UTC).", 3 * 3600),
        ("5-hour limit reached ∙ resets 3:30pm (Europe/Berlin)", 2.5 * 3600),
        ("You've hit your session limit · resets 11am (UTC)", 23 * 3600),
        ("You've hit your usage limit. Try again in 3 hours 42 minutes.", 3 * 3600 + 42 * 60),
        ("You have hit your weekly limit, try again in 2 days, 1 hour and 5 minutes", 86400),
        ("429 Too Many Requests, Retry-After: 120", 120),
        ("RESOURCE_EXHAUSTED: quota exceeded. Please retry in 34.5s.", 34.5),
        ("Your quota will reset after 1h2m3s.", 3723),
        ("the model's server is not available: status 429, after 5 attempts", PAUSE_S),
        ("the account's spend limit is reached: add credit", PAUSE_S),
        ("gemini says that it failed: rate limit, retry in 1 second", 30),
        ("usage limit reached|1767268000", 30),  # a clock that is ahead
        ("session limit, resets 3pm (Nowhere/Atall)", PAUSE_S),
        ("session limit, resets 99:99", PAUSE_S),
        ("rate limit reached, try again in , minutes", PAUSE_S),
        ("Rate limit reached for gpt-5 on tokens per min (TPM). Please try again in 45.5s.", 45.5),
        ('API Error: 429 {"type":"error","error":{"type":"rate_limit_error"}}', PAUSE_S),
        ("exceeded retry limit, last status: 429 Too Many Requests", PAUSE_S),
        ('gemini ended with status 1: {"error":{"code":429,"message":"Resource has been exhausted"}}', PAUSE_S),
        ("gemini ended with status 1: [API Error: You exceeded your current quota, please check your plan]", PAUSE_S),
        ("You have exhausted your daily quota on this model.", PAUSE_S),
        ("claude says that it failed: Credit balance is too low", PAUSE_S),
        ("You're out of extra usage · resets 3pm (UTC)", 3 * 3600),
    ],
)
def test_a_limit_is_known_by_its_words(said: str, wait_s: float) -> None:
    limit = limit_in(["it crashed", said], NOON)
    assert limit is not None
    assert (limit.why, limit.wait_s) == (said, wait_s)


@pytest.mark.parametrize(
    "said",
    [
        "claude ended with status 1: Invalid API key",
        "the model's server is not available: status 529, after 5 attempts",
        "app.py: it changes more than 4290 lines; the limit is 400",
        "the time limit of 900 s is over",
        "claude says that it failed: src/api.js 429:13 error Parsing error",
        "claude says that it failed: app.py:429: SyntaxError: invalid syntax",
        "claude says that it failed: error: Failed to parse src/rate_limit.py:3:1",
        "claude says that it failed: src/quota.py: invalid syntax",
        "claude says that it failed: could not apply the edit to QuotaExceeded.java",
        "claude says that it failed: it cannot add a rate limit to login()",
        "claude ended with status 1: src/too many requests.py cannot be read",
        "claude ended with status 1: Disk quota exceeded",
        "OSError: [Errno 122] Disk quota exceeded: '/tmp/x'",
        "",
    ],
)
def test_other_failures_are_none(said: str) -> None:
    assert limit_in([said], NOON) is None


def test_the_longest_wait_counts() -> None:
    limit = limit_in(["429, retry in 60 s", "usage limit, try again in 10 minutes"], NOON)
    assert limit is not None
    assert limit.wait_s == 600


def test_what_is_known_otherwise_needs_no_words() -> None:
    assert limit_after("it is full", 100).wait_s == 100
    assert limit_after("it is full, try again in 60 s").wait_s == 60
    assert limit_after("it is full").wait_s == PAUSE_S


@pytest.mark.parametrize(
    ("outage", "limited"),
    [
        (Outage(quota=True, wait_s=1800), 1800),
        (Outage(quota=True, wait_s=1), 30),
        (Outage(quota=True), PAUSE_S),
        (Outage(wait_s=1800), None),
        (None, None),
    ],
)
def test_an_outage_that_is_known_needs_no_words(outage: Outage | None, limited: float | None) -> None:
    said = "it did not answer"
    limit = limit_of(said, outage, NOON)
    assert (limit and limit.wait_s) == limited
    assert away_of(said, outage) == (said if outage is not None and not outage.quota else None)
    assert away_of("API Error: 529", None) == "API Error: 529"
    assert limit_of("usage limit, try again in 10 minutes", Outage(), NOON) is not None  # a server's own words


def test_words_say_how_long_a_quota_is_used_up() -> None:
    limit = limit_of("Your limit will reset at 3pm (UTC).", Outage(quota=True), NOON)
    assert limit is not None
    assert limit.wait_s == 3 * 3600


def test_only_the_beginning_of_a_long_text_is_looked_at() -> None:
    assert limit_in(["x" * 2_000 + " usage limit reached"], NOON) is None
    assert limit_after("x " * 1_000 + "try again in 60 s").wait_s == PAUSE_S
