"""Marks of issues that a baseline lists, and reports of entries that match nothing any more."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

from selfreview.model.change import Change, FileStatus
from selfreview.model.issue import Category, Finding, Issue, IssueStatus, Severity, Side
from selfreview.review.baseline import Entry, Known
from selfreview.review.baselinematch import Match, Matcher, TextOf
from selfreview.review.finished_files import FinishedFiles
from selfreview.review.marks import Mark, OwnMarks, is_markable, merged_into


class Baseline:
    """Marks what a baseline holds.

    Args:
        known: The baselines.
        change: The change.
        text_of: Returns a file's text on one side.
        exists: Returns those of some paths that are files of the tree under review.
        own: What counts of what the change itself enters, and of what is known by its lines alone.
    """

    def __init__(
        self,
        known: Known,
        change: Change,
        text_of: TextOf,
        exists: Callable[[Iterable[str]], Collection[str]],
        own: OwnMarks,
    ) -> None:
        self._known = known
        self._own = own
        self._files = {file.path: file for file in change.files}
        self._names: dict[str, str] = {}
        for file in change.files:
            self._names.setdefault(file.path_at_base, file.path)
        self._exists = exists
        self._entries = {**known.own, **known.entries}
        self._matcher = Matcher(self._entries, self._files, text_of, exists)
        self._found: Mapping[str, Match] = {}
        self._merged: Mapping[str, Sequence[Issue]] = {}

    def look(self, issues: Sequence[Issue]) -> None:
        """Look at all issues of a review before the first is marked."""
        self._found = self._matcher.match(issues) if self._entries else {}
        self._merged = merged_into(issues) if self._found else {}
        for issue in issues:
            match = self._found.get(issue.fingerprint)
            moved = match is not None and match.entry.fingerprint != issue.fingerprint
            if match is not None and moved and self._known.on_moved is not None:
                self._known.on_moved(match.entry, issue)

    def mark(self, issue: Issue) -> Mark | None:
        """Return the mark of a known issue: an entry is of it, or of a duplicate that was no less severe then."""
        if not is_markable(issue):
            return None
        for said in (issue, *self._merged.get(issue.fingerprint, ())):
            match = self._found.get(said.fingerprint)
            if match is None or (said is not issue and match.entry.severity.rank < issue.severity.rank):
                continue
            entry = match.entry
            if (match.exact and entry.fingerprint in self._known.entries) or self._own.reach(issue):
                why = f"known since {entry.date} ({entry.by}): {entry.reason}"
                return Mark(IssueStatus.BASELINED, why, merged=True)
        return None

    def leftovers(self, looked: FinishedFiles) -> Iterator[Finding]:
        """Yield a finding for each stale entry.

        Args:
            looked: Who has looked at which file.
        """
        stale = list(self._stale(looked))
        for entry in stale:
            if self._known.on_stale is not None:
                self._known.on_stale(entry)
        marks = {entry.fingerprint for entry in stale}
        for entry in stale:
            if entry.same_as in marks:
                continue  # it says the same as the other one, which was entered with it
            file = self._files.get(self._named(entry.file))
            deleted = file is not None and file.status is FileStatus.DELETED
            yield Finding(
                file=self._named(entry.file),
                line_start=0,
                side=Side.OLD if deleted else Side.NEW,
                severity=Severity.LOW,
                category=Category.STYLE,
                description=f"The baseline knows an issue here{_entered(entry)} that is not found any more: "
                f"{entry.description}",
                suggested_fix="selfreview baseline prune takes it out.",
                rule="stale-baseline",
            )

    def _stale(self, looked: FinishedFiles) -> Iterator[Entry]:
        """Yield the entries that match nothing any more in what was reviewed."""
        used = {match.entry.fingerprint for match in self._found.values()}
        touched = {path for file in self._files.values() for path in (file.path, file.path_at_base)}
        for mark, entry in self._entries.items():
            if mark not in self._known.still or mark in used or entry.commit is not None:
                continue  # what stands in commits alone is looked for only where these are reviewed
            name = self._named(entry.file)
            gone = (self._known.whole or entry.file in touched) and not self._exists([name])
            if gone or looked.has_finished(entry.reviewer, name):
                yield entry

    def _named(self, path: str) -> str:
        """Return the name that a file has now."""
        return path if path in self._files else self._names.get(path, path)


def _entered(entry: Entry) -> str:
    """Return where it was: by now, that line can be another one."""
    return f" (in line {entry.line} when it was entered)" if entry.line else ""
