"""Escaping of text for Slack: nothing in it can be a mention, a link or a channel, and none of it is too long.

Slack counts characters; here an emoji counts as two, so that no way of counting finds too many. Source:
https://docs.slack.dev/messaging/formatting-message-text and https://docs.slack.dev/reference/block-kit/blocks
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from urllib.parse import urlsplit

from selfreview.text.escape import visible

ELLIPSIS = "…"
_ENTITY = {"&": "&amp;", "<": "&lt;", ">": "&gt;"}
_MEMBER = re.compile(r"[UW][A-Z0-9]{2,}")
_GROUP = re.compile(r"S[A-Z0-9]{2,}")


def units(text: str) -> int:
    """Return how long a text is, characters outside of the basic plane counted twice."""
    return len(text) if text.isascii() else sum(1 if char <= "\uffff" else 2 for char in text)


def plain(text: str, limit: int) -> str:
    """Return text that Slack shows as it is, at most ``limit`` long, cut between characters."""
    shown = "\n".join(visible(line) for line in text.replace("\r\n", "\n").split("\n"))
    parts: list[str] = []
    used, cut = 0, 0  # "cut": how many parts leave room for the ellipsis
    for char in shown:
        part = _ENTITY.get(char, char)
        used += units(part)
        if used > limit:
            return "".join(parts[:cut]) + ELLIPSIS if limit else ""
        parts.append(part)
        cut = len(parts) if used < limit else cut
    return "".join(parts)


def link(url: str, label: str) -> str:
    """Return a link, or its label alone where the address is none.

    Args:
        url: Where to.
        label: As :func:`plain` returns it.
    """
    try:
        parts = urlsplit(url)
    except ValueError:
        return label
    if parts.scheme not in ("https", "http") or not url.isascii() or not url.isprintable() or len(url) > 1_000:
        return label
    address = url
    for char, code in ((" ", "%20"), ("|", "%7C"), ("<", "%3C"), (">", "%3E"), ("&", "&amp;")):
        address = address.replace(char, code)
    return f"<{address}|{label}>"


def is_id(value: object) -> bool:
    """Return whether a value is the id of a member or of a group of members."""
    return isinstance(value, str) and bool(_MEMBER.fullmatch(value) or _GROUP.fullmatch(value))


def mention(login: str, users: Mapping[str, str]) -> str:
    """Return a mention of a person, or their login where no Slack id is configured for it."""
    known = {name.casefold(): value for name, value in users.items()}.get(login.casefold())
    if known is None or not is_id(known):
        return "@" + plain(login, 100)
    return f"<!subteam^{known}>" if _GROUP.fullmatch(known) else f"<@{known}>"
