"""Detection of rate limits in refusals, and of how long they last."""

from __future__ import annotations

import email.utils
import math
import re
from collections.abc import Mapping
from typing import NamedTuple

LEAST_S = 60.0
"""Seconds to pause after a limit that names no time."""
MOST_S = 24 * 3600.0
"""Maximum seconds of a pause that is believed."""
_STATUSES = frozenset({403, 422, 429})
_WORDS = re.compile(
    r"secondary rate limit|abuse detection|abuse-rate-limits|rate limit (?:already )?exceeded|submitted too quickly",
    re.IGNORECASE,
)


class Limit(NamedTuple):
    """A rate limit that was hit.

    Attributes:
        wait_s: Seconds to keep away; None where the forge names none: a minute, then twice as long each time.
        everything: Whether it holds for whatever the token does, and not for one resource.
    """

    wait_s: float | None
    everything: bool


def limit_of(status: int, headers: Mapping[str, str], text: str, wall: float) -> Limit | None:
    """Return the rate limit that an answer reports, or None.

    Args:
        status: The status; only 403, 422 and 429 can mean a limit, and 422 only by its words.
        headers: By lower-case name.
        text: What the answer says.
        wall: This machine's seconds since 1970, for an answer without ``Date``.
    """
    if status not in _STATUSES or (status == 422 and not tells_of_limit(text)):
        return None
    retry_after = _retry_after(headers.get("retry-after"), _server_time(headers, wall))
    if retry_after is not None:
        return Limit(retry_after, everything=True)
    if headers.get("x-ratelimit-remaining", "").strip() == "0":
        return Limit(until_reset(headers, wall), everything=False)
    if status == 429 or tells_of_limit(text):
        return Limit(None, everything=True)
    return None


def tells_of_limit(text: str) -> bool:
    """Return whether a forge's message is about a rate limit."""
    return _WORDS.search(text) is not None


def until_reset(headers: Mapping[str, str], wall: float) -> float | None:
    """Return the seconds until the limit is renewed by the server's own clock, or None where it does not say."""
    reset = _number(headers.get("x-ratelimit-reset"))
    if reset is None:
        return None
    return _within(reset - _server_time(headers, wall) + 1.0)


def left_of(headers: Mapping[str, str], wall: float) -> tuple[int, int, float] | None:
    """Return a limit, its remainder, and the seconds until it is renewed; None where the headers lack that.

    Args:
        headers: By lower-case name.
        wall: This machine's seconds since 1970, for an answer without ``Date``.
    """
    limit, remaining = (_number(headers.get(f"x-ratelimit-{name}")) for name in ("limit", "remaining"))
    reset_s = until_reset(headers, wall)
    if limit is None or remaining is None or reset_s is None or limit < 1:
        return None
    return int(limit), int(min(max(remaining, 0.0), limit)), reset_s


def _retry_after(value: str | None, now: float) -> float | None:
    if value is None:
        return None
    seconds = _number(value)
    if seconds is None:
        moment = _date(value)
        return None if moment is None else _within(moment - now)
    return None if seconds < 0 else _within(seconds)


def _server_time(headers: Mapping[str, str], wall: float) -> float:
    moment = _date(headers.get("date"))
    return wall if moment is None else moment


def _date(value: str | None) -> float | None:
    try:
        return None if value is None else email.utils.parsedate_to_datetime(value).timestamp()
    except (ValueError, TypeError, OverflowError, OSError):
        return None


def _number(value: str | None) -> float | None:
    try:
        number = float(value or "")
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def _within(seconds: float) -> float:
    return min(max(seconds, 1.0), MOST_S)
