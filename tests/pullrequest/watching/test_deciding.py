"""What is done after a look, and how often."""

from __future__ import annotations

from typing import Any

import pytest

from selfreview.api import RateLimit
from selfreview.errors import ExitCode, ForgeError
from selfreview.model.feedback import RequestState, Sighting
from selfreview.pullrequest.watching.ports import worst
from selfreview.pullrequest.watching.schedule import (
    Pace,
    Sweeps,
    Why,
    between_sweeps,
    decide,
    is_due,
    news,
    wait_after,
)
from selfreview.pullrequest.watching.tasks import done_of
from selfreview.store.watched import Watched

NOW = 1_000_000.0


def seen(number: int = 7, mark: str = "m2", state: RequestState = RequestState.OPEN) -> dict[int, Sighting]:
    return {number: Sighting(number=number, state=state, draft=False, head_sha="a" * 40, mark=mark)}


def decided(row: Watched | None = None, mark: str = "m2", auto: bool = True, **more: Any) -> list[tuple[Why, bool]]:
    rows = {} if row is None else {row.number: row}
    given = {"busy": (), "now": NOW} | more
    if not auto:
        given.pop("hinted", None)
    steps = decide(seen(mark=mark), rows, **given) if auto else news(seen(mark=mark), rows, **given)
    return [(step.why, step.fix) for step in steps]


KNOWN = Watched(7, done="m1", told="m1", swept=NOW)


@pytest.mark.parametrize(
    ("row", "more", "steps"),
    [
        (None, {}, [(Why.NEWS, True)]),
        (KNOWN, {}, [(Why.NEWS, True)]),
        (KNOWN, {"mark": "m1"}, []),
        (KNOWN, {"busy": {7}}, []),
        (KNOWN, {"mark": "m1", "hinted": {7}}, [(Why.HINT, True)]),
        (KNOWN, {"mark": "m1", "hinted": {8}}, []),
        (KNOWN._replace(tried="m2", due=NOW + 60), {}, []),
        (KNOWN._replace(tried="m2", due=NOW), {}, [(Why.AGAIN, True)]),
        (KNOWN._replace(tried="m2", due=NOW + 60), {"mark": "m3"}, [(Why.NEWS, True)]),
        (KNOWN._replace(tried="m2", due=NOW + 60), {"hinted": {7}}, [(Why.HINT, True)]),
        (KNOWN._replace(tried="m2", due=NOW + 9e9), {}, [(Why.AGAIN, True)]),  # a clock that was set back
        (None, {"auto": False}, [(Why.NEWS, False)]),
        (KNOWN, {"auto": False}, [(Why.NEWS, False)]),
        (KNOWN._replace(told="m2"), {"auto": False}, []),
        (KNOWN._replace(told="m2"), {}, [(Why.NEWS, True)]),  # told of is not answered
        (KNOWN, {"auto": False, "mark": "m1", "hinted": {7}}, []),
    ],
)
def test_what_is_done(row: Watched | None, more: dict[str, Any], steps: list[tuple[Why, bool]]) -> None:
    assert decided(row, **more) == steps


@pytest.mark.parametrize("state", [RequestState.CLOSED, RequestState.MERGED])
def test_what_is_over_is_left_alone(state: RequestState) -> None:
    assert not list(decide(seen(state=state), {}, busy=(), now=NOW))
    assert not list(news(seen(state=state), {}, busy=(), now=NOW))


def test_everything_is_read_whole_within_an_hour_and_not_at_once() -> None:
    sweeps, swept = Sweeps(), dict.fromkeys(range(60), NOW)
    counts = []
    for poll in range(1, 41):  # an hour and 20 minutes, every 2 minutes
        now = NOW + poll * 120
        sweeps.begin(now)
        taken = [number for number, at in swept.items() if sweeps.take(number, at, now)]
        swept |= dict.fromkeys(taken, now)
        counts.append(len(taken))
    assert min(swept.values()) > NOW
    assert max(counts) <= 6
    assert sum(counts[:14]) == 0


def test_sweeps_of_many_stay_rare() -> None:
    sweeps, swept = Sweeps(), dict.fromkeys(range(500), NOW)
    total = 0
    for poll in range(1, 121):
        now = NOW + 7200 + poll * 60
        sweeps.begin(now)
        taken = [number for number, at in swept.items() if sweeps.take(number, at, now)]
        swept |= dict.fromkeys(taken, now)
        total += len(taken)
    assert total <= 120 * 60 / 24 + 1


@pytest.mark.parametrize(
    ("left", "seconds"),
    [
        (None, 24.0),
        (RateLimit(5000, 5000, 3600.0), 3600.0 * 10 / 2500),
        (RateLimit(15_000, 15_000, 3600.0), 7.0),
        (RateLimit(5000, 4000, 600.0), 7.0),
        (RateLimit(5000, 2600, 3600.0), 360.0),
        (RateLimit(5000, 2500, 600.0), 60.0),
        (RateLimit(5000, 600, 3600.0), 360.0),
        (RateLimit(5000, 500, 3600.0), None),
        (RateLimit(5000, 0, 1.0), None),
        (RateLimit(60, 60, 3600.0), 1200.0),
    ],
)
def test_whole_readings_follow_what_is_left(left: RateLimit | None, seconds: float | None) -> None:
    assert between_sweeps(left) == seconds


@pytest.mark.parametrize("limit", [0, -1])
def test_a_limit_of_which_no_share_can_be_left_is_refused(limit: int) -> None:
    with pytest.raises(ForgeError, match=f"a rate limit of {limit} is none") as caught:
        RateLimit(limit, 0, 60.0)
    assert caught.value.hint == "rate_limit() is None where there is no limit"
    assert RateLimit(1, 1, 60.0).share == 1.0


@pytest.mark.parametrize(("limit", "most"), [(5000, 0.6), (15_000, 0.5)])
def test_whole_readings_of_many_leave_half_of_the_limit_to_others(limit: int, most: float) -> None:
    sweeps, swept, spent = Sweeps(), dict.fromkeys(range(500), NOW), 0
    for second in range(0, 3600, 60):  # from when all of them are due until the limit is renewed
        now = NOW + 3600 + second
        sweeps.begin(now, RateLimit(limit, limit - spent, 3600.0 - second))
        taken = [number for number, at in swept.items() if sweeps.take(number, at, now)]
        swept |= dict.fromkeys(taken, now)
        spent += 10 * len(taken)
    assert limit * 0.3 < spent <= limit * most
    sweeps.begin(NOW + 7200, RateLimit(limit, limit // 10, 3600.0))
    assert not any(sweeps.take(number, 0.0, NOW + 7200) for number in swept)


def test_the_pace() -> None:
    pace = Pace()
    waits = [pace.after(100.0, idle=True) for _ in range(6)]
    assert waits == sorted(waits)
    assert (waits[0], waits[-1]) == (150.0, 500.0)
    assert pace.after(100.0, idle=False) == 100.0
    pace.after(100.0, idle=True)
    pace.hurry()
    assert pace.after(100.0, idle=True) == 150.0
    assert [wait_after(tries, 100.0) for tries in (1, 2, 3, 99)] == [100.0, 200.0, 400.0, 3600.0]
    assert is_due(NOW, NOW)
    assert not is_due(NOW + 3599, NOW)


def test_how_a_cycle_ended() -> None:
    good = done_of(1, b'{"outcome": "human_review_required", "why": ["the cap"]}', b"note: x\n\n")
    assert (good.outcome, good.code, good.why, good.notes) == (
        "human_review_required",
        1,
        ("the cap",),
        ("note: x",),
    )
    assert good.finished
    assert not done_of(5, b'{"outcome": "waiting", "why": ["busy"]}', b"").finished
    busy = done_of(5, b'{"outcome": "waiting", "why": ["busy"], "wait": 9.5, "busy": true}', b"error: busy\n")
    assert (busy.outcome, busy.wait_s, busy.busy, busy.finished) == ("waiting", 9.5, True, False)
    failed = done_of(4, b'{"error": {}}', b"error: no token\nhint: x\n")
    assert (failed.outcome, failed.code, failed.why) == ("failed", 4, ("no token",))
    assert done_of(-9, b"", b"").why == ("it was ended by signal 9",)
    assert done_of(-9, b"", b"").code == ExitCode.INTERNAL_ERROR
    assert done_of(0, b"not JSON", b"").outcome == done_of(0, b"[" * 100_000, b"").outcome == "failed"
    assert done_of(0, b'"text"', b"").outcome == "failed"
    assert len(done_of(0, b"{}", b"x\n" * 99).notes) == 20


def test_the_worst_exit_code_counts() -> None:
    order = [0, 1, 5, 4, 3, 130]
    for index, code in enumerate(order):
        assert all(worst(code, other) == worst(other, code) == code for other in order[:index])
