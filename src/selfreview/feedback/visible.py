"""Visible text of a comment: nothing that a page hides reaches a model or a decision."""

from __future__ import annotations

import re

from selfreview.feedback.fences import next_block
from selfreview.feedback.images import unescaped, without_images
from selfreview.llm.marks import escape

_ATTRIBUTES = r"(?:[^<>\"']++|\"[^\"]{0,500}+\"|'[^']{0,500}+')*+"
_OPENING = re.compile(rf"<!--|<([A-Za-z][\w-]*)(?=[\s/>])({_ATTRIBUTES})>")
_HIDING = re.compile(r"\bhidden\b|display\s*:\s*none|visibility\s*:\s*hidden|font-size\s*:\s*0", re.IGNORECASE)
_TAG = re.compile(rf"</?[A-Za-z]{_ATTRIBUTES}>|<[!?/][^<>]*>")
_WORDS = r"(?:\"(?:[^\"\\]|\\.){0,500}+\"|'(?:[^'\\]|\\.){0,500}+'|\((?:[^()\\]|\\.){0,500}+\))"
_TITLE = re.compile(rf"(\]\([^()\s]{{0,500}}+)\s{{1,50}}+{_WORDS}\s*\)", re.DOTALL)
_DEFINITION = re.compile(
    rf"^[ \t>*+-]*+(?:\d{{1,9}}[.)])?[ \t]*+\[[^\[\]]{{1,300}}\]:"
    rf"[ \t]*(?:\n[^\n]*|[^\n]+)?(?:\n[ \t>]*{_WORDS}[ \t]*$)?",
    re.MULTILINE | re.DOTALL,
)
_ODD = re.compile(r"[^\x20-\x7e\n\t]")
_MOST_ROUNDS = 20
"""Maximum layers of hiding; text behind so many was put there to hide."""


def visible(body: str) -> str:
    """Return a comment without what its page hides; code blocks stay as they are but for characters that print nothing.

    Comments, descriptions of images, titles and definitions of links, hidden elements, tags, and invisible or
    bidirectional characters go; entities are resolved before that, so that none hides one of them. What is left is what
    would be left of it.
    """
    text = _printing(body)
    for _ in range(_MOST_ROUNDS):
        shown = _shown(text)
        if shown == text:
            return text
        text = shown
    return re.sub(r"[<&\[\]`~]", "", text).strip()


def _printing(text: str) -> str:
    """Return a text without characters that print nothing."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    return _ODD.sub(lambda match: match[0] if escape(match[0]) == match[0] else "", text)


def _shown(text: str) -> str:
    lines, at, parts = text.split("\n"), 0, []
    while at < len(lines):
        block = next_block(lines, at)
        start = block.start if block is not None else len(lines)
        words = "\n".join(lines[at:start])
        words, end = _without_hidden(_printing(unescaped(words)) if "&" in words else words)
        parts.append(_prose(words))
        if end is not None:  # it goes on over blocks, which are none then
            at = next((i for i in range(start, len(lines)) if end.search(lines[i])), len(lines))
            if at < len(lines) and (closed := end.search(lines[at])) is not None:
                lines[at] = lines[at][closed.end() :]
        elif block is not None:
            parts.append("\n".join(lines[block.start : block.end]))
            at = block.end
        else:
            break
    return "\n".join(part for part in (part.strip("\n") for part in parts) if part.strip()).strip()


def _without_hidden(words: str) -> tuple[str, re.Pattern[str] | None]:
    """Return words without what is hidden, and what ends it where that is not among them."""
    kept, at = [], 0
    while (opened := _next_hidden(words, at)) is not None:
        kept.append(words[at : opened.start()])
        name = opened[1]
        end = re.compile("-->") if name is None else re.compile(rf"</{re.escape(name)}\s*>", re.IGNORECASE)
        closed = end.search(words, opened.start() + 2 if name is None else opened.end())
        if closed is None:
            return "".join(kept), end
        at = closed.end()
    return "".join([*kept, words[at:]]), None


def _next_hidden(words: str, at: int) -> re.Match[str] | None:
    hits = _OPENING.finditer(words, at)
    return next((hit for hit in hits if hit[1] is None or _HIDING.search(hit[2])), None)


def _prose(text: str) -> str:
    text = without_images(text)
    for pattern, kept in ((_TITLE, r"\1)"), (_DEFINITION, ""), (_TAG, "")):
        text = pattern.sub(kept, text)
    return text
