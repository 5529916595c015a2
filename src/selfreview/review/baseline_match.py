"""Find the issues that a baseline's entries stand for, and the entries that match nothing any more."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

import msgspec

from selfreview.api.context import SourceText
from selfreview.model.change import Change, ChangedFile, FileStatus
from selfreview.model.issue import Category, Finding, Issue, IssueStatus, Severity, Side
from selfreview.review.acceptance_match import flagged_key
from selfreview.review.baseline import Entry, Known
from selfreview.review.marks import Mark, OwnMarks, is_markable, merged_into
from selfreview.review.privacy import SECRETS
from selfreview.review.tasks import FinishedFiles

TextOf = Callable[[ChangedFile, Side], SourceText | None]


class Match(NamedTuple):
    """The entry of an issue.

    Attributes:
        entry: The entry.
        exact: Whether it is known by its fingerprint, and not by its lines alone.
    """

    entry: Entry
    exact: bool


class Matcher:
    """Finds the entries of issues.

    Args:
        entries: All entries, by fingerprint.
        files: The change's files, by path.
        text_of: Returns a file's text on one side.
        exists: Returns those of some paths that are files of the tree under review.
    """

    def __init__(
        self,
        entries: Mapping[str, Entry],
        files: Mapping[str, ChangedFile],
        text_of: TextOf,
        exists: Callable[[Iterable[str]], Collection[str]],
    ) -> None:
        self._entries = entries
        self._files = files
        self._text_of = text_of
        self._exists = exists

    def match(self, issues: Sequence[Issue]) -> dict[str, Match]:
        """Return the entries by the fingerprints of the issues.

        An entry is first looked for by its fingerprint, then by the lines that it is about: in its file, or anywhere
        where its file is gone. There it is found in one issue at most, and in none where more of the same are there
        than entries.
        """
        marked = [issue for issue in issues if is_markable(issue)]
        found = self._by_name(marked)
        lost = [entry for mark, entry in self._entries.items() if mark not in found and _key_of(entry) is not None]
        rest = [issue for issue in marked if issue.fingerprint not in found]
        if not lost or not rest:
            return found
        there = set(self._exists({entry.file for entry in lost}))
        anywhere, in_file = self._by_key(rest, {(entry.reviewer, entry.rule) for entry in lost})
        groups: dict[tuple[bool, str, str], list[Entry]] = defaultdict(list)
        for entry in lost:
            gone = entry.file not in there
            groups[gone, "" if gone else entry.file, _key_of(entry) or ""].append(entry)
        for (gone, file, key), entries in sorted(groups.items(), key=lambda group: group[0]):
            alike = anywhere.get(key, ()) if gone else in_file.get((file, key), ())
            candidates = [issue for issue in alike if issue.fingerprint not in found]
            if len(candidates) <= len(entries):
                pairs = zip(candidates, entries, strict=False)
                found.update({issue.fingerprint: Match(entry, False) for issue, entry in pairs})
        return found

    def _by_name(self, issues: Sequence[Issue]) -> dict[str, Match]:
        """Return the entries of issues by their fingerprints.

        Where more of the same are in a file than entries of it, the new one may have taken the place of the old one in
        the count that fingerprints end with: so it cannot be told which is known.
        """
        named = [issue for issue in issues if issue.fingerprint in self._entries]
        kinds = {(issue.file, issue.reviewer, issue.rule) for issue in named}
        alike = Counter(
            (issue.file, self._lines_key(issue))
            for issue in issues
            if (issue.file, issue.reviewer, issue.rule) in kinds
        )
        known = Counter((entry.file, entry.lines) for entry in self._entries.values())
        found = {}
        for issue in named:
            entry = self._entries[issue.fingerprint]
            told = entry.lines is None or alike[issue.file, self._lines_key(issue)] <= known[entry.file, entry.lines]
            found[issue.fingerprint] = Match(entry, told)
        return found

    def _lines_key(self, issue: Issue) -> str | None:
        return flagged_key(issue, "", self._lines(issue))

    def _by_key(
        self, issues: Iterable[Issue], kinds: Collection[tuple[str, str | None]]
    ) -> tuple[Mapping[str, Sequence[Issue]], Mapping[tuple[str, str], Sequence[Issue]]]:
        """Return the issues of some kinds by the key that identifies them besides their fingerprint and their file.

        Returns:
            Those of all files; and those by the file, too, under both of its names.
        """
        anywhere: dict[str, list[Issue]] = defaultdict(list)
        in_file: dict[tuple[str, str], list[Issue]] = defaultdict(list)
        for issue in issues:
            # What is said of one state of a file is not known by its words: another state has the same.
            if issue.line_start == 0 and issue.evidence is not None:
                continue
            for named in _as_entered(issue, kinds):
                key = self._lines_key(named) if issue.line_start else _whole_file(named)
                if key is not None:
                    anywhere[key].append(issue)
                    for path in {issue.file, self._path(issue)}:
                        in_file[path, key].append(issue)
        return anywhere, in_file

    def _path(self, issue: Issue) -> str:
        file = self._files.get(issue.file)
        return file.path_at_base if file is not None else issue.file

    def _lines(self, issue: Issue) -> Sequence[str]:
        file = self._files.get(issue.file)
        text = self._text_of(file, issue.side) if file is not None and issue.line_start else None
        return text.lines if text is not None else ()


def _as_entered(issue: Issue, kinds: Collection[tuple[str, str | None]]) -> Iterator[Issue]:
    """Yield an issue as entries of some kinds may name it: by which rule a secret is found depends on the version."""
    if issue.reviewer != SECRETS:
        if (issue.reviewer, issue.rule) in kinds:
            yield issue
        return
    for reviewer, rule in kinds:
        if reviewer == SECRETS:
            yield msgspec.structs.replace(issue, rule=rule)


def _key_of(entry: Entry) -> str | None:
    return entry.lines if entry.line else _whole_file(entry)


def _whole_file(said: Issue | Entry) -> str:
    """Return the key that identifies an issue of a whole file."""
    return f"{said.reviewer}\0{said.rule}\0{said.description}"


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
                suggested_fix="selfreview baseline prune removes it.",
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
