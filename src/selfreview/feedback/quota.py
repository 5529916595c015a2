"""Whether a model or an agent may not be asked any more for now, by what it says, and until when.

Each says so in words of its own, and an agent in nothing but words.
"""

from __future__ import annotations

import datetime
import re
import zoneinfo
from collections.abc import Iterable
from typing import Final, NamedTuple

PAUSE_S: Final = 900.0
"""Seconds to wait where nobody says how long."""
_LEAST_S: Final = 30.0
_MOST_S: Final = 86400.0
"""Seconds; whoever says more is asked again after a day."""

_LIMITED = re.compile(
    r"\b429\b|too many requests|rate[ _-]?limit|quota|resource.?exhausted|credit balance|out of (extra )?usage"
    r"|\b(usage|session|spend|spending|message|request|hourly|daily|weekly|monthly|\d-hour) limit"
    r"|hit your( \w+){0,2} limit",
    re.IGNORECASE,
)
_EPOCH = re.compile(r"\|\s*(\d{10})\b")
_UNITS: Final = {"d": 86400.0, "h": 3600.0, "m": 60.0, "s": 1.0}
_PART = r"[\d,]+(?:\.\d+)?\s*(?:days?|hours?|hrs?|minutes?|mins?|seconds?|secs?|[dhms](?![a-z]))"
_SPAN = re.compile(rf"(?:in|after|waiting|for)\s+({_PART}(?:(?:\s|,|and)*{_PART})*)", re.IGNORECASE)
_ONE = re.compile(r"([\d,]+(?:\.\d+)?)\s*([dhms])", re.IGNORECASE)
_BARE = re.compile(r"retry.?after\W+(\d+)\b(?!\s*[a-z])", re.IGNORECASE)
_CLOCK = re.compile(
    r"(?:resets?|again)(?:\s+at)?\s+(\d{1,2})(?::(\d\d))?\s*([ap]m)?\b(?:\s*\(([\w/+-]+)\))?", re.IGNORECASE
)


class Limit(NamedTuple):
    """A limit that was met.

    Attributes:
        why: What was said, in one line.
        wait_s: Seconds until it is worth to ask again, 30 to 86,400.
    """

    why: str
    wait_s: float


def limit_in(texts: Iterable[str], now: float) -> Limit | None:
    """Return the limit that the longest wait is said for, or None where none of the texts is about one.

    Args:
        texts: What models and agents said when they failed, one line each.
        now: Seconds since 1970.
    """
    found = [Limit(text, _bounded(_wait(text, now))) for text in texts if _LIMITED.search(text)]
    return max(found, key=lambda limit: limit.wait_s, default=None)


def told(why: str, wait_s: float | None = None) -> Limit:
    """Return a limit that is known by other means than its words.

    Args:
        why: What was said, in one line.
        wait_s: Seconds until the reset, or None where that is not known.
    """
    return Limit(why, _bounded(wait_s if wait_s is not None else _span(why)))


def _bounded(seconds: float | None) -> float:
    return PAUSE_S if seconds is None else min(max(seconds, _LEAST_S), _MOST_S)


def _wait(text: str, now: float) -> float | None:
    """Return the seconds until the reset that a text tells of."""
    if (epoch := _EPOCH.search(text)) is not None:
        return float(epoch[1]) - now
    if (seconds := _span(text)) is not None:
        return seconds
    clock = _CLOCK.search(text)
    return None if clock is None else _until(clock, now)


def _span(text: str) -> float | None:
    if (bare := _BARE.search(text)) is not None:
        return float(bare[1])
    if (span := _SPAN.search(text)) is None:
        return None
    return sum(float(number.replace(",", "")) * _UNITS[unit.lower()] for number, unit in _ONE.findall(span[1]))


def _until(clock: re.Match[str], now: float) -> float | None:
    """Return the seconds until a time of the day, in the zone that is named or else in this machine's."""
    hour, minute, half = int(clock[1]), int(clock[2] or 0), (clock[3] or "").lower()
    if not half and clock[2] is None:
        return None  # a number of something else
    if half:
        hour = hour % 12 + (12 if half == "pm" else 0)
    try:
        zone = zoneinfo.ZoneInfo(clock[4]) if clock[4] else None
        here = datetime.datetime.fromtimestamp(now, datetime.UTC).astimezone(zone)
        then = here.replace(hour=hour, minute=minute, second=0, microsecond=0)
    except (ValueError, OSError, zoneinfo.ZoneInfoNotFoundError):
        return None
    return (then - here).total_seconds() % 86400
