"""Texts of the files that issues are in."""

from __future__ import annotations

from collections.abc import Sequence

from selfreview.api import ChangedFile, Issue, LineRange, ReviewContext, Side, SourceText
from selfreview.model.wire import display_path


class Sources:
    """The texts of a change by an issue's path.

    Args:
        context: Where texts come from; None gives none.
    """

    def __init__(self, context: ReviewContext | None) -> None:
        self._context = context
        self._files: dict[str, ChangedFile] = {}
        files = context.change.files if context is not None else ()
        # A name at the head wins over the same name at the base: after a swap of two files both exist.
        for old in (True, False):
            for file in files:
                path = file.path_at_base if old else file.path
                self._files[path] = self._files[display_path(path)] = file

    def find(self, issue: Issue) -> tuple[SourceText | None, Sequence[LineRange]]:
        """Return the text on the issue's side, or None, and the lines that the change touches there."""
        file = self._files.get(issue.file)
        if file is None or self._context is None or not issue.line_start:
            return None, ()
        return self._context.text(file, issue.side), file.removed if issue.side is Side.OLD else file.added
