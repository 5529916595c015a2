"""Which issues of one review are those of another, though the code around them was edited."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from selfreview.model.issue import Issue

Key = tuple[str, str, str, str]


def key_of(issue: Issue) -> Key:
    """Return what an issue is about, wherever it stands: who reports it, what, in which file, on which code."""
    what = issue.rule if issue.rule is not None else issue.category.value
    return (issue.reviewer, what, issue.file, "".join((issue.evidence or "").split()))


def pair(before: Sequence[Issue], after: Sequence[Issue]) -> dict[str, str]:
    """Return the ids of ``after`` by the ids of ``before``, of those that are the same issue.

    First by fingerprint; then by what they are about, in order: an edit beside an issue gives it another fingerprint.
    """
    by_print = {issue.fingerprint: issue for issue in after}
    pairs = {issue.id: by_print[issue.fingerprint].id for issue in before if issue.fingerprint in by_print}
    taken = set(pairs.values())
    left: dict[Key, list[str]] = defaultdict(list)
    for issue in after:
        if issue.id not in taken:
            left[key_of(issue)].append(issue.id)
    for issue in before:
        if issue.id not in pairs and left[key_of(issue)]:
            pairs[issue.id] = left[key_of(issue)].pop(0)
    return pairs
