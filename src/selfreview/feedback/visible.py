"""What a person sees of a comment: nothing that a page hides reaches a model or a decision."""

from __future__ import annotations

import html
import re

from selfreview.feedback.fences import blocks
from selfreview.llm.marks import escape

_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_IMAGE = re.compile(r"!\[[^\]]*\](?:\([^)\n]*\)|\[[^\]\n]*\])?")
_TITLE = re.compile(r"(\]\([^)\s]*)\s+(?:\"[^\"\n]*\"|'[^'\n]*'|\([^)\n]*\))\s*\)")
_DEFINITION = re.compile(r"^ {0,3}\[[^\]\n]+\]:[^\n]*$", re.MULTILINE)
_HIDDEN = re.compile(
    r"<(\w+)\b[^>]*(?:\bhidden\b|display\s*:\s*none|visibility\s*:\s*hidden|font-size\s*:\s*0)[^>]*>.*?(?:</\1\s*>|\Z)",
    re.DOTALL | re.IGNORECASE,
)
_TAG = re.compile(r"</?[A-Za-z][^<>]*>")
_UNSEEN = re.compile(r"\\u\{[0-9A-F]{4,6}\}")


def visible(body: str) -> str:
    """Return a comment without what its page hides; code blocks stay as they are but for characters that print nothing.

    Comments, descriptions of images, titles and definitions of links, hidden elements, tags, and invisible or
    bidirectional characters go; entities are resolved before that, so that none hides one of them.
    """
    lines = body.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    parts, last = [], 0
    # A fence inside of an HTML comment is none: then all of it counts as text.
    for block in blocks(body) if _fences_stand(lines, body) else ():
        parts += [_prose("\n".join(lines[last : block.start])), "\n".join(lines[block.start : block.end])]
        last = block.end
    parts.append(_prose("\n".join(lines[last:])))
    shown = "\n".join(part for part in parts if part)
    return _UNSEEN.sub("", escape(shown)).strip()


def _fences_stand(lines: list[str], body: str) -> bool:
    """Whether no fenced block begins within an HTML comment."""
    for block in blocks(body):
        before = "\n".join(lines[: block.start])
        if before.rfind("<!--") > before.rfind("-->"):
            return False
    return True


def _prose(text: str) -> str:
    text = html.unescape(text) if "&" in text else text
    for pattern, kept in ((_COMMENT, ""), (_HIDDEN, ""), (_IMAGE, "[image]"), (_TITLE, r"\1)"), (_DEFINITION, ""),
                          (_TAG, "")):  # fmt: skip
        text = pattern.sub(kept, text)
    return text
