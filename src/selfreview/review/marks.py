"""Marks that take an issue out of the count: who may set which, and in what order they are asked."""

from __future__ import annotations

import enum
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import NamedTuple, Protocol

from selfreview.model.issue import GATE, Issue, IssueStatus, Severity


class Mark(NamedTuple):
    """Status that a mark gives an issue, with the reason.

    Attributes:
        merged: Whether the mark holds for what was merged into the issue too: the person who set it saw one issue.
        line: The line of the comment that sets it, where that is about lines; else 0.
    """

    status: IssueStatus
    reason: str
    merged: bool = False
    line: int = 0


class OwnMarks(enum.StrEnum):
    """Marks that count among those that a change sets on its own issues."""

    COUNT = "count"
    """All of them: on a person's own machine."""

    LIST = "list"
    """All but those on critical issues: in a gate, of somebody who could merge the change anyway."""

    IGNORE = "ignore"
    """None: in a gate, of everybody else."""

    def applies_to(self, issue: Issue) -> bool:
        """Return whether a mark of the change counts on an issue."""
        return self is OwnMarks.COUNT or (self is OwnMarks.LIST and issue.severity is not Severity.CRITICAL)


class Marker(Protocol):
    """Sets marks of one kind."""

    def mark(self, issue: Issue) -> Mark | None:
        """Return the mark of an open issue, or None."""


def first_mark(markers: Sequence[Marker], issue: Issue) -> Mark | None:
    """Return the first mark that one of the markers sets on an issue, or None."""
    marks = (marker.mark(issue) for marker in markers)
    return next((mark for mark in marks if mark is not None), None)


def merged_into(issues: Sequence[Issue]) -> Mapping[str, Sequence[Issue]]:
    """Return the duplicates of issues, by the fingerprint of the issue that they were merged into."""
    names = {issue.id: issue.fingerprint for issue in issues}
    merged: dict[str, list[Issue]] = defaultdict(list)
    for issue in issues:
        if issue.duplicate_of in names:
            merged[names[issue.duplicate_of]].append(issue)
    return merged


def is_markable(issue: Issue) -> bool:
    """Return whether marks besides a person's acceptance may apply: not to a gate's issues, nor to failing checks."""
    return issue.reviewer != GATE and not issue.is_check


class Claimed:
    """Marks of issues in files which the change itself excludes from review.

    Args:
        reasons: What it says, by path.
    """

    def __init__(self, reasons: Mapping[str, str]) -> None:
        self._reasons = reasons

    def mark(self, issue: Issue) -> Mark | None:
        """Return the mark of an issue in such a file."""
        reason = self._reasons.get(issue.file) if is_markable(issue) else None
        return None if reason is None or not OwnMarks.LIST.applies_to(issue) else Mark(IssueStatus.SUPPRESSED, reason)
