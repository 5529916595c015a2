"""Rendering of notices with our own templates in ``templates/notifications/``, and none of a repository's."""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any
from urllib.parse import urlsplit

from selfreview import resources
from selfreview.api import HistoryEntry, Notice, NoticeEvent
from selfreview.model.notice import TEST
from selfreview.text.escape import visible
from selfreview.text.markdown import plain

EVENT: Mapping[NoticeEvent, str] = MappingProxyType(
    {
        NoticeEvent.READY: "ready for a person",
        NoticeEvent.ESCALATED: "a person is needed",
        NoticeEvent.ERROR: "error",
        NoticeEvent.FIXED: "fixed",
    }
)


def heading(notice: Notice) -> str:
    """Return the kind of a notice in a word or two, such as ``fixed``; a test message has its own."""
    return "a test" if notice.key.partition(":")[0] == TEST else EVENT[notice.event]


def place(notice: Notice) -> str:
    """Return the subject of a notice: ``octo/app#7 (work)``."""
    name = notice.repository + (f"#{notice.number}" if notice.number is not None else "")
    return " ".join(part for part in (name, f"({notice.branch})" if notice.branch else "") if part)


def step(entry: HistoryEntry) -> str:
    """Return the author of an entry, and the cycle that answered it."""
    return entry.who if entry.cycle is None else f"{entry.who}, cycle {entry.cycle}"


def lines(text: str) -> list[str]:
    """Return the lines of a text, made visible."""
    return [visible(line) for line in text.replace("\r\n", "\n").split("\n")] if text else []


_LOGIN = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?(?:/[A-Za-z0-9._-]+)?")


def render(name: str, notice: Notice) -> str:
    """Return a notice rendered with a template.

    Args:
        name: The template's; what ends in ``.html.j2`` is HTML, in ``.md.j2`` Markdown, and all else is plain text.
        notice: What to tell.
    """
    from markupsafe import Markup

    history = [
        {"step": step(entry), "what": _flat(entry.what), "outcome": _flat(entry.outcome), "url": address(entry.url)}
        for entry in notice.history
    ]
    given: dict[str, Any] = {
        "title": _flat(notice.title),
        "url": address(notice.url),
        "mention": notice.mention,
        "history": history,
    }
    environment = resources.template_environment("notifications", html=name.endswith(".html.j2"))
    environment.filters.update(plain=lambda text: Markup(plain(text)), mention=lambda text: Markup(mention(text)))  # noqa: S704
    return environment.get_template(name).render(
        notice=given,
        event=heading(notice),
        place=place(notice),
        url=given["url"],
        text=lines(notice.text.strip()),
    )


def address(url: str) -> str:
    """Return a URL that is safe in a link, or an empty text."""
    try:
        scheme = urlsplit(url).scheme
    except ValueError:
        return ""
    good = scheme in ("https", "http") and url.isascii() and url.isprintable() and not set(url) & set(" <>()[]\"'`\\")
    return url if good else ""


def mention(login: str) -> str:
    """Return a mention of a person in Markdown; text that cannot be a login is shown as it is."""
    return f"@{login}" if _LOGIN.fullmatch(login) else plain(login)


def _flat(text: str) -> str:
    return " ".join(text.split())
