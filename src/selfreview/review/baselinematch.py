"""Which entry of a baseline is which issue of a review."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

from selfreview.api.context import SourceText
from selfreview.model.change import ChangedFile
from selfreview.model.issue import Issue, Side
from selfreview.review.baseline import Entry
from selfreview.review.marks import is_markable
from selfreview.review.recognising import flagged_key, is_named

TextOf = Callable[[ChangedFile, Side], SourceText | None]


class Match(NamedTuple):
    """The entry of an issue.

    Attributes:
        entry: The entry.
        exact: Whether it is known by its fingerprint, whatever its file is called now, and not by its lines alone.
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

        An entry is first looked for by its fingerprint, then under the name that its file had, and last by the lines
        that it is about, where what stands around them has changed: there it is found in one issue at most, and in none
        where more of the same are there than entries.
        """
        marked = [issue for issue in issues if is_markable(issue)]
        found = {
            i.fingerprint: Match(self._entries[i.fingerprint], True) for i in marked if i.fingerprint in self._entries
        }
        lost = [entry for mark, entry in self._entries.items() if mark not in found]
        rest = [issue for issue in marked if issue.fingerprint not in found]
        if not lost or not rest:
            return found
        there = set(self._exists({entry.file for entry in lost}))
        gone = [entry for entry in lost if entry.file not in there]
        by_kind = _by_kind(rest)
        for entry in gone:
            for issue in by_kind.get((entry.reviewer, entry.rule), ()):
                if is_named(issue, entry.fingerprint, entry.file, self._lines(issue)):
                    found.setdefault(issue.fingerprint, Match(entry, True))
        self._by_lines(found, lost, by_kind, there)
        return found

    def _by_lines(
        self,
        found: dict[str, Match],
        lost: Sequence[Entry],
        by_kind: Mapping[tuple[str, str | None], Sequence[Issue]],
        there: Collection[str],
    ) -> None:
        used = {match.entry.fingerprint for match in found.values()}
        groups: dict[str, list[Entry]] = defaultdict(list)
        for entry in lost:
            if entry.lines is not None and entry.fingerprint not in used:
                groups[entry.lines].append(entry)
        for key, entries in groups.items():
            first = entries[0]
            candidates = [
                issue
                for issue in by_kind.get((first.reviewer, first.rule), ())
                if issue.fingerprint not in found
                and (first.file not in there or self._path(issue) == first.file)
                and flagged_key(issue, first.file, self._lines(issue)) == key
            ]
            if len(candidates) <= len(entries):
                for issue, entry in zip(candidates, entries, strict=False):
                    found[issue.fingerprint] = Match(entry, False)

    def _path(self, issue: Issue) -> str:
        file = self._files.get(issue.file)
        return file.path_at_base if file is not None else issue.file

    def _lines(self, issue: Issue) -> Sequence[str]:
        file = self._files.get(issue.file)
        text = self._text_of(file, issue.side) if file is not None and issue.line_start else None
        return text.lines if text is not None else ()


def _by_kind(issues: Iterable[Issue]) -> dict[tuple[str, str | None], list[Issue]]:
    kinds: dict[tuple[str, str | None], list[Issue]] = defaultdict(list)
    for issue in issues:
        kinds[issue.reviewer, issue.rule].append(issue)
    return kinds
