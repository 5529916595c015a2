"""Masking of secrets in findings and excerpts, whichever reviewer wrote them.

A secret stands in more than its own finding: another reviewer quotes the line, an excerpt shows the line beside it, a
fix repeats it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import msgspec

from selfreview.api.context import SourceText
from selfreview.model.issue import Finding, Issue, Place, Side
from selfreview.scan.redact import hide, mask
from selfreview.scan.secrets import SecretMatch, scan

TextOf = Callable[[str, Side], SourceText | None]
Said = TypeVar("Said", Finding, Issue)


class Hider:
    """Masking of the secrets of files in findings and issues; scans each side of a file once.

    Args:
        text_of: Returns a file's text on one side, by path, or None.
    """

    def __init__(self, text_of: TextOf) -> None:
        self._text_of = text_of
        self._found: dict[tuple[str, Side], list[SecretMatch]] = {}

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

    def clean(self, said: Said) -> Said:
        """Return a finding or an issue without the secrets of the file that it is about.

        A mechanical fix that repeats one is dropped: applied, it would write the mask.
        """
        found = self._of_both_sides(said.file)
        if not found:
            return said

        def words(text: str | None) -> str | None:
            return None if text is None else hide(text, found)

        def note(place: Place) -> Place:
            return msgspec.structs.replace(place, note=words(place.note))

        edits = said.edits if all(words(e.replacement) == e.replacement for e in said.edits) else type(said.edits)()
        return msgspec.structs.replace(
            said,
            description=words(said.description),
            suggested_fix=words(said.suggested_fix),
            evidence=words(said.evidence),
            related=type(said.related)(map(note, said.related)),
            edits=edits,
        )

    def words(self, text: str, path: str) -> str:
        """Return a text without the secrets of a file's new side."""
        return hide(text, self._matches(path, Side.NEW))

    def _of_both_sides(self, path: str) -> list[SecretMatch]:
        return [*self._matches(path, Side.NEW), *self._matches(path, Side.OLD)]

    def _matches(self, path: str, side: Side) -> list[SecretMatch]:
        if (path, side) not in self._found:
            source = self._text_of(path, side)
            self._found[path, side] = scan(source.text) if source is not None else []
        return self._found[path, side]
