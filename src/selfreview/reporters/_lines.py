"""Texts of several lines for formats that keep them."""

from __future__ import annotations

import re

from selfreview.text.escape import visible

_ACTIVE = re.compile(r"@(?=\w)|!(?=\[)|\](?=\()|<(?=[A-Za-z/!?])|`(?=``)|~(?=~~)")


def readable(text: str) -> str:
    """Return a text whose lines stay lines, and in which every other character that controls or hides can be seen."""
    if text.isascii() and text.replace("\n", "").isprintable():
        return text
    return "\n".join(visible(line) for line in text.replace("\r\n", "\n").split("\n"))


def inert(text: str) -> str:
    """Return readable text for those who may take it for Markdown: no mention, image, link, tag or block of code.

    It looks the same where it is taken for plain text.
    """
    return _ACTIVE.sub(lambda match: f"{match[0]}\u200b", readable(text))
