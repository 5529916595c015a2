"""Fitting of text to a forge: within its length limit, and without characters that it rejects."""

from __future__ import annotations

import re
import unicodedata

_NOTE = "*The rest was cut: it is longer than a comment may be.*"
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})([^\n]*)")
_JOINER = "\u200d"


def fit(text: str, limit: int) -> str:
    """Return a text of at most ``limit`` characters, cut where a character ends, with its code fences closed.

    Args:
        text: Markdown.
        limit: At least some hundred.
    """
    text = clean(text)
    if len(text) <= limit:
        return text
    room = limit - len(_NOTE) - 4
    while True:
        kept = text[: _border(text, room)]
        fence = open_fence(kept)
        end = f"\n{fence}\n\n{_NOTE}" if fence else f"\n\n{_NOTE}"
        if len(kept) + len(end) <= limit:
            return kept + end
        room -= len(kept) + len(end) - limit


def clean(text: str) -> str:
    """Return a text in which characters that no forge takes, NUL and lone surrogates, are replaced."""
    return re.sub("[\0\ud800-\udfff]", "\ufffd", text)


def open_fence(text: str) -> str:
    """Return the fence that closes the code block open at a text's end, or an empty string."""
    fence = ""
    for line in text.split("\n"):
        match = _FENCE.match(line.rstrip("\r"))
        if match is None:
            continue
        marks, rest = match[1], match[2]
        if not fence:
            fence = "" if marks[0] == "`" and "`" in rest else marks
        elif marks[0] == fence[0] and len(marks) >= len(fence) and not rest.strip():
            fence = ""
    return fence


def _border(text: str, end: int) -> int:
    """Return the last place up to ``end`` that does not split a character as a reader sees it."""
    at = end
    while at > max(end - 64, 1) and (_continues(text[at]) or text[at - 1] == _JOINER):
        at -= 1
    return at


def _continues(char: str) -> bool:
    return char == _JOINER or unicodedata.category(char) in ("Mn", "Mc", "Me") or "\U0001f3fb" <= char <= "\U0001f3ff"
