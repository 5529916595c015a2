"""Two random words around a prompt, which its answer has to repeat to prove that all of the prompt was read.

A pipe swallows what nobody reads, a server with a small window cuts a prompt at either end and answers all the same,
and what servers count as tokens misleads. The words are random, so neither the change nor an earlier answer holds them;
no cache key covers them.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from typing import Any, NamedTuple

from selfreview.model.usage import Usage

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
        sent: Tokens by :func:`selfreview.llm.transport.prices.estimate`, which says up to twice as many as there are.
    """
    return 0 < counted(usage) * _FAR_BELOW < sent


def counted(usage: Usage) -> int:
    """Return all input tokens, those of the cache included."""
    return usage.input_tokens + usage.cache_read_tokens + usage.cache_write_tokens
