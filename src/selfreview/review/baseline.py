"""Issues that are known and do not count: the baseline's entries."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import NamedTuple

import msgspec

from selfreview.model.issue import Category, Issue, Severity


class Entry(msgspec.Struct, frozen=True, kw_only=True):
    """One known issue.

    Attributes:
        fingerprint: The issue's.
        file: Its path, when it was entered.
        line: Its first line, when it was entered; 0 stands for the file as a whole.
        severity, category, reviewer, rule, description: As the issue had them.
        reason: Why it does not count.
        by: Who entered it.
        date: When, as ``YYYY-MM-DD``.
        lines: What :func:`~selfreview.review.acceptance_match.flagged_key` says of it without its path, or None.
        commit: The commit that it stood in alone, when it was entered, or None.
        same_as: Fingerprint of the entry that it was merged into: another reviewer's word on the same, or None.
    """

    fingerprint: str
    file: str
    line: int
    severity: Severity
    category: Category
    reviewer: str
    description: str
    reason: str
    by: str
    date: str
    rule: str | None = None
    lines: str | None = None
    commit: str | None = None
    same_as: str | None = None


class Known(NamedTuple):
    """The baselines of a review.

    Attributes:
        entries: What counts in any case, by fingerprint.
        own: What only the change itself enters, by fingerprint.
        still: The fingerprints that are in the baseline as the change leaves it: only these can be stale.
        whole: Whether the whole tree is reviewed, so that an entry whose file is gone is stale.
        on_stale: Called with each entry that is stale.
        on_moved: Called with each entry that was found by its lines alone, and its issue.
    """

    entries: Mapping[str, Entry] = {}
    own: Mapping[str, Entry] = {}
    still: Collection[str] = frozenset()
    whole: bool = False
    on_stale: Callable[[Entry], None] | None = None
    on_moved: Callable[[Entry, Issue], None] | None = None
