"""Slack blocks of a notice, within their limits: 50 blocks, of which the total of the text leaves most unused."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from selfreview.api import HistoryEntry, Notice
from selfreview.notifiers._slack_text import link, mention, plain, units
from selfreview.notifiers._words import heading, place, step
from selfreview.text.layout import plural

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
