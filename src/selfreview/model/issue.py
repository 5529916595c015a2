"""Findings as reviewers report them, and issues as results hold them."""

from __future__ import annotations

import enum
from collections.abc import Mapping

import msgspec


class Severity(enum.StrEnum):
    """The severity of an issue; ordered, ``CRITICAL`` highest."""

    CRITICAL = "critical"
    HIGH = "high"
    MEDIUM = "medium"
    LOW = "low"
    SUGGESTION = "suggestion"

    @property
    def rank(self) -> int:
        """0 for ``suggestion`` up to 4 for ``critical``."""
        return _RANKS[self]

    def at_least(self, other: Severity) -> bool:
        """Return whether this severity is ``other`` or worse."""
        return self.rank >= other.rank


_RANKS = {severity: rank for rank, severity in enumerate(reversed(list(Severity)))}


NEVER = "never"
"""Threshold at which nothing blocks."""
DEFAULT_THRESHOLD = Severity.MEDIUM.value


def lowest_blocking(threshold: str | Mapping[str, str], category: str) -> Severity | None:
    """Return the lowest severity that blocks in a category, or None where none does.

    Args:
        threshold: A severity, or ``never``; or a table from category to such, with ``default`` for the rest.
        category: A category, or ``default``.
    """
    if not isinstance(threshold, str):
        threshold = threshold.get(category, threshold.get("default", DEFAULT_THRESHOLD))
    return None if threshold == NEVER else Severity(threshold)


class Category(enum.StrEnum):
    """The kind of an issue."""

    SECURITY = "security"
    ARCHITECTURE = "architecture"
    LOGIC = "logic"
    STYLE = "style"
    PERFORMANCE = "performance"
    TESTING = "testing"
    DOCUMENTATION = "documentation"


class Side(enum.StrEnum):
    """The side of the diff that a line number counts on."""

    NEW = "new"
    OLD = "old"


class IssueStatus(enum.StrEnum):
    """The status of an issue; only ``OPEN`` ones count towards the verdict."""

    OPEN = "open"
    ADDRESSED = "addressed"
    SUPPRESSED = "suppressed"
    BASELINED = "baselined"
    ACCEPTED = "accepted"
    DISMISSED = "dismissed"
    UNCONFIRMED = "unconfirmed"
    DUPLICATE = "duplicate"
    OUT_OF_SCOPE = "out_of_scope"


GATE = "gate"
"""The reviewer of what a change claims of its own review, in a gate."""

OWN = "selfreview"
"""The reviewer of the marks themselves: suppressions and baseline entries that are invalid, or match nothing."""

CHECK_PREFIX = "check-"
"""Prefix of the reviewer's name for issues of the project's checks."""


class Place(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """A place in the change that an issue refers to besides its own.

    Attributes:
        file: Path from the top of the repository.
        line_start, line_end: Lines from 1, both inclusive.
        side: Which side the lines count on.
        note: What is there, or None.
    """

    file: str
    line_start: int
    line_end: int
    side: Side = Side.NEW
    note: str | None = None


class Edit(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """One replacement of a mechanical fix, on the new side.

    Lines count from 1, columns are 0-based offsets in code points; the end is exclusive, so that
    ``(3, 0)..(4, 0)`` is the whole of line 3 with its line break.

    Attributes:
        line_start, column_start: Where it begins.
        line_end, column_end: Where it ends.
        replacement: The text that takes the place of what was there.
    """

    line_start: int
    column_start: int
    line_end: int
    column_end: int
    replacement: str


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    """A finding as a reviewer reports it, before it is tied to the change.

    Attributes:
        file: Path as in :class:`~selfreview.model.change.ChangedFile`.
        line_start, line_end: Lines from 1, both inclusive; ``line_start`` 0 stands for the file as a whole.
        column: 1-based column in code points of the start, or None.
        severity, category: As the reviewer's own table maps them.
        description: What is wrong and what follows from it, as plain text.
        side: Which side the lines count on.
        suggested_fix: What to do, as plain text, or None.
        rule: The reviewer's stable rule id, or None.
        evidence: A verbatim line of the code in question; relocates a wrong line number. None: taken from the place.
        confidence: 0 to 1, or None where the reviewer does not say.
        related: Other places; one on a changed line keeps an issue elsewhere in scope.
        edits: A mechanical fix, or nothing.
        status, status_reason: Where the reviewer itself says that the finding does not count (``DISMISSED``,
            ``UNCONFIRMED``, ``OUT_OF_SCOPE``), and why.
        unreviewed: Whether it stands for what nobody could review. Anything may be there, so that it blocks at every
            threshold and in every category, unless nothing blocks at all.
        commit: Id of the commit that adds what is meant, where it is not in the file any more; ``line_start`` is 0
            then, and ``evidence`` tells it from others of its rule and file.
        commit_line: Its line in that commit, from 1, or None.
    """

    file: str
    line_start: int
    severity: Severity
    category: Category
    description: str
    line_end: int = 0
    column: int | None = None
    side: Side = Side.NEW
    suggested_fix: str | None = None
    rule: str | None = None
    evidence: str | None = None
    confidence: float | None = None
    related: tuple[Place, ...] = ()
    edits: tuple[Edit, ...] = ()
    status: IssueStatus = IssueStatus.OPEN
    status_reason: str | None = None
    unreviewed: bool = False
    commit: str | None = None
    commit_line: int | None = None


class Issue(msgspec.Struct, kw_only=True, rename="camel"):
    """One issue of a result; marked, never dropped.

    Attributes that a :class:`Finding` has mean the same here.

    Attributes:
        id: ``sr-`` and 8 hex digits of the fingerprint; longer where two would collide.
        reviewer: Name of the reviewer that reported it.
        also_reported_by: Names of the reviewers whose duplicates were merged into it.
        status, status_reason: Where it stands, and why.
        merged_into: The id of the issue that it is a duplicate of; missing without one.
        maybe_accepted: Whether it may be one that was accepted under another fingerprint; missing where not.
        fingerprint: ``v1:`` and a digest that survives lines moving and the file being renamed.
        path_bytes: Base64 of the path where it is not UTF-8, else None.
    """

    id: str
    severity: Severity
    category: Category
    file: str
    line_start: int
    line_end: int
    side: Side
    description: str
    reviewer: str
    fingerprint: str
    column: int | None = None
    suggested_fix: str | None = None
    rule: str | None = None
    confidence: float | None = None
    evidence: str | None = None
    related: list[Place] = []
    edits: list[Edit] = []
    also_reported_by: list[str] = []
    status: IssueStatus = IssueStatus.OPEN
    status_reason: str | None = None
    path_bytes: str | None = None
    unreviewed: bool = False
    commit: str | None = None
    commit_line: int | None = None
    merged_into: str | msgspec.UnsetType = msgspec.UNSET
    maybe_accepted: bool | msgspec.UnsetType = msgspec.UNSET

    @property
    def duplicate_of(self) -> str | None:
        """The id of the issue that it was merged into, or None."""
        if self.status is not IssueStatus.DUPLICATE:
            return None
        # Plugins, and results of earlier versions, name it in the reason alone.
        return self.merged_into or (self.status_reason or "").removeprefix("duplicate of ") or None

    def reopen(self, status: IssueStatus = IssueStatus.OPEN, reason: str | None = None) -> None:
        """Have it stand for itself, where it was a duplicate, too."""
        self.status, self.status_reason, self.merged_into = status, reason, msgspec.UNSET

    def merge_into(self, other: Issue) -> None:
        """Make it a duplicate of another issue, or say the name that this one has by now."""
        self.status, self.merged_into = IssueStatus.DUPLICATE, other.id
        self.status_reason = f"duplicate of {other.id}"

    @property
    def is_check(self) -> bool:
        """Return whether it is a failing check, whose file is only where the check is declared."""
        return self.rule is not None and self.reviewer == CHECK_PREFIX + self.rule

    @property
    def is_open(self) -> bool:
        """Return whether it counts towards the verdict."""
        return self.status is IssueStatus.OPEN
