"""Fences of prompts: delimiters of quoted text that the text cannot forge, and words that prove that all was read.

What stands between the delimiters is material, and some of it is hostile: it may imitate the end of the material, or
carry instructions in characters that no person sees.

A pipe swallows what nobody reads, a server with a small window cuts a prompt at either end and answers all the same,
and what servers count as tokens misleads. The two words around a prompt are random, so neither the change nor an
earlier answer holds them, and an answer has to repeat them; no cache key covers them.
"""

from __future__ import annotations

import re
import secrets
import unicodedata
from collections.abc import Mapping
from typing import Any, NamedTuple

from selfreview.model.usage import Usage

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


FIRST, LAST = "firstWord", "lastWord"
"""Keys of the words in an answer."""

_FAR_BELOW = 4


def random_word() -> str:
    """Return eight letters that are easy to copy and hard to guess."""
    return "".join(secrets.choice("bdfghjklmnprstvz") + secrets.choice("aeiou") for _ in range(4))


class Words(NamedTuple):
    """Random words of one prompt.

    Attributes:
        first: Stands before everything that is asked.
        last: Stands behind it.
    """

    first: str
    last: str

    @property
    def opening(self) -> str:
        """First lines of a prompt."""
        return f"First word: {self.first}\n\n"

    @property
    def closing(self) -> str:
        """Last lines of a prompt."""
        return (
            f'\nBegin the object with "{FIRST}" and "{LAST}", copied from "First word: …" above and "Last word: …" '
            f"below; empty where you see none.\n\nLast word: {self.last}\n"
        )

    def missing(self, answer: Mapping[str, Any]) -> str | None:
        """Return why an answer does not prove that the prompt was read whole, or None."""
        if FIRST not in answer and LAST not in answer:
            return (
                f'the answer lacks "{FIRST}" and "{LAST}": it has to repeat the words that its prompt begins and ends '
                "with, or nobody knows whether the prompt was read"
            )
        ends = [
            end
            for end, key, word in (("begins", FIRST, self.first), ("ends", LAST, self.last))
            if not (isinstance(said := answer.get(key), str) and said.strip().lower() == word)
        ]
        if not ends:
            return None
        what = "words" if len(ends) > 1 else "word"
        return (
            f"the answer does not repeat the {what} that its prompt {' and '.join(ends)} with: the prompt was not "
            "taken whole, perhaps for want of room in the model's window"
        )


def random_words() -> Words:
    """Return two new words."""
    return Words(random_word(), random_word())


def is_far_below(usage: Usage, sent: int) -> bool:
    """Return whether the input tokens that a server counted, if it did, are far fewer than it was sent.

    Args:
        usage: What it counted.
        sent: Tokens by :func:`selfreview.llm.transport.request.estimate`, which says up to twice as many as there are.
    """
    return 0 < counted(usage) * _FAR_BELOW < sent


def counted(usage: Usage) -> int:
    """Return all input tokens, those of the cache included."""
    return usage.input_tokens + usage.cache_read_tokens + usage.cache_write_tokens
