"""Removal of secrets from what is printed and stored, whoever quotes them: issues, excerpts, the cache."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

import msgspec

from selfreview.api import ChangedFile, Finding, Issue, Place, Review, ReviewerStatus, Side, SourceText
from selfreview.review.anchor import by_path
from selfreview.review.context import RunContext, Workbench
from selfreview.review.tasks import Outcome
from selfreview.secrets.match import Confidence, SecretMatch
from selfreview.secrets.scanner import hide, mask, mask_secrets, scan

SECRETS = "secrets"
"""The reviewer that is relied on for which files hold no secret."""

MAX_CHARACTERS = 500
"""Characters of a reviewer's error or hint that are shown."""

_MAY_HOLD_ONE = re.compile(r"(?=\S*[0-9])\S{8,}|[=:]\s*\S{6,}|://|-----")
"""Text that has to be scanned: the rules need not be loaded where all reviews come from the cache."""

Quoting = TypeVar("Quoting", Finding, Issue)
Words = TypeVar("Words", str, str | None)
TextOf = Callable[[str, Side], SourceText | None]


class Privacy:
    """Hides secrets where there may be some.

    Text is scanned again only where the ``secrets`` reviewer found one or did not look.

    Args:
        bench: The run's content.
        outcomes: What the reviewers did.
    """

    def __init__(self, bench: Workbench, outcomes: Iterable[Outcome]) -> None:
        files = by_path(bench.change)

        def text_of(path: str, side: Side) -> SourceText | None:
            return bench.text(files[path], side) if path in files else None

        self._hider = Hider(text_of)
        self._clean: set[str] = set()
        self._guilty: list[str] = []
        for outcome in outcomes:
            if outcome.task.reviewer.name == SECRETS and outcome.review.status is ReviewerStatus.OK:
                seen = {file.path for file in outcome.task.files} - set(outcome.review.unreviewed)
                guilty = {finding.file for finding in outcome.review.findings}
                self._clean, self._guilty = seen - guilty, sorted(guilty)

    def clean(self, item: Quoting) -> Quoting:
        """Return a finding or an issue without secrets: those of its file, and what looks like one in its own texts.

        Those need not quote the file: a repository's own rule and a plugin bring theirs.
        """
        of_others = item if self._is_clean(item.file, item.side) else self._hider.clean(item)
        return _rewritten(of_others, _hidden, lambda code: _hidden(code, source=True))

    def review(self, review: Review) -> Review:
        """Return a review without secrets, in its findings and in the tool's messages about its work."""
        return msgspec.structs.replace(
            review,
            findings=[self.clean(finding) for finding in review.findings],
            error=self.words(review.error),
            hint=self.words(review.hint),
            gaps=[self.words(gap) for gap in review.gaps],
            notes=[self.words(note) for note in review.notes],
            unreviewed={path: self.words(why) for path, why in review.unreviewed.items()},
            text_only={path: self.words(why) for path, why in review.text_only.items()},
        )

    def words(self, text: Words) -> Words:
        """Return a tool's or plugin's message in one line, without what looks like a secret or is one of the change's.

        It is cut after it was scanned: half a secret is not recognised any more.
        """
        if not text:
            return text
        line = " ".join(text.split())
        if _MAY_HOLD_ONE.search(line):
            line = mask_secrets(line)
        for path in self._guilty:
            line = self._hider.words(line, path)
        return line if len(line) <= MAX_CHARACTERS else line[: MAX_CHARACTERS - 1] + "…"

    def source(self, file: ChangedFile, side: Side, text: SourceText | None) -> SourceText | None:
        """Return a file's text without secrets."""
        return text if text is None or self._is_clean(file.path, side) else self._hider.source(file.path, side)

    def _is_clean(self, path: str, side: Side) -> bool:
        return side is Side.NEW and path in self._clean


class Hider:
    """Masking of the secrets of files in findings and issues; scans each side of a file once.

    Args:
        text_of: Returns a file's text on one side, by path, or None.
    """

    def __init__(self, text_of: TextOf) -> None:
        self._text_of = text_of
        self._found: dict[tuple[str, Side], list[SecretMatch]] = {}
        self._lines: dict[tuple[str, Side], Sequence[str]] = {}

    def source(self, path: str, side: Side = Side.NEW) -> SourceText | None:
        """Return a file's text with every secret hidden, wherever its value occurs; its lines keep their numbers."""
        source = self._text_of(path, side)
        if source is None:
            return None
        known = self._of_both_sides(path)
        if not known:
            return source
        lines = mask(source.text, self._matches(path, side)).split("\n")
        return source._replace(lines=tuple(hide(line, known) for line in lines))  # by line: a value may span some

    def clean(self, item: Quoting) -> Quoting:
        """Return a finding or an issue without the secrets of the file that it is about."""
        found = self._of_both_sides(item.file)
        if not found:
            return item

        def hidden(text: str) -> str:
            return hide(text, found)

        told, source = _rewritten(item, hidden, hidden), self._text_of(item.file, item.side)
        if source is not None and item.evidence and item.evidence == source.line(item.line_start):
            # In its place, a word that is too common to be looked for is a secret all the same.
            line = self._without_words(item.file, item.side, source)[item.line_start - 1]
            return msgspec.structs.replace(told, evidence=hidden(line))
        return told

    def words(self, text: str, path: str) -> str:
        """Return a text without the secrets of a file's new side."""
        return hide(text, self._matches(path, Side.NEW))

    def _without_words(self, path: str, side: Side, source: SourceText) -> Sequence[str]:
        """Return the lines of a file with the words masked that only stand where a secret would."""
        if (path, side) not in self._lines:
            words = (match for match in self._matches(path, side) if match.confidence is Confidence.DOUBTFUL)
            self._lines[path, side] = mask(source.text, words).split("\n")
        return self._lines[path, side]

    def _of_both_sides(self, path: str) -> list[SecretMatch]:
        return [*self._matches(path, Side.NEW), *self._matches(path, Side.OLD)]

    def _matches(self, path: str, side: Side) -> list[SecretMatch]:
        if (path, side) not in self._found:
            source = self._text_of(path, side)
            self._found[path, side] = scan(source.text) if source is not None else []
        return self._found[path, side]


def _hidden(text: str, *, source: bool = False) -> str:
    """Return a text without what looks like a secret in it; ``source``: whether it is code, where names are none."""
    return hide(text, scan(text, source=source)) if _MAY_HOLD_ONE.search(text) else text


def _rewritten(item: Quoting, words: Callable[[str], str], code: Callable[[str], str]) -> Quoting:
    """Return a finding or an issue with its texts, and the code that it quotes, as two functions rewrite them.

    A mechanical fix that one would rewrite is dropped: applied, it would write the mask.
    """

    def maybe(text: str | None) -> str | None:
        return None if text is None else words(text)

    def note(place: Place) -> Place:
        return msgspec.structs.replace(place, note=maybe(place.note))

    stays = all(code(edit.replacement) == edit.replacement for edit in item.edits)
    return msgspec.structs.replace(
        item,
        description=words(item.description),
        suggested_fix=maybe(item.suggested_fix),
        rule=maybe(item.rule),
        status_reason=maybe(item.status_reason),
        evidence=None if item.evidence is None else code(item.evidence),
        related=type(item.related)(map(note, item.related)),
        edits=item.edits if stays else type(item.edits)(),
    )


class SafeContext(RunContext):
    """The context that reporters are given: its text holds no secrets.

    Args:
        bench: The run's content.
        privacy: Knows where secrets may be.
        timeout: Seconds until its deadline.
    """

    def __init__(self, bench: Workbench, privacy: Privacy, timeout: float) -> None:
        super().__init__(bench, timeout)
        self._privacy = privacy

    def text(self, file: ChangedFile, side: Side = Side.NEW) -> SourceText | None:
        """Return a file's text with every secret hidden."""
        return self._privacy.source(file, side, super().text(file, side))
