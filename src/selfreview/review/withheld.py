"""A reviewer that was asked for and may not take part: it is listed as skipped, with the reason."""

from __future__ import annotations

from collections.abc import Sequence

from selfreview.api import ChangedFile, Review, ReviewContext, Reviewer, ReviewerStatus


class Withheld:
    """Stands in for a reviewer.

    Args:
        reviewer: Who may not take part.
        reason, hint: Why, and what to do about it, in one line each.
    """

    default = False

    def __init__(self, reviewer: Reviewer, reason: str, hint: str) -> None:
        self._reviewer = reviewer
        self._reason, self._hint = reason, hint
        self.name = reviewer.name
        self.depth = reviewer.depth

    def selects(self, file: ChangedFile) -> bool:
        """Take what the reviewer would take."""
        return self._reviewer.selects(file)

    def unavailable(self) -> tuple[str, str]:
        """Return why it may not take part, and what to do about it."""
        return self._reason, self._hint

    def cache_key(self, _context: ReviewContext) -> None:
        """Keep nothing, and take nothing that was kept."""
        return

    def review(self, _files: Sequence[ChangedFile], _context: ReviewContext) -> Review:
        """Return a review without findings."""
        return Review(status=ReviewerStatus.SKIPPED, error=self._reason, hint=self._hint)
