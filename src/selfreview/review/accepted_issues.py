"""Issues that a person accepted, found again by the lines they are about where an edit changed their fingerprint."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from selfreview.model.issue import Issue, IssueStatus
from selfreview.model.session import Flagged
from selfreview.review.fingerprint import Identity, ids_of, squeezed
from selfreview.review.marks import Mark

"""Beginning of the note on an open issue that may be an accepted one."""
_MAX_ALIKE = 50


def flagged_key(issue: Issue, path: str, lines: Sequence[str]) -> str | None:
    """Return which reviewer reports which rule on which lines, without their context; None where that is too vague.

    Args:
        issue: The issue.
        path: Its file's path at the base.
        lines: The lines of its side.
    """
    code = [squeezed(line) for line in lines[max(issue.line_start - 1, 0) : issue.line_end]]
    if issue.line_start == 0 or not any(code):
        return None
    quoted = squeezed(issue.evidence or "")
    what = issue.rule if issue.rule is not None else f"{issue.category}:{quoted}"
    text = "\0".join([issue.reviewer, what, path, issue.side.value, "\n".join(code)])
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def _names(issue: Issue, path: str, lines: Sequence[str]) -> Iterator[str]:
    """Yield the fingerprints of an issue in a file of that name, by how many of the same are before it."""
    for number in range(_MAX_ALIKE):
        yield Identity(
            reviewer=issue.reviewer,
            rule=issue.rule,
            category=issue.category,
            evidence=issue.evidence,
            path=path,
            lines=lines,
            line_start=issue.line_start if lines else 0,
            line_end=issue.line_end,
            side=issue.side.value,
            occurrence=number,
        ).fingerprint()


def is_of(issue: Issue, path: str, lines: Sequence[str]) -> bool:
    """Return whether an issue belongs to these lines, by its fingerprint."""
    return issue.fingerprint in _names(issue, path, lines)


def renamed(issue: Issue, old: str, new: str, lines: Sequence[str]) -> str:
    """Return the fingerprint of an issue once its file has a new name at the base, too.

    Args:
        issue: The issue.
        old, new: The file's names at the base, now and then.
        lines: The lines of its side.
    """
    if old == new:
        return issue.fingerprint
    pairs = zip(_names(issue, old, lines), _names(issue, new, lines), strict=True)
    return next((after for before, after in pairs if before == issue.fingerprint), issue.fingerprint)


class Acceptances(Mapping[str, str]):
    """Reasons for which people accepted issues, by fingerprint.

    Args:
        reasons: Why.
        flagged: What they are known by where their fingerprint changes.
        others: Fingerprints of issues that were there and not accepted: what has one of these is none of the accepted.
    """

    def __init__(self, reasons: Mapping[str, str], flagged: Sequence[Flagged] = (), others: Iterable[str] = ()) -> None:
        self._reasons = dict(reasons)
        self._flagged = flagged
        self._others = set(others)

    def __getitem__(self, name: str) -> str:
        return self._reasons[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._reasons)

    def __len__(self) -> int:
        return len(self._reasons)

    def recognise(self, keys: Mapping[str, str | None]) -> tuple[dict[str, str], dict[str, str]]:
        """Return the issues of a review that are accepted ones with another fingerprint, and those that may be.

        One acceptance is found in one issue at most, and in none where one more or less of the same is there.

        Args:
            keys: Of all issues, what :func:`flagged_key` says, by fingerprint.

        Returns:
            The reasons of the former, and what to say of the latter, by fingerprint.
        """
        lost: dict[str, list[Flagged]] = defaultdict(list)
        for one in self._flagged:
            if one.fingerprint not in keys and one.fingerprint in self:
                lost[one.key].append(one)
        known: dict[str, str] = {}
        unsure: dict[str, str] = {}
        for key, gone in lost.items():
            there = [name for name, other in keys.items() if other == key]
            found = [name for name in there if name not in self and name not in self._others]
            if len(found) <= len(gone) and len(there) >= max(one.alike for one in gone):
                known.update({name: self[one.fingerprint] for name, one in zip(found, gone, strict=False)})
            else:
                names = ", ".join(ids_of([*(one.fingerprint for one in gone), *keys])[: len(gone)])
                unsure.update(
                    dict.fromkeys(found, f"an issue like it was accepted ({names}); whether this is it cannot be told")
                )
        self._others.update(name for name in keys if name not in self and name not in known and name not in unsure)
        return known, unsure


class Accepted:
    """Marks of issues that a person accepted.

    Args:
        reasons: Why, by the issue's fingerprint.
    """

    def __init__(self, reasons: Mapping[str, str]) -> None:
        self._reasons = reasons
        self._recognised: Mapping[str, str] = {}

    def look(self, issues: Sequence[Issue], key_of: Callable[[Issue], str | None]) -> None:
        """Find accepted issues again whose fingerprint changed; note on an open issue that it may be one.

        Args:
            issues: All of a review.
            key_of: Returns what an issue is known by besides its fingerprint.
        """
        if not isinstance(self._reasons, Acceptances):
            return  # a gate takes them by fingerprint alone
        self._recognised, unsure = self._reasons.recognise({issue.fingerprint: key_of(issue) for issue in issues})
        for issue in issues:
            if issue.is_open and issue.fingerprint in unsure:
                issue.status_reason, issue.maybe_accepted = unsure[issue.fingerprint], True

    def reason(self, issue: Issue) -> str | None:
        """Return why an issue was accepted, or None."""
        return self._reasons.get(issue.fingerprint, self._recognised.get(issue.fingerprint))

    def mark(self, issue: Issue) -> Mark | None:
        """Return the mark of an accepted issue."""
        reason = self.reason(issue)
        return None if reason is None else Mark(IssueStatus.ACCEPTED, reason)
