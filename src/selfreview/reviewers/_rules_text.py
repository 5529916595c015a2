"""Text as the parser takes it."""

from __future__ import annotations

import re

_SURROGATE = re.compile("[\ud800-\udfff]")


def parseable(text: str) -> str:
    """Return a text without lone surrogates, which the parser refuses; one for one, so that columns stay."""
    return text if text.isascii() else _SURROGATE.sub("\ufffd", text)
