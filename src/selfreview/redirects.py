"""The policy on HTTP redirects: none is followed.

Everything that is sent has a body, a credential or an address that is a secret, and whoever answers with a redirect
would choose who gets it. A person who means the other address gives it.
"""

from __future__ import annotations

from typing import Final
from urllib.parse import urljoin, urlsplit

from selfreview.text.escape import visible

FOLLOW_REDIRECTS: Final = False
"""The setting with which every HTTP client is made."""

_MAX_SHOWN = 120


def destination(url: str, location: str, *, path: bool = True) -> str:
    """Return where an answer redirects to, in words that are safe to print; never a password or a query.

    Args:
        url: What was asked.
        location: The answer's ``Location``.
        path: Whether the path may be shown.
    """
    try:
        parts = urlsplit(urljoin(url, location))
        host, port = parts.hostname or "", parts.port
    except ValueError:
        return "an address that is none"
    where = f"{parts.scheme}://{f'[{host}]' if ':' in host else host}{f':{port}' if port else ''}"
    text = visible(where + (parts.path if path else ""))
    return text if len(text) <= _MAX_SHOWN else f"{text[: _MAX_SHOWN - 1]}…"
