"""Slack message of a notice: escaped text in blocks, within Slack's limits.

Nothing in a text can be a mention, a link or a channel. There may be 50 blocks, of which the total of the text leaves
most unused. Slack counts characters; here an emoji counts as two, so that no way of counting finds too many. Source:
https://docs.slack.dev/messaging/formatting-message-text and https://docs.slack.dev/reference/block-kit/blocks
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import urlsplit

from selfreview.api import HistoryEntry, Notice
from selfreview.pullrequest.notifiers.render import heading, place, step
from selfreview.text.escape import visible
from selfreview.text.layout import plural

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


HEADER = 150
SECTION = 3_000
TOTAL = 12_000
"""Maximum characters of all text. Slack documents no limit for one message (``msg_blocks_too_long``)."""
_QUOTED = 400
_MENTIONED = 50


def payload(notice: Notice, users: Mapping[str, str]) -> dict[str, Any]:
    """Return a message: its blocks, and the fallback text for where there is no room.

    Args:
        notice: What to tell.
        users: Ids in Slack by login.
    """
    blocks = [
        {"type": "header", "text": {"type": "plain_text", "text": plain(notice.title, HEADER) or "selfreview"}},
        _section(_about(notice)),
    ]
    if notice.text.strip():
        blocks.append(_section(plain(notice.text.strip(), SECTION)))
    asked = " ".join(mention(login, users) for login in notice.mention[:_MENTIONED])
    if asked:
        blocks.append(_section(asked if units(asked) <= SECTION else plain(" ".join(notice.mention), SECTION)))
    room = TOTAL - sum(units(block["text"]["text"]) for block in blocks)
    blocks += list(_history(notice.history, room))
    return {
        "text": plain(f"{notice.title}: {place(notice)}", SECTION),
        "blocks": blocks,
        "unfurl_links": False,
        "unfurl_media": False,
    }


def _about(notice: Notice) -> str:
    where = plain(place(notice), SECTION // 2) or "selfreview"
    return f"*{heading(notice)}* · {link(notice.url, where)}"


def _history(history: tuple[HistoryEntry, ...], room: int) -> Iterator[dict[str, Any]]:
    """Yield the history, the newest entries where not all have room, oldest first."""
    kept: list[str] = []
    for entry in reversed(history):
        text = _entry(entry)
        room -= units(text) + 1
        if room < HEADER:  # for the line that says how many there are
            break
        kept.append(text)
    sections: list[str] = []
    left = len(history) - len(kept)
    if left:
        kept.append(f"_{plural(left, 'earlier entry') if left == 1 else f'{left} earlier entries'}_")
    for text in reversed(kept):
        if sections and units(sections[-1]) + 1 + units(text) <= SECTION:
            sections[-1] += f"\n{text}"
        else:
            sections.append(text)
    yield from map(_section, sections)


def _entry(entry: HistoryEntry) -> str:
    who = link(entry.url, plain(step(entry), 100))
    what = plain(" ".join(entry.what.split()), _QUOTED)
    outcome = plain(" ".join(entry.outcome.split()), _QUOTED)
    return f"• *{who}* {what}" + (f" → {outcome}" if outcome else "")


def _section(text: str) -> dict[str, Any]:
    # Verbatim: Slack makes no links and mentions of its own of it.
    return {"type": "section", "text": {"type": "mrkdwn", "text": text, "verbatim": True}}
