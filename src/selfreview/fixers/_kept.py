"""Selection of the issues whose edits of one file the guard accepts: one that it rejects costs none of the others."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from selfreview.api import FixContext, Issue
from selfreview.fixers._edits import Edited, apply
from selfreview.git.entry import Entry
from selfreview.loop.guard import Bounds, examine
from selfreview.loop.guard import Edited as EditedFile

MOST_TRIES = 40
"""Maximum number of guard runs for one file; issues that are not sorted out by then are left."""


def keep(path: str, entry: Entry, issues: Sequence[Issue], context: FixContext) -> Edited:
    """Apply the edits of as many issues as the guard accepts.

    Args:
        path: The file's path.
        entry: The file.
        issues: Issues of this file, with the lines that it has now.
        context: Says what the guard measures edits against.

    Raises:
        ToolError: If the library that finds secrets is broken or fails.
    """

    def objection(tried: Sequence[Issue]) -> str | None:
        data = apply(entry.data, tried).data
        if data == entry.data:
            return None
        edits = [EditedFile(path, entry, Entry(entry.mode, data))]
        rejections = examine(edits, Bounds(change=context.change, issues=tried, config=context.config))
        return "; ".join(f"{each.reason} ({each.rule})" for each in rejections) or None

    search = _Search(objection)
    edited = apply(entry.data, search.extend([], list(issues)))
    return Edited(edited.data, edited.done, {**edited.left, **search.left})


class _Search:
    """Splits a list of issues in halves until those that the guard accepts are found."""

    def __init__(self, objection: Callable[[Sequence[Issue]], str | None]) -> None:
        self._objection = objection
        self._tries = 0
        self.left: dict[str, str] = {}

    def extend(self, kept: list[Issue], more: list[Issue]) -> list[Issue]:
        """Return the kept issues, and those of others that can be kept with them."""
        if not more:
            return kept
        self._tries += 1
        why = self._objection([*kept, *more])
        if why is None:
            return [*kept, *more]
        if len(more) == 1 or self._tries >= MOST_TRIES:
            self.left |= {issue.id: f"its edit cannot be kept: {why}" for issue in more}
            return kept
        half = len(more) // 2
        return self.extend(self.extend(kept, more[:half]), more[half:])
