"""Outcome of the fixers, and what is made of it: the commit's message, replies, and reasons of what is not fixed."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Mapping, Sequence

import msgspec

from selfreview.api import Judged, Meaning
from selfreview.apply.patches import Patch
from selfreview.model.refinement import FixAnswer, FixOutcome
from selfreview.model.wire import display_path
from selfreview.pullrequest.feedback.classify import WORDS_LEFT
from selfreview.pullrequest.feedback.marks import block_key
from selfreview.pullrequest.feedback.unresolved import Unresolved, unfixed
from selfreview.pullrequest.git.trailers import co_author, message, subject
from selfreview.pullrequest.quota import Limit
from selfreview.pullrequest.texts import PARTLY
from selfreview.secrets.scanner import mask_secrets

TAKEN_BACK = "a hook of the repository takes its fix back as it is committed"


@dataclasses.dataclass(frozen=True, kw_only=True)
class Fixed:
    """Outcome of the fixers.

    Attributes:
        patch: What they changed, past the guard, the self-review and the checks; None: nothing.
        answers: Their word on each piece of feedback, by its key.
        applied: Keys of the suggestions that were applied as they are, and not by a fixer that reads them.
        why: Why there is no patch, or what else a person should know, as sentences.
        places: Where each piece of feedback stands before the fix, by its key: path, first and last line (0: no line).
        limit: The quota that ended it before it was done, or None.
        away: Why a model or an agent could not be asked, as a sentence, or None.
    """

    patch: Patch | None
    answers: Mapping[str, FixAnswer] = dataclasses.field(default_factory=dict)
    applied: frozenset[str] = frozenset()
    why: tuple[str, ...] = ()
    places: Mapping[str, tuple[str, int, int]] = dataclasses.field(default_factory=dict)
    limit: Limit | None = None
    away: str | None = None

    def without(self, lost: Collection[str]) -> Fixed:
        """Return the outcome less the fixes that hooks took back, by the keys of their feedback."""
        no = {
            key: msgspec.structs.replace(self.answers[key], outcome=FixOutcome.NOT_ADDRESSED, why=TAKEN_BACK)
            for key in lost
            if key in self.answers
        }
        return dataclasses.replace(self, answers={**self.answers, **no})

    def commit_text(self, done: Sequence[Judged], *, request: str, cycle: int) -> str:
        """Return the message of the fix commit."""
        paths = [file.name for file in self.patch.manifest.files] if self.patch is not None else []
        authors = [
            name
            for piece in done
            if piece.meaning is Meaning.SUGGESTION and piece.item.author is not None
            if (name := co_author(piece.item.author.login, piece.item.author.id)) is not None
        ]
        return message(
            subject(cycle, paths),
            [self._entry(piece) for piece in done],
            request=request,
            cycle=cycle,
            keys=[key for piece in done if (key := self.done_key(piece)) is not None],
            authors=authors,
        )

    def done_key(self, piece: Judged) -> str | None:
        """Return the key of the part of one piece of feedback that is done: all of it, its suggestion, or None."""
        key, block = piece.item.key, block_key(piece.item.key)
        if not piece.words_left and self._addressed(key) and (block not in self.answers or self._addressed(block)):
            return key
        return block if self._addressed(block) else None

    def _addressed(self, key: str) -> bool:
        """Return whether a patch that still exists addresses it: a fixer's word on edits that were dropped is void."""
        answer = self.answers.get(key)
        return self.patch is not None and answer is not None and answer.outcome is FixOutcome.ADDRESSED

    def _applied(self, piece: Judged) -> bool:
        """Return whether a comment's suggestion was applied as it is."""
        return any(map(self._made, (piece.item.key, block_key(piece.item.key))))

    def _made(self, key: str) -> bool:
        return self._addressed(key) and key in self.applied

    def _words(self, piece: Judged) -> str:
        """Return the words of a fixer that read one piece of feedback, or nothing."""
        key = block_key(piece.item.key) if piece.words_left else piece.item.key
        answer = self.answers.get(key)
        return answer.why if answer is not None and not self._made(key) else ""

    def _entry(self, piece: Judged) -> str:
        """Return the line of the commit message about one piece of feedback."""
        spot = piece.item.spot
        if spot is not None and self._applied(piece):
            line = spot.line if spot.line is not None else spot.original_line
            applied = f"Apply the suggestion on {display_path(spot.path)}{f':{line}' if line is not None else ''}"
            words = self._words(piece) if self.done_key(piece) == piece.item.key else ""
        else:
            applied, words = "", self._words(piece) or piece.description
        shown = mask_secrets(" ".join(words.split()))[:200]
        return "; ".join(part for part in (applied, shown) if part)

    def replies(self, work: Sequence[Judged]) -> dict[str, str]:
        """Return the reply to each piece of feedback that fixers had, as plain text, by the key of the part done."""
        found = {}
        for piece in work:
            key, block = piece.item.key, block_key(piece.item.key)
            if key not in self.answers and block not in self.answers:
                continue
            if self.done_key(piece) == block:
                found[block] = PARTLY
            else:
                applied = "the suggestion is applied" if self._applied(piece) else ""
                found[key] = "; ".join(part for part in (applied, self._words(piece), piece.answer) if part)
        return found

    def unresolved(self, piece: Judged) -> Unresolved:
        """Return a piece of feedback that is not all done, with the reason: never a fixer's words on its own work."""
        if piece.words_left and self.done_key(piece) is not None:
            return Unresolved(piece, WORDS_LEFT)
        general = self.why[0] if self.why and self.patch is None else "no fixer changed anything for it"
        answers = [self.answers[key] for key in (piece.item.key, block_key(piece.item.key)) if key in self.answers]
        reasons = (answer.why for answer in answers if answer.outcome is not FixOutcome.ADDRESSED and answer.why)
        return unfixed(piece, next(reasons, general))

    def general_reasons(self, left: Sequence[Unresolved]) -> list[str]:
        """Return why nothing was fixed, without the reasons that single pieces of feedback have."""
        single = {answer.why for answer in self.answers.values()}
        return [why for why in self.why if why not in single and not any(piece.is_because(why) for piece in left)]
