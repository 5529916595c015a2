"""Hidden marks in our texts on a forge, by which these are found again whatever becomes of the store.

A forge hides ``<!-- selfreview:MARK -->``. Marks are read only from what the token's own account wrote: somebody who
quotes one says nothing by it.
"""

from __future__ import annotations

import enum
import hashlib
from collections.abc import Collection, Iterable

from selfreview.model.feedback import hidden, mark_of, marks_in

_MAX_REASON = 200
"""Characters of a reason that a mark holds."""

SUMMARY = "summary"
"""Of the comment that is edited in place at each cycle."""
ESCALATED = "escalated"
"""Of the comment that calls a person."""
CLAIMED = "claimed"
"""Begins the mark of a comment that lists what commits say that they answer, and nothing else says."""

UNASKED = "unasked"
"""The mark that says that the forge refused to ask for another review, which is tried once more."""
ALONE = "alone"
"""The mark of an answer that settles what it names, and nothing that was written before that in the thread."""
_BLOCK = ".block"
"""Ends the key of a part: digests, which end the others, have no such letters."""


class Mark(enum.StrEnum):
    """Beginnings of marks that go on with the key of a piece of feedback, a reason, or the name of a label."""

    ANSWERED = "re="
    REFUSED = "refused="  # by the forge, which is asked once more
    HANDED_OVER = "esc="  # a person was called for it
    BY_PEOPLE = "done="  # a person was called for it, and has resolved it
    BECAUSE = "why="  # why a person was called, for what follows
    LABELLED = "labelled="  # the label that was added with the comment, by us

    def of(self, value: str) -> str:
        """Return the mark with its key, reason or name."""
        return f"{self}{value}"

    def values_in(self, bodies: Iterable[str]) -> set[str]:
        """Return the keys, reasons or names of these marks in texts of ours."""
        return {mark.removeprefix(self) for body in bodies for mark in marks_in(body) if mark.startswith(self)}


def tried_again(body: str) -> str:
    """Return a text of ours after refused replies were tried again: they count as answered from then on."""
    return body.replace(hidden(UNASKED), "").replace(f"selfreview:{Mark.REFUSED}", f"selfreview:{Mark.ANSWERED}")


def because(why: str) -> str:
    """Return the mark of the reason why a person was called, for the marks that follow it."""
    return Mark.BECAUSE.of(why[:_MAX_REASON])


def label_in(body: str) -> str | None:
    """Return the name of the label that we put there with a comment of ours, or None."""
    names = (mark.removeprefix(Mark.LABELLED) for mark in marks_in(body) if mark.startswith(Mark.LABELLED))
    return next(names, None)


def is_there(label: str, labels: Iterable[str]) -> bool:
    """Return whether a label is among others, case-insensitively, as on forges."""
    return label.casefold() in {name.casefold() for name in labels}


def call_of(resets: int, cycle: int, new: Collection[str]) -> str:
    """Return the mark of the comment that calls a person.

    An edit notifies nobody: each reset and each answer has a comment of its own, and so has new feedback.

    Args:
        resets: How often a person had everything tried again.
        cycle: The last answer.
        new: Keys of the feedback that nobody was called for before.
    """
    digest = hashlib.sha256("\n".join(sorted(new)).encode("utf-8", "surrogatepass")).hexdigest()[:12]
    return f"{ESCALATED}={resets}.{cycle}" + (f".{digest}" if new else "")


def block_key(key: str) -> str:
    """Return the key of the suggestion block in a piece of feedback, without the words beside it."""
    return key + _BLOCK


def whole_key(key: str) -> str:
    """Return the key of the piece of feedback that a key is of, or is of a part of."""
    return key.removesuffix(_BLOCK)


def cycle_mark(cycle: int) -> str:
    """Return the mark of the summary that reports an answer."""
    return f"cycle={cycle}"


def cycle_of(mark: str) -> int:
    """Return the number of the answer that a mark reports, or 0."""
    number = mark.removeprefix("cycle=")
    return int(number) if number != mark and number.isdecimal() and len(number) < 6 else 0


def is_marked(body: str) -> bool:
    """Return whether a text is one of ours: it begins with a mark, which no quotation of it does."""
    return mark_of(body) is not None


def handed_over_in(bodies: Iterable[str]) -> dict[str, str]:
    """Return the reasons why texts of ours call a person, by the keys of the feedback; empty where none is said."""
    found: dict[str, str] = {}
    for body in bodies:
        why = ""
        for mark in marks_in(body):
            if mark.startswith(Mark.BECAUSE):
                why = mark.removeprefix(Mark.BECAUSE)
            elif mark.startswith(Mark.HANDED_OVER):
                found[mark.removeprefix(Mark.HANDED_OVER)] = why
    return found


def settled_by_people(body: str) -> str:
    """Return a text of ours that calls a person once a person has said that all of it is settled."""
    return body.replace(f"selfreview:{Mark.HANDED_OVER}", f"selfreview:{Mark.BY_PEOPLE}")
