"""Matching of the issues of two reviews, though the code around them was edited."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence

from selfreview.model.change import LineRange
from selfreview.model.issue import Issue, Side
from selfreview.model.result import Result

Track = Callable[[Issue], LineRange | None]
Key = tuple[str, str, str, str]


def key_of(issue: Issue) -> Key:
    """Return the identity of an issue, wherever it is: its reviewer, rule or words, file and code."""
    what = issue.rule if issue.rule is not None else issue.category.value
    return (issue.reviewer, what, issue.file, "".join((issue.evidence or "").split()))


def pair(before: Sequence[Issue], after: Sequence[Issue], track: Track | None = None) -> dict[str, str]:
    """Return the ids of ``after`` by the ids of ``before``, of those that are the same issue.

    First by fingerprint; then by what they are about, in order: an edit beside an issue gives it another fingerprint.
    Last by where they stand: an edit within an issue's own line leaves it what it was while the same is said there.

    A duplicate stands for the issue that it was merged into, so that an issue is the same whichever of its reviewers
    reports it this time; but not for a worse one than there was before, which is new. Where ``before`` has duplicates,
    they are paired by their own ids, too: what was part of an issue, and stands for itself now, is not new either.

    Args:
        before, after: The issues of two reviews, those that count with their duplicates.
        track: Returns the lines that took the place of an issue's first one.
    """
    was, now = {issue.id: issue for issue in before}, {issue.id: issue for issue in after}
    pairs = _pair_each(before, after, track)
    for old, new in list(pairs.items()):
        shown = was.get(was[old].duplicate_of or old, was[old])
        lead = now.get(now[new].duplicate_of or new, now[new])
        pairs[old] = new if lead.severity.rank > shown.severity.rank else lead.id
        pairs.setdefault(shown.id, pairs[old])
    return pairs


def open_with_duplicates(result: Result) -> list[Issue]:
    """Return the open issues of a review, and the duplicates that were merged into them."""
    names = {issue.id for issue in result.open_issues}
    return [issue for issue in result.issues if issue.id in names or issue.duplicate_of in names]


def _pair_each(before: Sequence[Issue], after: Sequence[Issue], track: Track | None) -> dict[str, str]:
    by_print = {issue.fingerprint: issue for issue in after}
    pairs = {issue.id: by_print[issue.fingerprint].id for issue in before if issue.fingerprint in by_print}
    taken = set(pairs.values())
    unpaired: dict[Key, list[str]] = defaultdict(list)
    for issue in after:
        if issue.id not in taken:
            unpaired[key_of(issue)].append(issue.id)
    for issue in before:
        if issue.id not in pairs and unpaired[key_of(issue)]:
            pairs[issue.id] = unpaired[key_of(issue)].pop(0)
    return pairs if track is None else pairs | _by_place(before, after, pairs, track)


def _by_place(
    before: Sequence[Issue], after: Sequence[Issue], pairs: Mapping[str, str], track: Track
) -> dict[str, str]:
    """Return pairs of unpaired issues with the same rule and description, at the place where the issue would be now."""
    taken = set(pairs.values())
    unpaired: dict[tuple[str, ...], list[Issue]] = defaultdict(list)
    for issue in after:
        if issue.id not in taken and issue.side is Side.NEW:
            unpaired[_words_of(issue)].append(issue)
    found: dict[str, str] = {}
    for issue in before:
        same = unpaired.get(_words_of(issue)) if issue.id not in pairs and issue.rule is not None else None
        place = track(issue) if same else None
        if same and place is not None:
            twin = next((other for other in same if place.first <= other.line_start <= place.last), None)
            if twin is not None:
                same.remove(twin)
                found[issue.id] = twin.id
    return found


def _words_of(issue: Issue) -> tuple[str, ...]:
    return (issue.reviewer, issue.rule or "", issue.file, issue.description)
