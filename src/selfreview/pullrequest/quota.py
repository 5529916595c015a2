"""Detection, by their messages, that models or agents may not be asked for now and until when, or cannot be reached.

Each says so in words of its own, and an agent in nothing but words. Agents tell of the code that they work on in the
same breath: what is of a database, or of the code, is no such word.
"""

from __future__ import annotations

import datetime
import re
import zoneinfo
from collections.abc import Iterable
from typing import Final, NamedTuple

from selfreview.model.usage import Outage
from selfreview.pullrequest.git.transient_errors import is_disk_full

PAUSE_S: Final = 900.0
"""Seconds to wait where no message says how long."""
_LEAST_S: Final = 30.0
_MAX_S: Final = 86400.0
"""Maximum seconds to wait; after a longer limit, the model or agent is asked again after a day."""

_MAX_LENGTH: Final = 2_000
"""Characters of one text that are looked at."""

# Agents tell of the code that they work on in the same breath, so that a word alone (a file's name, a line's number,
# the quota of a disk) says nothing: it has to be said of a limit that it is reached, or a protocol has to say so.
_BEFORE = r"(?<![\w./\\-])"
_LIMITED = re.compile(
    rf"{_BEFORE}(?:status(?: code)?|code|http(?:/[\d.]{{1,3}})?|api error)\W{{1,4}}429\b(?!:\d)"
    r"|(?:^|[:;\[(] ?)429(?= ?(?:$|[\]{),]|too many|rate|resource|quota))"
    rf"|{_BEFORE}too many requests\b"
    r"|\brate_limit_(?:error|exceeded)\b|\binsufficient_quota\b|\bresource(?:_| has been | )exhausted\b"
    r"|(?:^|: )rate[ -]limit(?![\w./\\-])|\brate[ -]limited\b"
    r"|\b(?:exceed(?:ed|s)?|hit|reached)(?: [^\s./\\]{1,40}){0,4} rate[ -]limit(?![\w./\\-])"
    rf"|{_BEFORE}(?<!disk )(?<!storage )quota (?:is |was |has been )?(?:exceeded|exhausted|used up|reached)\b"
    r"|\b(?:exceeded|exhausted|used up)(?: (?:your|the|its|our|current|daily|monthly|free|api)){1,3} quota\b"
    r"|\byour quota will reset\b|\bcredit balance (?:is )?(?:too low|exhausted)\b"
    r"|\bout of (?:extra )?(?:usage|credits)\b"
    rf"|{_BEFORE}(?:rate|usage|session|spend(?:ing)?|message|request|hourly|daily|weekly|monthly|\d-hour) limit"
    r"(?: (?:is |was |has been )?(?:reached|exceeded|hit)\b|\W{1,4}(?:will )?(?:resets?|retry|try again)\b)"
    r"|\blimit reached\W{1,4}resets\b|\bspending cap reached\b"
    r"|\b(?:hit|reached|exceeded) your(?: [\w-]{1,20}){0,3} limit\b",
    re.IGNORECASE,
)
_EPOCH = re.compile(r"\|\s?(\d{10})\b")
_UNITS: Final = {"d": 86400.0, "h": 3600.0, "m": 60.0, "s": 1.0}
_NUMBER = r"\d[\d,]{0,12}(?:\.\d{1,9})?"
_PART = rf"{_NUMBER}\s?(?:days?|hours?|hrs?|minutes?|mins?|seconds?|secs?|[dhms](?![a-z]))"
_SPAN = re.compile(rf"\b(?:in|after|for)\s({_PART}(?:(?:,? and |, ?| )?{_PART}){{0,3}})", re.IGNORECASE)
_ONE = re.compile(rf"({_NUMBER})\s?([dhms])", re.IGNORECASE)
_BARE = re.compile(r"retry.?after\W{1,4}(\d{1,9})\b(?!\s?[a-z])", re.IGNORECASE)
_CLOCK = re.compile(
    r"(?:resets?|again)(?:\sat)?\s(\d{1,2})(?::(\d\d))?\s?([ap]m)?\b(?:\s?\(([\w/+-]{1,64})\))?", re.IGNORECASE
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
    """Return the limit with the longest wait in texts, or None where none of them is about a limit.

    Args:
        texts: What models and agents said when they failed, one line each; what tools say is no word on that.
        now: Seconds since 1970.
    """
    lines = [" ".join(text[:_MAX_LENGTH].split()) for text in texts]
    found = [Limit(text, _bounded(_wait(text, now))) for text in lines if _LIMITED.search(text)]
    return max(found, key=lambda limit: limit.wait_s, default=None)


def limit_of(error: str, outage: Outage | None, now: float) -> Limit | None:
    """Return the limit that an error is about, by what is known of it, and else by its text; or None."""
    if outage is None or not outage.quota:
        return limit_in([error], now)
    why = " ".join(error[:_MAX_LENGTH].split())
    return Limit(why, _bounded(outage.wait_s if outage.wait_s is not None else _wait(why, now)))


def limit_after(why: str, wait_s: float | None = None) -> Limit:
    """Return a limit that is known by other means than a message."""
    return Limit(why, _bounded(wait_s if wait_s is not None else _span(" ".join(why[:_MAX_LENGTH].split()))))


def _bounded(seconds: float | None) -> float:
    return PAUSE_S if seconds is None else min(max(seconds, _LEAST_S), _MAX_S)


def _wait(text: str, now: float) -> float | None:
    """Return the seconds until the reset that a text names."""
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


_LONGEST_OUTAGE: Final = 2_000
"""Characters of one text that are looked at."""
_CLAUSE = r"(?:^|[:;(\"] ?|· )"
_AWAY = re.compile(
    r"\b(?:api error|status(?: code)?|http(?:/[\d.]{1,3})?(?: status| error)?)\W{1,3}(?:401|5\d\d)\b(?!:\d)"
    rf"|{_CLAUSE}(?:5\d\d )?(?:overloaded(?:_error)?|service unavailable|bad gateway|gateway time-?out)\b"
    r"|\b(?:model|service|api) is (?:currently |temporarily )?(?:overloaded|unavailable)\b"
    rf"|{_CLAUSE}connection (?:error|refused|reset|timed out|aborted)\b"
    r"|\bcould not (?:connect to|resolve)(?: the| host:?)? [\w.-]{0,40}(?:anthropic|openai|google|claude|api)"
    r"|\bnetwork is unreachable\b|\bname resolution\b"
    r"|\b(?:ECONN(?:REFUSED|RESET|ABORTED)|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH)\b"
    r"(?! (?:127\.|localhost|\[?::1))"
    rf"|{_CLAUSE}(?:you(?:'re| are) )?not (?:logged|signed) in\b|{_CLAUSE}invalid api key\b|\bplease run /login\b",
    re.IGNORECASE,
)


def outage_in(texts: Iterable[str]) -> str | None:
    """Return the first text that reports that a model or agent could not be asked, or None."""
    beginnings = ((text, text[:_LONGEST_OUTAGE]) for text in texts)
    return next((text for text, start in beginnings if _AWAY.search(start) or is_disk_full(start)), None)


def away_of(error: str, outage: Outage | None) -> str | None:
    """Return an error where it says that a model or agent could not be asked, by what is known of it and its text."""
    return error if outage is not None and not outage.quota else outage_in([error])
