"""The images of a comment, whose descriptions and addresses a page does not show."""

from __future__ import annotations

import html
import re

_MARK = re.compile(r"\\[^\n]|!\[|[\[\]`<]|\n[ \t]*+(?=\n)")
_GAP = re.compile(r"[ \t]*+(?:\n[ \t>]*+)?+")
_BRACKETED = re.compile(r"<(?:[^<>\n\\]|\\.)*+>")
_PLAIN = re.compile(r"(?:[^\x00-\x20\x7f()\\]|\\\n[ \t>]*+|\\[!-/:-@\[-`{-~]|\\)*+")
_TITLE = re.compile(r"\"(?:[^\"\\]|\\.)*+\"|'(?:[^'\\]|\\.)*+'|\((?:[^()\\]|\\.)*+\)", re.DOTALL)
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
            start = min((one for one in (self._first, outer, start) if one is not None), default=None)
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
    title = _TITLE.match(text, at) if at > end else None
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
