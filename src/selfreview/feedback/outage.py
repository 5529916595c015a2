"""Whether a model or an agent could not be asked at all, by what it says: that is nobody's matter, and passes."""

from __future__ import annotations

import re
from collections.abc import Iterable

_AWAY = re.compile(
    r"the model's server (is not available|could not be used)"
    r"|\b(?:status|error|http|code)\W{0,3}(?:401|5\d\d)\b|overloaded|service unavailable|bad gateway|gateway time-?out"
    r"|connection (?:error|refused|reset|timed out|aborted)|could not (?:connect|resolve)|network is unreachable"
    r"|name resolution|\b(?:ECONN(?:REFUSED|RESET|ABORTED)|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH)\b"
    r"|not (?:logged|signed) in|please run /login|invalid api key",
    re.IGNORECASE,
)


def outage_in(texts: Iterable[str]) -> str | None:
    """Return the first text that says that nothing could be asked, or None.

    Args:
        texts: What models and agents said when they failed, one line each.
    """
    return next((text for text in texts if _AWAY.search(text)), None)
