"""Files that each reviewer has finished: an issue that it does not report there does not exist."""

from __future__ import annotations

from collections.abc import Iterable

from selfreview.api import Depth
from selfreview.model.result import ReviewerStatus
from selfreview.review.select import Selected
from selfreview.review.tasks import Outcome


class FinishedFiles:
    """Files that each reviewer has finished; models do not count, for their answers vary.

    Args:
        outcomes: How the reviewers' tasks ended.
        selected: Who was to take part.
    """

    def __init__(self, outcomes: Iterable[Outcome], selected: Selected) -> None:
        self._names = selected.registered
        self._limited = selected.limited
        self._files: dict[str, dict[str, bool]] = {}
        for task, review, *_ in outcomes:
            if task.reviewer.depth is Depth.MODEL or review.status is ReviewerStatus.NOT_APPLICABLE:
                continue
            for file in task.files:
                left_out = any(
                    file.path in some for some in (review.unreviewed, review.not_applicable, review.text_only)
                )
                done = review.status is ReviewerStatus.OK and not left_out
                self._files.setdefault(file.path, {})[task.reviewer.name] = done

    def has_finished(self, reviewer: str, path: str) -> bool:
        """Return whether a reviewer has finished a file."""
        return self._files.get(path, {}).get(reviewer, False)

    def would_know(self, name: str, path: str) -> bool:
        """Return whether every reviewer that could report a name in a file has finished the file.

        Args:
            name: A reviewer, a rule, or both as ``reviewer/rule``.
            path: The file.
        """
        reviewer, slash, _ = name.partition("/")
        if slash or reviewer in self._names:
            return self.has_finished(reviewer, path)
        finished = self._files.get(path, {})
        return bool(finished) and not self._limited and all(finished.values())
