"""Phrases that a text is searched for, of a form that cannot take long to match, since a repository writes them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

_WORD = re.compile(r"\w+(?:[-'\u2019]\w+)*|->|[^\w\s]")
_QUOTES = frozenset("`'\"*\u2018\u2019\u201c\u201d")
_PART = re.compile(r"(\[)?([^|\[\]]+(?:\|[^|\[\]]+)*)(?(1)\])")
_MOST_WORDS = 400
"""Maximum number of words that are read of a description."""


def words(text: str) -> list[str]:
    """Return a text's words, lower case, and its punctuation but for quotes; of a very long text the beginning."""
    found = (match.group().casefold() for match in _WORD.finditer(text))
    return [word for word, _ in zip((w for w in found if w not in _QUOTES), range(_MOST_WORDS), strict=False)]


class _Part(NamedTuple):
    """Element of a phrase: any of some words, or of some beginnings of words."""

    exact: frozenset[str]
    beginnings: tuple[str, ...]
    optional: bool

    def fits(self, word: str) -> bool:
        return word in self.exact or word.startswith(self.beginnings)


class Phrase:
    """Consecutive words, matched without regard to case.

    ``a|b`` is either word, ``[a|b]`` either or none, ``word*`` any word that begins so, and ``^`` at the beginning the
    beginning of the text.

    Args:
        text: Such as ``"missing|lacks [a|an|any] docstring*"``.

    Raises:
        ValueError: If it is not of this form.
    """

    def __init__(self, text: str) -> None:
        self._first = text.startswith("^")
        self._parts = tuple(_parts(text.removeprefix("^").strip()))
        if all(part.optional for part in self._parts):
            raise ValueError(f"the phrase {text!r} needs a word that is not optional")

    def is_in(self, text: Sequence[str]) -> bool:
        """Return whether the phrase occurs in a text, given as its words; takes as many steps as both have words."""
        reached: set[int] = set()
        start = next((number for number, word in enumerate(text) if word[0].isalnum()), 0)
        for number, word in enumerate(text):
            if not self._first or number == start:
                reached.add(0)
            here = self._without_optional(reached)
            reached = {place + 1 for place in here if place < len(self._parts) and self._parts[place].fits(word)}
            if len(self._parts) in self._without_optional(reached):
                return True
        return False

    def _without_optional(self, places: Iterable[int]) -> set[int]:
        """Return places, and those that are reached from them by leaving out what is optional."""
        result: set[int] = set()
        for place in places:
            last = place
            while last not in result:
                result.add(last)
                if last < len(self._parts) and self._parts[last].optional:
                    last += 1
        return result


def _parts(text: str) -> Iterable[_Part]:
    for part in text.split():
        match = _PART.fullmatch(part)
        choices = match[2].casefold().split("|") if match is not None else [""]
        if any("*" in choice[:-1] or choice in ("", "*", "^") for choice in choices):
            raise ValueError(f"the phrase {text!r} cannot be read at {part!r}")
        beginnings = tuple(choice[:-1] for choice in choices if choice.endswith("*"))
        exact = frozenset(choice for choice in choices if not choice.endswith("*"))
        yield _Part(exact, beginnings, part.startswith("["))
