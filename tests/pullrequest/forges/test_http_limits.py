"""What is a rate limit, and how long it lasts, as GitHub documents it."""

from __future__ import annotations

import email.utils

import pytest
from hypothesis import given
from hypothesis import strategies as st

from selfreview.api import RateLimit
from selfreview.pullrequest.forges.http.client import Meter
from selfreview.pullrequest.forges.http.limits import MAX_S, Limit, Pauses, limit_of, owner_of
from tests.pullrequest.forges.conftest import Octo

WALL = 1_700_000_000.0
SECONDARY = "You have exceeded a secondary rate limit. Please wait a few minutes before you try again."
DATE = email.utils.formatdate(WALL, usegmt=True)


@pytest.mark.parametrize("status", [403, 429])
def test_retry_after_is_obeyed_before_anything_else(status: int) -> None:
    headers = {"retry-after": "17", "x-ratelimit-remaining": "0", "x-ratelimit-reset": str(WALL + 900)}
    assert limit_of(status, headers, SECONDARY, WALL) == Limit(17, everything=True)


@pytest.mark.parametrize("status", [403, 429])
def test_an_exhausted_limit_lasts_until_its_reset(status: int) -> None:
    headers = {"x-ratelimit-remaining": "0", "x-ratelimit-reset": str(int(WALL) + 900)}
    assert limit_of(status, headers, "API rate limit exceeded for user ID 1.", WALL) == Limit(901, everything=False)


def test_case_60_the_clock_of_this_machine_does_not_matter() -> None:
    headers = {"x-ratelimit-remaining": "0", "x-ratelimit-reset": str(int(WALL) + 900), "date": DATE}
    for wrong in (WALL - 7 * 3600, WALL, WALL + 400 * 24 * 3600):
        assert limit_of(403, headers, "", wrong) == Limit(901, everything=False)


def test_retry_after_may_be_a_date_of_the_server() -> None:
    later = email.utils.formatdate(WALL + 120, usegmt=True)
    assert limit_of(429, {"retry-after": later, "date": DATE}, "", WALL + 9999) == Limit(120, everything=True)


@pytest.mark.parametrize("status", [403, 422])
@pytest.mark.parametrize(
    "text",
    [
        SECONDARY,
        "You have triggered an abuse detection mechanism.",
        '{"message": "Validation Failed", "errors": [{"code": "custom", "message": "was submitted too quickly"}]}',
        "API rate limit already exceeded for user ID 1.",
    ],
)
def test_case_57_a_secondary_limit_is_seen_by_its_words(status: int, text: str) -> None:
    assert limit_of(status, {"x-ratelimit-remaining": "4000"}, text, WALL) == Limit(None, everything=True)
    assert limit_of(status, {"retry-after": "9"}, text, WALL) == Limit(9, everything=True)


@pytest.mark.parametrize("headers", [{}, {"x-ratelimit-remaining": "0"}, {"retry-after": "9"}])
@pytest.mark.parametrize("text", ["Validation Failed", "Reviews may only be requested from collaborators."])
def test_422_that_says_nothing_of_a_limit_is_none(headers: dict[str, str], text: str) -> None:
    assert limit_of(422, headers, text, WALL) is None


def test_429_without_a_word_is_a_limit() -> None:
    assert limit_of(429, {}, "", WALL) == Limit(None, everything=True)


@pytest.mark.parametrize(
    "text",
    [
        "Resource not accessible by integration",
        "Must have admin rights to Repository.",
        "Repository was archived so is read-only.",
        "Sorry. Your account was suspended.",
    ],
)
def test_403_that_is_none_of_these_is_no_limit(text: str) -> None:
    assert limit_of(403, {"x-ratelimit-remaining": "4999"}, text, WALL) is None
    assert limit_of(403, {}, text, WALL) is None


_HEADER = st.one_of(st.text(max_size=12), st.integers(-(10**15), 10**15).map(str), st.sampled_from(["nan", "inf", "0"]))


@given(
    st.integers(100, 599),
    st.fixed_dictionaries(
        {},
        optional=dict.fromkeys(("retry-after", "x-ratelimit-remaining", "x-ratelimit-reset", "date"), _HEADER),
    ),
    st.text(max_size=80),
)
def test_any_answer_is_classified_and_no_wait_is_absurd(status: int, headers: dict[str, str], text: str) -> None:
    limit = limit_of(status, headers, text, WALL)
    if status not in (403, 422, 429):
        assert limit is None
    elif status == 429:
        assert limit is not None
    if limit is not None and limit.wait_s is not None:
        assert 1 <= limit.wait_s <= MAX_S


def test_case_57_each_limit_without_a_time_lasts_twice_as_long() -> None:
    pauses, now = Pauses(), 0.0
    lasted = []
    for _ in range(4):
        wait = pauses.hit("me", "core", Limit(None, everything=True), sent=now, now=now)
        lasted.append(wait)
        now += wait
    assert lasted == [60, 120, 240, 480]
    pauses.well("me", "core", now)
    assert pauses.hit("me", "core", Limit(None, everything=True), sent=now, now=now) == 60


def test_case_57_requests_that_were_under_way_make_one_pause_no_longer() -> None:
    pauses = Pauses()
    limit = Limit(None, everything=True)
    assert [pauses.hit("me", "core", limit, sent=5.0, now=10.0 + later) for later in range(3)] == [60, 59, 58]


def test_an_answer_from_before_the_pause_does_not_end_it() -> None:
    pauses = Pauses()
    pauses.hit("me", "core", Limit(30, everything=False), sent=0, now=0)
    pauses.well("me", "core", 0)
    assert pauses.left("me", "core", 10) == 20


def test_a_limit_holds_for_its_token_and_its_resource() -> None:
    pauses = Pauses()
    pauses.hit("me", "graphql", Limit(30, everything=False), sent=0, now=0)
    assert pauses.left("me", "graphql", 0) == 30
    assert pauses.left("me", "core", 0) == 0
    assert pauses.left("you", "graphql", 0) == 0
    pauses.hit("me", "core", Limit(50, everything=True), sent=0, now=0)
    assert pauses.left("me", "graphql", 0) == 50


def test_the_name_of_a_token_does_not_hold_it() -> None:
    assert "secret" not in owner_of("https://api.github.com", "secret")
    assert owner_of("https://a", "secret") != owner_of("https://b", "secret") != owner_of("https://b", "other")


def _told(limit: object, remaining: object, reset: object, resource: str = "core") -> dict[str, str]:
    said = {"limit": limit, "remaining": remaining, "reset": reset, "resource": resource}
    headers = {f"x-ratelimit-{name}": str(value) for name, value in said.items()}
    return {"date": "Thu, 01 Jan 1970 00:16:40 GMT", **headers}  # 1000 s


def test_what_is_left_is_that_of_the_scarcest() -> None:
    meter = Meter()
    assert meter.scarcest(0.0) is None
    meter.note("core", _told(5000, 4000, 1599), now=10.0, wall=0.0)
    meter.note("graphql", _told(5000, 3000, 1099, "graphql"), now=10.0, wall=0.0)
    assert meter.scarcest(20.0) == RateLimit(5000, 3000, 90.0)
    assert meter.scarcest(110.0) == RateLimit(5000, 4000, 500.0)  # the other was renewed
    meter.note("core", _told(5000, 10, 1599), now=110.0, wall=0.0)
    assert meter.scarcest(110.0) == RateLimit(5000, 10, 600.0)


@pytest.mark.parametrize(
    "headers", [{}, _told("", 1, 1), _told(0, 0, 1), _told("x", 1, 1), _told(5, 1, ""), _told(5, "nan", 1)]
)
def test_what_says_nothing_of_what_is_left_changes_nothing(headers: dict[str, str]) -> None:
    meter = Meter()
    meter.note("core", headers, now=0.0, wall=0.0)
    assert meter.scarcest(0.0) is None


def test_a_connection_knows_what_is_left(octo: Octo) -> None:
    assert octo.connection.rate_limit() is None
    octo.connection.request(octo.pull.number)
    octo.connection.look([octo.pull.number])
    octo.connection.look([octo.pull.number])
    left = octo.connection.rate_limit()
    assert left is not None
    assert (left.limit, left.remaining) == (octo.forge.limits.limit, octo.forge.limits.limit - 2)
