r"""Delimiters of quoted text that the text cannot forge, and escapes for hidden characters.

What stands between the delimiters is material, and some of it is hostile: it may imitate the end of the material, or
carry instructions in characters that no person sees.
"""

from __future__ import annotations

import re
import secrets
import unicodedata

_HIDDEN_KINDS = frozenset(("Cc", "Cf", "Cs", "Cn", "Zl", "Zp"))
_ODD = re.compile(r"[^\x20-\x7e\n\t]")
_BLANK = re.compile("[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]")
"""Fillers and selectors that print as nothing, though their category is that of visible characters."""


def escape(text: str) -> str:
    r"""Return text in which every invisible, bidirectional, tag or control character stands as ``\u{202E}``.

    Line feeds and tabs stay; a carriage return before a line feed is dropped. The result can be encoded as UTF-8.
    """
    if text.isascii() and text.isprintable():
        return text
    return _ODD.sub(_show, text.replace("\r\n", "\n"))


def _show(match: re.Match[str]) -> str:
    char = match[0]
    if unicodedata.category(char) in _HIDDEN_KINDS or _BLANK.match(char):
        return f"\\u{{{ord(char):04X}}}"
    return char


class Fences:
    """Delimiters with a mark that is random for every run.

    Args:
        mark: The mark, for a rendering that must be repeatable; random where it is None.
    """

    def __init__(self, mark: str | None = None) -> None:
        self.mark = mark if mark is not None else secrets.token_hex(8)

    def fence(self, label: str, text: str) -> str:
        """Return a text, escaped, between two lines that name a label and the mark; neither occurs in between.

        Args:
            label: What it is, such as a path; made one line.
            text: The material.
        """
        inner = self._without_mark(escape(text))
        label = self._without_mark(escape(" ".join(label.split())))
        end = "" if inner.endswith("\n") else "\n"
        return f"<<<{label} {self.mark}>>>\n{inner}{end}<<<end of {label} {self.mark}>>>"

    def _without_mark(self, text: str) -> str:
        """Break what reads as the mark, also in full-width letters and the like."""
        if self.mark not in unicodedata.normalize("NFKC", text).casefold():
            return text
        plain = "".join(
            char if char.isascii() or unicodedata.normalize("NFKC", char) == char else f"\\u{{{ord(char):04X}}}"
            for char in text
        )
        return re.sub(re.escape(self.mark), self.mark[0] + "\\\\" + self.mark[1:], plain, flags=re.IGNORECASE)
