"""Markdown of a comment as its page shows it: fenced blocks, images, and text without what is hidden."""

from __future__ import annotations

import html
import re
from collections.abc import Sequence
from typing import NamedTuple

from selfreview.llm.transport.fences import escape

_OPEN = re.compile(r"^( {0,3})(`{3,}|~{3,})[ \t]*([^\n]*)$")


class Block(NamedTuple):
    """A fenced block.

    Attributes:
        info: What stands behind the opening fence, stripped.
        lines: What is in it, without line ends.
        start, end: The lines of the text that it takes up, from 0; ``end`` is exclusive.
    """

    info: str
    lines: tuple[str, ...]
    start: int
    end: int

    @property
    def language(self) -> str:
        """The first word of ``info``."""
        return self.info.split(maxsplit=1)[0] if self.info else ""


def blocks(text: str) -> list[Block]:
    """Return the fenced blocks of a text, in order; one that is not closed goes on to the end."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    found = []
    block = next_block(lines, 0)
    while block is not None:
        found.append(block)
        block = next_block(lines, block.end)
    return found


def next_block(lines: Sequence[str], start: int) -> Block | None:
    """Return the first fenced block at a line or after it, or None."""
    for number in range(start, len(lines)):
        opened = _OPEN.match(lines[number])
        if opened is None or (opened[2][0] == "`" and "`" in opened[3]):
            continue
        close = re.compile(rf"^ {{0,3}}{re.escape(opened[2][0])}{{{len(opened[2])},}}[ \t]*$")
        last = next((i for i in range(number + 1, len(lines)) if close.match(lines[i])), len(lines))
        inner = (_unindented(line, len(opened[1])) for line in lines[number + 1 : last])
        return Block(opened[3].strip(), tuple(inner), number, min(last + 1, len(lines)))
    return None


def _unindented(line: str, columns: int) -> str:
    """Return a line without as much of its indent as the opening fence had."""
    return line[min(columns, len(line) - len(line.lstrip(" "))) :]


_MARK = re.compile(r"\\[^\n]|!\[|[\[\]`<]|\n[ \t]*+(?=\n)")
_GAP = re.compile(r"[ \t]*+(?:\n[ \t>]*+)?+")
_BRACKETED = re.compile(r"<(?:[^<>\n\\]|\\.)*+>")
_PLAIN = re.compile(r"(?:[^\x00-\x20\x7f()\\]|\\\n[ \t>]*+|\\[!-/:-@\[-`{-~]|\\)*+")
_ADDRESS_TITLE = re.compile(r"\"(?:[^\"\\]|\\.)*+\"|'(?:[^'\\]|\\.)*+'|\((?:[^()\\]|\\.)*+\)", re.DOTALL)
_LABEL = re.compile(r"\[(?:[^\[\]\\]|\\.){0,999}+\]|\[[^\]\n]*+\]", re.DOTALL)
_CLOSING = re.compile(r"[)\n]")
_ENTITY = re.compile(r"\\[^\n&]|\\?+&(?:#[0-9]++|#[xX][0-9a-fA-F]++|[A-Za-z][A-Za-z0-9]*+);?")
_SIGNS = "[]()\\\"'`"
_DEEPEST = 32
"""Brackets within brackets that an address may hold."""


def unescaped(text: str) -> str:
    """Return a text with its entities resolved; beside images, none becomes a sign that would end one."""
    return _ENTITY.sub(_literal, text) if "![" in text else html.unescape(text)


def _literal(entity: re.Match[str]) -> str:
    before, found, name = entity[0].partition("&")
    sign = html.unescape(found + name)
    if sign.isspace():
        return before + "\u00a0"
    return f"\\{sign}" if sign and sign in _SIGNS else before + sign


def without_images(text: str) -> str:
    """Return a text with ``[image]`` for its images, read once from its start to its end.

    Where code or a tag may hold brackets that are none, a page and this may not agree where an image ends: then it ends
    at the last place where it might.

    Args:
        text: The text, without blocks of code.
    """
    parts: list[str] = []
    at = 0
    for start, end in _merged(_Reader(text).spans()):
        parts += text[at:start], "[image]"
        at = end
    return "".join([*parts, text[at:]])


def _merged(spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    merged: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        if merged and start < merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged


class _Reader:
    """Reads a text bracket by bracket; what is open ends with its paragraph."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._spans: list[tuple[int, int]] = []
        self._asked, self._closing = 0, -1
        self._begin()

    def _begin(self) -> None:
        self._opened: list[int | None] = []  # where an image starts; None for what is no image
        self._images: list[int] = []
        self._first: int | None = None
        self._doubt = False  # whether one of them may have ended elsewhere

    def spans(self) -> list[tuple[int, int]]:
        """Return where images start and end, in any order, also one within another."""
        for mark in _MARK.finditer(self._text):
            sign = mark[0]
            if sign[0] == "\n":
                self._begin()
            elif sign == "![":
                self._opened.append(mark.start())
                self._images.append(mark.start())
            elif sign == "[":
                self._opened.append(None)
            elif sign == "]":
                self._close(mark.end())
            elif sign[0] != "\\" and self._images:
                self._doubt = True
        return self._spans

    def _close(self, at: int) -> None:
        end = self._end(at)
        start = self._opened.pop() if self._opened else None
        is_image = start is not None
        if is_image:
            self._images.pop()
        outer = self._images[0] if self._images else None
        if end is not None and outer is not None:
            self._doubt = self._doubt or any(sign in self._text[at + 1 : end - 1] for sign in "[]")
        if self._doubt:
            start = min((position for position in (self._first, outer, start) if position is not None), default=None)
        if start is not None and (is_image or end is not None):
            if self._doubt:
                self._first = start
            self._spans.append((start, at if end is None else end))

    def _end(self, at: int) -> int | None:
        """Return where the address or the label behind a closing bracket ends, or None where there is none."""
        label = _LABEL.match(self._text, at)
        if label is not None:
            at = label.end()
        if not self._text.startswith("(", at):
            return at if label is not None else None
        end = _address(self._text, at + 1) or self._line_address(at)
        return at if end is None and label is not None else end

    def _line_address(self, at: int) -> int | None:
        """Return where the first round bracket of a line closes: what some pages take for an address."""
        if not self._asked <= at <= self._closing:  # else it is known, and not looked for again
            found = _CLOSING.search(self._text, at)
            self._asked, self._closing = at, len(self._text) if found is None else found.start()
        return self._closing + 1 if self._text.startswith(")", self._closing) else None


def _address(text: str, at: int) -> int | None:
    """Return where the address and title that begin at a place end, behind their closing bracket, or None."""
    at = _past(_GAP, text, at)
    if text.startswith("<", at):
        bracketed = _BRACKETED.match(text, at)
        end = bracketed.end() if bracketed is not None else None
    else:
        end = _plain(text, at)
    if end is None:
        return None
    at = _past(_GAP, text, end)
    title = _ADDRESS_TITLE.match(text, at) if at > end else None
    if title is not None:
        at = _past(_GAP, text, title.end())
    return at + 1 if text.startswith(")", at) else None


def _plain(text: str, at: int) -> int | None:
    depth = 0
    while True:
        at = _past(_PLAIN, text, at)
        sign = text[at : at + 1]
        if sign == "(" and depth < _DEEPEST:
            depth += 1
        elif sign == ")" and depth:
            depth -= 1
        else:
            return None if depth else at
        at += 1


def _past(pattern: re.Pattern[str], text: str, at: int) -> int:
    found = pattern.match(text, at)
    return at if found is None else found.end()


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
_MAX_ROUNDS = 20
"""Maximum layers of hiding; text behind so many was put there to hide."""


def visible(body: str) -> str:
    """Return a comment without what its page hides; code blocks stay as they are but for characters that print nothing.

    Comments, descriptions of images, titles and definitions of links, hidden elements, tags, and invisible or
    bidirectional characters go; entities are resolved before that, so that none hides one of them. What is left is what
    would be left of it.
    """
    text = _printing(body)
    for _ in range(_MAX_ROUNDS):
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
