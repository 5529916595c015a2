"""Meanings of feedback, and answers to it."""

from __future__ import annotations

import enum

import msgspec

from selfreview.model.feedback import FeedbackItem
from selfreview.model.issue import Severity


class Meaning(enum.StrEnum):
    """The meaning of one piece of feedback: what is to be done about it."""

    ACTIONABLE = "actionable"
    SUGGESTION = "suggestion"
    QUESTION = "question"
    NEEDS_PERSON = "needs_person"
    PRAISE = "praise"
    OWN = "own"
    IGNORED = "ignored"
    UNTRUSTED = "untrusted"
    RESOLVED = "resolved"
    HANDLED = "handled"

    @property
    def is_open(self) -> bool:
        """Return whether something is still to be done, by us or by a person."""
        return self in (Meaning.ACTIONABLE, Meaning.SUGGESTION, Meaning.QUESTION, Meaning.NEEDS_PERSON)

    @property
    def is_work(self) -> bool:
        """Return whether it asks for an edit."""
        return self in (Meaning.ACTIONABLE, Meaning.SUGGESTION)


class Judged(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """One item of feedback, with its meaning.

    Attributes:
        item: It, with the body that was judged.
        meaning: What is to be done.
        why: Why that, for a person.
        severity: How much it matters, for what asks for an edit.
        description: What is asked for, in one's own words, for what asks for an edit; else empty.
        answer: What to answer to a question; else empty.
        suggests: Whether, besides what it asks for in words, it holds a suggestion that is to be applied as it stands.
        words_left: Whether it has words beside a suggestion that nobody has read: these are a person's.
    """

    item: FeedbackItem
    meaning: Meaning
    why: str = ""
    severity: Severity = Severity.MEDIUM
    description: str = ""
    answer: str = ""
    suggests: bool = False
    words_left: bool = False


class Overall(enum.StrEnum):
    """The meaning of the feedback as a whole: drawn from that of each piece, and never asked of a model."""

    READY_TO_FIX = "ready_to_fix"
    NEEDS_HUMAN_INPUT = "needs_human_input"
    BLOCKED = "blocked"
    """Something is asked for, and nothing can be done about it here or now: no model to read it, no tree to fix it."""
    NOTHING_TO_DO = "nothing_to_do"


class Analysis(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """All feedback on a pull request, classified.

    Attributes:
        number: Of the pull request.
        judged: Every item, in the order of the snapshot.
        overall: What it calls for.
    """

    number: int
    judged: tuple[Judged, ...] = ()
    overall: Overall = Overall.NOTHING_TO_DO

    @property
    def work(self) -> tuple[Judged, ...]:
        """The feedback that asks for an edit."""
        return tuple(judged for judged in self.judged if judged.meaning.is_work)

    def blocked(self) -> Analysis:
        """Return the same where nothing can be done about it here or now."""
        idle = self.overall is Overall.NOTHING_TO_DO
        return self if idle else msgspec.structs.replace(self, overall=Overall.BLOCKED)


class Cycle(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """One answer to feedback, before it is pushed.

    Attributes:
        number: Of the pull request.
        cycle: Which one it is, from 1.
        branch: The head branch.
        head_sha: What the branch was at.
        commit: The commit that is to be pushed.
        items: Keys of the feedback that it answers (``FeedbackItem.key``); one with ``.block`` behind it stands for a
            suggestion block alone, without the words beside it.
        files: Paths that it changes.
    """

    number: int
    cycle: int
    branch: str
    head_sha: str
    commit: str
    items: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
