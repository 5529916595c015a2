r"""Forms in which a line and a model's quote of it are the same, from strict to lenient.

A model sees invisible characters and broken bytes as escapes, and quotes them as it saw them, as another language
spells them, as the character itself, or not at all.
"""

from __future__ import annotations

import re

from selfreview.llm.marks import escape

_SPELLED = re.compile(
    r"\\u\{(?P<a>[0-9A-Fa-f]{1,6})\}|<U\+(?P<b>[0-9A-Fa-f]{4,6})>|\\u(?P<c>[0-9A-Fa-f]{4})|\\U(?P<d>[0-9A-Fa-f]{8})"
    r"|\\x(?P<e>[0-9A-Fa-f]{2})|\\(?P<f>[0-3][0-7]{2})|\\(?P<g>[ntr])"
)
_BYTE = re.compile("[\udc80-\udcff]")
_ODD = re.compile(r"\\u\{[0-9A-F]+\}|[^\x21-\x7e]")
_NAMED = {"n": "\n", "t": "\t", "r": "\r"}


def squeeze(line: str) -> str:
    """Return a line without white space, invisible characters shown as a model saw them."""
    return "".join(escape(line.removesuffix("\r")).split())


def spelled(line: str) -> str:
    r"""Return a squeezed line in which every spelling of a character (``\x1b``, ``<U+200B>``) is the same."""
    return escape("".join(unspelled(line).split()))


def bare(line: str) -> str:
    """Return what is plain ASCII of a line, without white space."""
    return _ODD.sub("", spelled(line))


def unspelled(text: str) -> str:
    """Return a text with the characters that its escapes stand for; a byte that is not UTF-8 counts as Latin-1."""
    if "\\" in text or "<U+" in text:
        text = _SPELLED.sub(_character, text)
    return text if text.isascii() else _BYTE.sub(lambda match: chr(ord(match[0]) & 0xFF), text)


def _character(match: re.Match[str]) -> str:
    kind = match.lastgroup
    if kind == "g":
        return _NAMED[match["g"]]
    code = int(match[str(kind)], 8 if kind == "f" else 16)
    return chr(code) if code <= 0x10FFFF else match[0]
