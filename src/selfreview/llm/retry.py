"""Delay before a request is sent again, and the delay that a server asks for."""

from __future__ import annotations

import random
from email.utils import parsedate_to_datetime
from typing import Final

_LONGEST_OWN_S: Final = 8.0


def retry_after(headers: dict[str, str], now: float) -> float | None:
    """Return the seconds that a server asks to wait, or None.

    Args:
        headers: Of the response, names in lower case.
        now: Seconds since the epoch, for a header that holds a date.
    """
    for name, unit in (("retry-after-ms", 1000.0), ("retry-after", 1.0)):
        value = headers.get(name, "")
        try:
            seconds = float(value) / unit
        except ValueError:
            continue
        if seconds >= 0:  # not for NaN
            return seconds
    try:
        return max(0.0, parsedate_to_datetime(headers.get("retry-after", "")).timestamp() - now)
    except (ValueError, TypeError, OverflowError):
        return None


def pause(failures: int, asked: float | None, first_s: float) -> float:
    """Return the seconds to wait.

    Args:
        failures: Attempts that failed so far, at least 1.
        asked: What the server asks for; it is never undercut.
        first_s: The first wait, which doubles each time.
    """
    jitter = random.random()  # noqa: S311 - spreads clients
    if asked is not None:
        return asked + jitter * min(first_s, asked)
    longest: float = min(first_s * 2 ** (failures - 1), _LONGEST_OWN_S)
    return longest * (0.75 + 0.25 * jitter)
