"""From findings to issues: anchored, named, and merged where two reviewers report the same thing."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence

from selfreview.model.change import Change, ChangedFile
from selfreview.model.issue import Category, Finding, Issue
from selfreview.model.wire import base64_path
from selfreview.review.anchor import Anchored, TextOf, anchor, by_path
from selfreview.review.fingerprint import Identity, ids_of
from selfreview.review.topics import UNREADABLE, topic_of


def is_one(one: Issue, other: Issue) -> bool:
    """Return whether two issues of the same topic and category are one weakness; two of the same rule never are."""
    if (one.reviewer, one.rule) == (other.reviewer, other.rule):
        return False
    return any(a[0] <= b[1] and b[0] <= a[1] for a in _spans(one) for b in _spans(other))


def _spans(issue: Issue) -> list[tuple[int, int]]:
    """Return the lines that an issue stands on, and those of its file that it names as related."""
    near = [place for place in issue.related if place.file == issue.file and place.side is issue.side]
    spans = [(issue.line_start, issue.line_end), *((place.line_start, place.line_end) for place in near)]
    if topic_of(issue) == UNREADABLE:  # from where something is open to where that is noticed
        return [(min(first for first, _ in spans), max(last for _, last in spans))]
    return spans


ALIKE = 0.3
"""Share of common words from which two descriptions on one line are taken to mean the same."""

_WORD = re.compile(r"[a-z0-9_]{3,}")
_OF_TEXT = frozenset({"secrets", "text"})
"""Reviewers that find something else on a line than what its code does."""
_COMMON = frozenset("the and for with that this not are can was use instead from into has have".split())  # noqa: SIM905


def to_issues(found: Iterable[tuple[str, Finding]], change: Change, text_of: TextOf) -> list[Issue]:
    """Make issues of all findings, in a stable order: by path, line and severity.

    Args:
        found: Reviewer names with their findings.
        change: The change.
        text_of: Returns a file's text on one side.
    """
    files = by_path(change)
    settled = [(name, anchor(finding, files, text_of)) for name, finding in found]
    settled.sort(key=lambda item: order(item[1].finding, item[0], item[1].line_start))
    names = Names()
    issues: list[Issue] = []
    for reviewer, anchored in _distinct(settled):
        file = files.get(anchored.finding.file) if anchored.finding.commit is None else None
        mark = names.give(reviewer, anchored, file, text_of)
        issues.append(_issue(reviewer, anchored, mark, file.path if file is not None else anchored.finding.file))
    shorten_ids(issues)
    merge_duplicates(issues)
    return issues


class Names:
    """The fingerprints of a result; no two are the same.

    Args:
        taken: Those that are given already.
    """

    def __init__(self, taken: Iterable[str] = ()) -> None:
        self._taken = set(taken)
        self._seen: Counter[str] = Counter()

    def give(self, reviewer: str, anchored: Anchored, file: ChangedFile | None, text_of: TextOf) -> str:
        """Return the fingerprint of one more finding: the next occurrence of what would otherwise be the same."""
        first = mark = _fingerprint(reviewer, anchored, file, text_of, 0)
        while mark in self._taken:
            self._seen[first] += 1
            mark = _fingerprint(reviewer, anchored, file, text_of, self._seen[first])
        self._taken.add(mark)
        return mark


def _fingerprint(reviewer: str, anchored: Anchored, file: ChangedFile | None, text_of: TextOf, occurrence: int) -> str:
    finding = anchored.finding
    text = text_of(file, finding.side) if file is not None and anchored.line_start else None
    return Identity(
        reviewer=reviewer,
        rule=finding.rule,
        category=finding.category,
        evidence=anchored.evidence,
        path=file.path_at_base if file is not None else finding.file,
        lines=text.lines if text else (),
        line_start=anchored.line_start if text else 0,
        line_end=anchored.line_end,
        side=finding.side.value,
        occurrence=occurrence,
    ).fingerprint()


def _distinct(settled: Sequence[tuple[str, Anchored]]) -> Iterable[tuple[str, Anchored]]:
    """Drop what one reviewer reports twice in the same words about the same place."""
    seen = set()
    for reviewer, anchored in settled:
        finding = anchored.finding
        is_of_file = finding.rule is not None and anchored.line_start <= 0  # then evidence is a part of the fingerprint
        key = (
            reviewer,
            finding.file,
            finding.side,
            finding.rule,
            anchored.line_start,
            anchored.line_end,
            finding.column,
            finding.evidence if finding.commit is not None or is_of_file else None,
        )
        if (*key, finding.description) not in seen:
            seen.add((*key, finding.description))
            yield reviewer, anchored


def order(finding: Finding | Issue, reviewer: str, line_start: int) -> tuple[object, ...]:
    """Return the key of the order in which a result lists issues."""
    where = finding.file, line_start, -finding.severity.rank, finding.column or 0
    return (*where, reviewer, finding.rule or "", finding.description)


def _issue(reviewer: str, anchored: Anchored, mark: str, path: str) -> Issue:
    finding = anchored.finding
    return Issue(
        id="",
        severity=finding.severity,
        category=finding.category,
        file=path,
        path_bytes=base64_path(path),
        line_start=anchored.line_start,
        line_end=anchored.line_end,
        column=finding.column,
        side=finding.side,
        description=finding.description,
        suggested_fix=finding.suggested_fix,
        reviewer=reviewer,
        rule=finding.rule,
        confidence=finding.confidence,
        evidence=anchored.evidence,
        related=list(finding.related),
        edits=list(finding.edits),
        status=anchored.status,
        status_reason=anchored.reason,
        fingerprint=mark,
        unreviewed=finding.unreviewed,
        commit=finding.commit,
        commit_line=finding.commit_line,
    )


def shorten_ids(issues: Sequence[Issue]) -> None:
    """Give every issue the shortest id, of at least 8 digits, that no other issue of the result shares."""
    for issue, name in zip(issues, ids_of([issue.fingerprint for issue in issues]), strict=True):
        issue.id = name


def merge_duplicates(issues: Sequence[Issue]) -> None:
    """Mark issues as duplicates where two report the same thing; the worst stays and names the other reviewers.

    Args:
        issues: In the order of :func:`order`, so that of equals the same one stays whatever their fingerprints are.
    """
    on_line: dict[tuple[str, str, int], list[Issue]] = defaultdict(list)
    on_topic: dict[tuple[str, str, str, Category], list[Issue]] = defaultdict(list)
    placed = [issue for issue in issues if issue.is_open and issue.line_start > 0]
    for issue in sorted(placed, key=lambda i: (-i.severity.rank, not i.edits, i.suggested_fix is None)):
        if issue.unreviewed:
            continue  # another may be let pass, or be of no weight, and this would go with it
        line = on_line[issue.file, issue.side.value, issue.line_start]
        topic = topic_of(issue)
        about = on_topic[issue.file, issue.side.value, topic, issue.category] if topic is not None else []
        twin = next((other for other in line if _same(other, issue)), None)
        twin = twin or next((other for other in about if is_one(other, issue)), None)
        if twin is None:
            line.append(issue)
            about.append(issue)
            continue
        issue.merge_into(twin)
        if issue.reviewer not in (twin.reviewer, *twin.also_reported_by):
            twin.also_reported_by.append(issue.reviewer)


def _same(one: Issue, other: Issue) -> bool:
    if one.reviewer == other.reviewer or one.category is not other.category:
        return False
    if one.category is Category.SECURITY and _OF_TEXT.isdisjoint((one.reviewer, other.reviewer)):
        return True  # static tools name one weakness of a line in many ways
    words, others = _words(one.description), _words(other.description)
    return bool(words and others) and len(words & others) / len(words | others) >= ALIKE


def _words(text: str) -> set[str]:
    return set(_WORD.findall(text.lower())) - _COMMON
