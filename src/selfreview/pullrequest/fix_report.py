"""Texts of a fix cycle that come from fixers and reviewers."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Iterable, Sequence

import msgspec

from selfreview.api import ChangeRequest, Cycle, Judged, Meaning
from selfreview.fixers.mechanical import MADE
from selfreview.model.refinement import FixOutcome
from selfreview.model.wire import display_path
from selfreview.pullrequest.feedback.classify import WORDS_LEFT
from selfreview.pullrequest.feedback.marks import block_key
from selfreview.pullrequest.feedback.unresolved import Left, unfixed
from selfreview.pullrequest.git.landing import subject
from selfreview.pullrequest.git.trailers import FixCommit, co_author, message
from selfreview.pullrequest.ports import Fixed
from selfreview.pullrequest.replies import PARTLY
from selfreview.secrets.masking import mask_secrets

TAKEN_BACK = "a hook of the repository takes its fix back as it is committed"


def without(fixed: Fixed, lost: Collection[str]) -> Fixed:
    """Return the outcome of the fixers, less the fixes that hooks took back.

    Args:
        fixed: It.
        lost: Keys of the feedback that is not answered by it.
    """
    no = {
        key: msgspec.structs.replace(fixed.answers[key], outcome=FixOutcome.NOT_ADDRESSED, why=TAKEN_BACK)
        for key in lost
        if key in fixed.answers
    }
    return dataclasses.replace(fixed, answers={**fixed.answers, **no})


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
        for piece in done
        if piece.meaning is Meaning.SUGGESTION and piece.item.author is not None
        if (name := co_author(piece.item.author.login, piece.item.author.id)) is not None
    ]
    return message(
        subject(cycle, paths),
        [_told(fixed, piece) for piece in done],
        request=request,
        cycle=cycle,
        keys=[key for piece in done if (key := done_key(fixed, piece)) is not None],
        authors=authors,
    )


def done_key(fixed: Fixed, piece: Judged) -> str | None:
    """Return the key of the part of one piece of feedback that is done: all of it, its suggestion, or None."""
    key, block = piece.item.key, block_key(piece.item.key)
    if not piece.words_left and _addressed(fixed, key) and (block not in fixed.answers or _addressed(fixed, block)):
        return key
    return block if _addressed(fixed, block) else None


def _addressed(fixed: Fixed, key: str) -> bool:
    """Return whether a patch that still exists addresses it: a fixer's word on edits that were dropped is void."""
    answer = fixed.answers.get(key)
    return fixed.patch is not None and answer is not None and answer.outcome is FixOutcome.ADDRESSED


def _made(fixed: Fixed, key: str) -> bool:
    """Return whether a suggestion was applied as it is, and not by a fixer that reads it."""
    return _addressed(fixed, key) and fixed.answers[key].why == MADE


def _words(fixed: Fixed, piece: Judged) -> str:
    """Return the words of a fixer that read one piece of feedback, or nothing."""
    key = block_key(piece.item.key) if piece.words_left else piece.item.key
    answer = fixed.answers.get(key)
    return answer.why if answer is not None and not _made(fixed, key) else ""


def _told(fixed: Fixed, piece: Judged) -> str:
    key, block = piece.item.key, block_key(piece.item.key)
    spot = piece.item.spot
    if spot is not None and (_made(fixed, key) or _made(fixed, block)):
        line = spot.line if spot.line is not None else spot.original_line
        applied = f"Apply the suggestion on {display_path(spot.path)}{f':{line}' if line is not None else ''}"
        words = _words(fixed, piece) if done_key(fixed, piece) == key else ""
    else:
        applied, words = "", _words(fixed, piece) or piece.description
    said = mask_secrets(" ".join(words.split()))[:200]
    return "; ".join(part for part in (applied, said) if part)


def said_of(fixed: Fixed, work: Sequence[Judged]) -> dict[str, str]:
    """Return the reply to each piece of feedback that fixers had, as plain text, by the key of the part done."""
    said = {}
    for piece in work:
        key, block = piece.item.key, block_key(piece.item.key)
        if key not in fixed.answers and block not in fixed.answers:
            continue
        done = done_key(fixed, piece)
        applied = "the suggestion is applied" if _made(fixed, key) or _made(fixed, block) else ""
        if done == block:
            said[block] = PARTLY
        else:
            said[key] = "; ".join(part for part in (applied, _words(fixed, piece), piece.answer) if part)
    return said


def why_left(piece: Judged, fixed: Fixed) -> Left:
    """Return a piece of feedback that is not all done, with the reason: never with a fixer's words on its own work."""
    if piece.words_left and done_key(fixed, piece) is not None:
        return Left(piece, WORDS_LEFT)
    general = fixed.why[0] if fixed.why and fixed.patch is None else "no fixer changed anything for it"
    answers = [fixed.answers[key] for key in (piece.item.key, block_key(piece.item.key)) if key in fixed.answers]
    reasons = (answer.why for answer in answers if answer.outcome is not FixOutcome.ADDRESSED and answer.why)
    return unfixed(piece, next(reasons, general))


def general_reasons(fixed: Fixed) -> list[str]:
    """Return why nothing was fixed, without the reasons about single pieces of feedback."""
    said = {answer.why for answer in fixed.answers.values()}
    return [why for why in fixed.why[1:] if why not in said]


def for_people(judged: Iterable[Judged]) -> list[Left]:
    """Return the feedback that needs a person, with the reason."""
    return [Left(piece, piece.why or "it needs a person") for piece in judged if piece.meaning is Meaning.NEEDS_PERSON]


def as_cycle(commit: FixCommit, request: ChangeRequest, files: Sequence[str]) -> Cycle:
    """Return the cycle that plugins are asked about before a commit that changes some files is pushed."""
    return Cycle(
        number=request.number,
        cycle=commit.cycle,
        branch=request.head,
        head_sha=request.head_sha,
        commit=commit.sha,
        items=commit.keys,
        files=tuple(files),
    )
