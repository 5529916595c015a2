"""Matching of a baseline's entries to the issues of a review."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

import msgspec

from selfreview.api.context import SourceText
from selfreview.model.change import ChangedFile
from selfreview.model.issue import Issue, Side
from selfreview.review.acceptance_match import flagged_key
from selfreview.review.baseline import Entry
from selfreview.review.marks import is_markable
from selfreview.review.privacy import SECRETS

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
