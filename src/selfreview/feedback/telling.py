"""The words of a fix cycle that come from what fixers and reviewers said."""

from __future__ import annotations

from collections.abc import Sequence

from selfreview.api import Judged, Meaning
from selfreview.feedback.landing import subject
from selfreview.feedback.seams import Fixed
from selfreview.feedback.trailers import co_author, message
from selfreview.fixers._mechanical import MADE
from selfreview.model.refinement import FixOutcome
from selfreview.model.wire import display_path
from selfreview.scan.redact import mask_secrets


def commit_text(fixed: Fixed, done: Sequence[Judged], *, request: str, cycle: int) -> str:
    """Return the message of a fix commit.

    Args:
        fixed: What the fixers came to, with a patch.
        done: The feedback that it answers.
        request: The pull request, as ``owner/name#5``.
        cycle: Which answer it is.
    """
    paths = [file.name for file in fixed.patch.manifest.files] if fixed.patch is not None else []
    authors = [
        name
        for one in done
        if one.meaning is Meaning.SUGGESTION and one.item.author is not None
        if (name := co_author(one.item.author.login, one.item.author.id)) is not None
    ]
    return message(
        subject(cycle, paths),
        [_told(fixed, one) for one in done],
        request=request,
        cycle=cycle,
        keys=[one.item.key for one in done],
        authors=authors,
    )


def is_done(fixed: Fixed, one: Judged) -> bool:
    """Whether fixers say that they did what was asked for."""
    answer = fixed.answers.get(one.item.key)
    return answer is not None and answer.outcome is FixOutcome.ADDRESSED


def _told(fixed: Fixed, one: Judged) -> str:
    if one.item.spot is not None and made_as_suggested(fixed, one):
        return f"Apply the suggestion on {display_path(one.item.spot.path)}"
    answer = fixed.answers.get(one.item.key)
    words = answer.why if answer is not None and answer.why else one.description
    return mask_secrets(" ".join(words.split()))[:200]


def made_as_suggested(fixed: Fixed, one: Judged) -> bool:
    """Whether a suggestion was applied as it is, and not by a fixer that reads it."""
    answer = fixed.answers.get(one.item.key)
    return answer is not None and answer.why == MADE


def said_of(fixed: Fixed, work: Sequence[Judged]) -> dict[str, str]:
    """Return what is answered to each piece of feedback that fixers had, as plain text, by its key."""
    return {
        one.item.key: "the suggestion is applied" if made_as_suggested(fixed, one) else fixed.answers[one.item.key].why
        for one in work
        if one.item.key in fixed.answers
    }


def why_left(one: Judged, fixed: Fixed) -> str:
    """Return why something is left to a person, as a sentence."""
    answer = fixed.answers.get(one.item.key)
    who = one.item.author.login if one.item.author is not None else "ghost"
    why = answer.why if answer is not None and answer.why else "no fixer changed anything for it"
    return f"not fixed, what {who} asked for: {why}"


def reasons(people: Sequence[Judged]) -> list[str]:
    """Return why a person is called for what needs one, as sentences."""
    return [
        f"{one.item.author.login if one.item.author is not None else 'ghost'} wrote something for a person: {one.why}"
        for one in people
    ]
