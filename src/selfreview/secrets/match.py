"""Matches of secrets in a text, and the confidence that they are secrets."""

from __future__ import annotations

import dataclasses
import enum
from collections.abc import Iterable
from typing import NamedTuple

REWRITE = (
    "then rewrite the commits so that none holds it: git rebase --interactive, and squash the commit with the one that "
    "takes it out. Where others have the commits already, revoking is what counts: accept the issue after that."
)
"""Advice on commits that hold a secret."""


class Confidence(enum.StrEnum):
    """Confidence that a match is a secret that works."""

    HIGH = "high"
    """A format that only credentials have."""
    MEDIUM = "medium"
    """A credential by its place or form, which may be limited, expired or an example."""
    LOW = "low"
    """A value that looks random in the place of a secret."""
    DOUBTFUL = "doubtful"
    """A word in the place of a secret."""

    @property
    def rank(self) -> int:
        """0 for ``doubtful`` up to 3 for ``high``."""
        return 3 - list(Confidence).index(self)


HIGH, MEDIUM, LOW = Confidence.HIGH, Confidence.MEDIUM, Confidence.LOW


class RawMatch(NamedTuple):
    """Match of a rule before it is graded, as offsets in code points of the text."""

    rule: str
    title: str
    confidence: Confidence
    start: int
    end: int


@dataclasses.dataclass(frozen=True, slots=True)
class SecretMatch:
    """Secret that was found. Its ``repr`` does not show the value.

    Attributes:
        rule: Stable id of the rule that matched.
        title: What it is, for a person; never quotes the text.
        confidence: How sure it is that this is a secret that works.
        value: The secret itself.
        start, end: Its extent in the text, in code points, the end exclusive.
        line, column: Where it starts; both from 1, columns in code points.
        end_line: The line of its last character.
    """

    rule: str
    title: str
    confidence: Confidence
    value: str = dataclasses.field(repr=False)
    start: int
    end: int
    line: int
    column: int
    end_line: int


class SuspectSpan(NamedTuple):
    """Part of a text that could be a secret, to hide before it is sent.

    Attributes:
        start, end: Offsets, the end exclusive.
        kind: What it seems to be: upper-case words joined by underscores.
    """

    start: int
    end: int
    kind: str


def lower_case(text: str) -> str:
    """Return a text in lower case with every character at its offset, also where a letter's lower case is two."""
    low = text.lower()
    return low if len(low) == len(text) else "".join(char.lower() if char.isascii() else char for char in text)


def mark_positions(low: str, marks: Iterable[str]) -> list[int]:
    """Return the offsets of any of some marks in a text in lower case, in order."""
    found = set()
    for mark in marks:
        position = low.find(mark)
        while position >= 0:
            found.add(position)
            position = low.find(mark, position + len(mark))
    return sorted(found)
