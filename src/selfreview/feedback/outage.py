"""Detection, by its messages, that a model or an agent could not be asked at all: that is nobody's fault, and passes.

Agents tell of the code that they work on in the same breath: what is of a database, or of the code, is no such word.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from selfreview.feedback.transient_errors import has_no_room

_MOST: Final = 2_000
"""Characters of one text that are looked at."""
_CLAUSE = r"(?:^|[:;(\"] ?|· )"
_AWAY = re.compile(
    r"^(?:the model's server (?:is not available|could not be used|does not accept)|cannot sign in: )"
    r"|\b(?:api error|status(?: code)?|http(?:/[\d.]{1,3})?(?: status| error)?)\W{1,3}(?:401|5\d\d)\b(?!:\d)"
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
    """Return the first text that reports that a model or agent could not be asked, or None.

    Args:
        texts: What models and agents said when they failed, one line each; what tools say is no word on that.
    """
    return next((text for text in texts if _AWAY.search(text[:_MOST]) or has_no_room(text[:_MOST])), None)
