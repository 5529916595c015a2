"""Rate limits of a forge: their detection in refusals, and the pauses they ask for."""

from __future__ import annotations

import dataclasses
import email.utils
import functools
import hashlib
import math
import re
import threading
from collections.abc import Mapping
from typing import NamedTuple

MIN_S = 60.0
"""Seconds to pause after a limit that names no time."""
MAX_S = 24 * 3600.0
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
    if status not in _STATUSES or (status == 422 and not is_about_limit(text)):
        return None
    retry_after = _retry_after(headers.get("retry-after"), _server_time(headers, wall))
    if retry_after is not None:
        return Limit(retry_after, everything=True)
    if headers.get("x-ratelimit-remaining", "").strip() == "0":
        return Limit(until_reset(headers, wall), everything=False)
    if status == 429 or is_about_limit(text):
        return Limit(None, everything=True)
    return None


def is_about_limit(text: str) -> bool:
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
    return min(max(seconds, 1.0), MAX_S)


_EVERYTHING = "*"


@dataclasses.dataclass
class _Pause:
    until: float = 0.0
    strikes: int = 0


class Pauses:
    """Pauses by token and resource, with their ends."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._pauses: dict[tuple[str, str], _Pause] = {}

    def left(self, owner: str, resource: str, now: float) -> float:
        """Return the seconds until a resource may be used again; 0 where it may."""
        with self._lock:
            known = (self._pauses.get((owner, name)) for name in (_EVERYTHING, resource))
            return max((pause.until - now for pause in known if pause is not None), default=0.0)

    def hit(self, owner: str, resource: str, limit: Limit, *, sent: float, now: float) -> float:
        """Record a limit, and return the seconds of its pause.

        Args:
            owner: Whose limit it is.
            resource: What was used.
            limit: What the forge said.
            sent: When the request was sent: one from before the pause began says nothing new.
            now: The present.
        """
        with self._lock:
            pause = self._pauses.setdefault((owner, _EVERYTHING if limit.everything else resource), _Pause())
            if limit.wait_s is not None:
                pause.until = max(pause.until, now + limit.wait_s)
            elif sent >= pause.until:
                pause.until = now + min(MIN_S * 2.0**pause.strikes, MAX_S)
                pause.strikes = min(pause.strikes + 1, 20)
            return max(pause.until - now, 0.0)

    def well(self, owner: str, resource: str, sent: float) -> None:
        """Reset the count of limits hit: a request that was sent after the pause succeeded."""
        with self._lock:
            for name in (_EVERYTHING, resource):
                pause = self._pauses.get((owner, name))
                if pause is not None and sent >= pause.until:
                    del self._pauses[owner, name]


def owner_of(endpoint: str, token: str) -> str:
    """Return a name for a token at an endpoint, which does not reveal the token."""
    return hashlib.sha256(f"{endpoint}\0{token}".encode("utf-8", "surrogatepass")).hexdigest()


@functools.cache
def pauses_of_process() -> Pauses:
    """Return the pauses of this whole process: limits count for a token, however many connections use it."""
    return Pauses()
