"""Issues that are known and do not count: the baseline."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

import msgspec

from selfreview.api.context import SourceText
from selfreview.model.change import Change, ChangedFile, FileStatus
from selfreview.model.issue import Category, Finding, Issue, IssueStatus, Severity, Side
from selfreview.review.fingerprint import fingerprint
from selfreview.review.looked import Looked
from selfreview.review.marks import Mark, OwnMarks, is_markable


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


class Known(NamedTuple):
    """The baselines of a review.

    Attributes:
        entries: What counts in any case, by fingerprint.
        own: What only the change itself enters, by fingerprint.
        still: The fingerprints that are in the baseline as the change leaves it: only these can be stale.
        whole: Whether the whole tree is reviewed, so that an entry whose file is gone is stale.
        on_stale: Called with each entry that is stale.
    """

    entries: Mapping[str, Entry] = {}
    own: Mapping[str, Entry] = {}
    still: Collection[str] = frozenset()
    whole: bool = False
    on_stale: Callable[[Entry], None] | None = None


class Baseline:
    """Marks what a baseline holds.

    Args:
        known: The baselines.
        change: The change.
        text_of: Returns a file's text on one side.
        exists: Returns those of some paths that are files of the tree under review.
        own: What counts of what the change itself enters.
    """

    def __init__(
        self,
        known: Known,
        change: Change,
        text_of: Callable[[ChangedFile, Side], SourceText | None],
        exists: Callable[[Iterable[str]], Collection[str]],
        own: OwnMarks,
    ) -> None:
        self._known = known
        self._own = own
        self._files = {file.path: file for file in change.files}
        self._text_of = text_of
        self._exists = exists
        self._moved: Mapping[tuple[str, str | None], list[Entry]] | None = None
        self._used: set[str] = set()

    def mark(self, issue: Issue) -> Mark | None:
        """Return the mark of a known issue."""
        if not is_markable(issue):
            return None
        entry = self._entry(issue)
        if entry is None:
            return None
        counts = entry.fingerprint in self._known.entries or self._own.reach(issue)
        why = f"known since {entry.date} ({entry.by}): {entry.reason}"
        return Mark(IssueStatus.BASELINED, why, merged=True) if counts else None

    def _entry(self, issue: Issue) -> Entry | None:
        known = self._known
        entry = known.entries.get(issue.fingerprint) or known.own.get(issue.fingerprint)
        if entry is None:
            entry = next((other for other in self._gone(issue) if self._is(issue, other)), None)
        if entry is not None:
            self._used.add(entry.fingerprint)
        return entry

    def _gone(self, issue: Issue) -> Sequence[Entry]:
        """Return the entries of what an issue reports whose files are gone: its own may have had that name."""
        if self._moved is None:
            entries = [*self._known.own.values(), *self._known.entries.values()]
            there = set(self._exists({entry.file for entry in entries})) if entries else set()
            moved = defaultdict(list)
            for entry in entries:
                if entry.file not in there:
                    moved[entry.reviewer, entry.rule].append(entry)
            self._moved = moved
        return self._moved.get((issue.reviewer, issue.rule), ())

    def _is(self, issue: Issue, entry: Entry) -> bool:
        """Whether an issue would have the fingerprint of an entry, had its file the name that it had then."""
        file = self._files.get(issue.file)
        text = self._text_of(file, issue.side) if file is not None and issue.line_start else None
        return any(
            fingerprint(
                reviewer=issue.reviewer,
                rule=issue.rule,
                category=issue.category,
                evidence=issue.evidence,
                path=entry.file,
                lines=text.lines if text else (),
                line_start=issue.line_start if text else 0,
                line_end=issue.line_end,
                side=issue.side.value,
                occurrence=occurrence,
            )
            == entry.fingerprint
            for occurrence in range(len(self._gone(issue)))
        )

    def _stale(self, issues: Iterable[Issue], looked: Looked) -> Iterator[Entry]:
        """Yield the entries that match nothing any more in what was reviewed."""
        for issue in issues:
            if is_markable(issue):
                self._entry(issue)
        touched = {path for file in self._files.values() for path in (file.path, file.path_at_base)}
        for mark, entry in {**self._known.own, **self._known.entries}.items():
            if mark not in self._known.still or mark in self._used:
                continue
            name = self._named(entry.file)
            gone = (self._known.whole or entry.file in touched) and not self._exists([name])
            if gone or looked.has_finished(entry.reviewer, name):
                yield entry

    def _named(self, path: str) -> str:
        """Return the name that a file has now."""
        now = (file.path for file in self._files.values() if file.path_at_base == path)
        return path if path in self._files else next(now, path)

    def leftovers(self, issues: Sequence[Issue], looked: Looked) -> Iterator[Finding]:
        """Yield a finding for each stale entry.

        Args:
            issues: All that was found, whatever its status.
            looked: Who has looked at which file.
        """
        for entry in self._stale(issues, looked):
            if self._known.on_stale is not None:
                self._known.on_stale(entry)
            file = self._files.get(self._named(entry.file))
            deleted = file is not None and file.status is FileStatus.DELETED
            yield Finding(
                file=self._named(entry.file),
                line_start=0,
                side=Side.OLD if deleted else Side.NEW,
                severity=Severity.LOW,
                category=Category.STYLE,
                description=f"The baseline knows an issue here that is not found any more: {entry.description}",
                suggested_fix="selfreview baseline prune takes it out.",
                rule="stale-baseline",
            )
