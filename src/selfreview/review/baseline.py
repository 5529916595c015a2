"""Baselines: the file of issues that are known and do not count, and which issues of a review its entries are about."""

from __future__ import annotations

import datetime
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from selfreview.api.context import SourceText
from selfreview.config import toml
from selfreview.config.sources import worktree_reader
from selfreview.errors import ConfigError
from selfreview.model.change import Change, ChangedFile, FileStatus, overlaps
from selfreview.model.issue import Category, Finding, Issue, IssueStatus, Severity, Side
from selfreview.model.wire import display_path
from selfreview.review.accepted_issues import flagged_key
from selfreview.review.marks import Mark, OwnMarks, is_markable, merged_into
from selfreview.review.privacy import SECRETS
from selfreview.review.tasks import FinishedFiles
from selfreview.text.escape import visible
from selfreview.text.toml import toml_key, toml_value


class BaselineEntry(msgspec.Struct, frozen=True, kw_only=True):
    """One known issue.

    Attributes:
        fingerprint: The issue's.
        file: Its path, when it was entered.
        line: Its first line, when it was entered; 0 stands for the file as a whole.
        severity, category, reviewer, rule, description: As the issue had them.
        reason: Why it does not count.
        by: Who entered it.
        date: When, as ``YYYY-MM-DD``.
        lines: What :func:`~selfreview.review.accepted_issues.flagged_key` says of it without its path, or None.
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
        later: Returns the names that a file got by renames before the change, or in it.
    """

    entries: Mapping[str, BaselineEntry] = {}
    own: Mapping[str, BaselineEntry] = {}
    still: Collection[str] = frozenset()
    whole: bool = False
    on_stale: Callable[[BaselineEntry], None] | None = None
    on_moved: Callable[[BaselineEntry, Issue], None] | None = None
    later: Callable[[str], Iterable[str]] = lambda _path: ()


VERSION = 1
_MAX_LINES = 2**31
_CONFLICT = re.compile(rb"^(<{7}|>{7}) ", re.MULTILINE)
_KEYS = msgspec.structs.fields(BaselineEntry)
_CHOICES = {
    "severity": [severity.value for severity in Severity],
    "category": [category.value for category in Category],
}
_HEAD = """\
# Issues that are known and do not count. `selfreview baseline show` lists them, `update` and `prune` keep the file.
version = 1
"""


def parse_baseline(data: bytes, name: str) -> dict[str, BaselineEntry]:
    """Return the entries of a file, by fingerprint.

    Args:
        data: Its content.
        name: What to call it in messages.

    Raises:
        ConfigError: If it is no such file.
    """
    try:
        file = toml.parse(data, display_path(name))
    except ConfigError as error:
        if _CONFLICT.search(data):
            hint = "keep the entries of both sides, and remove the conflict markers"
            raise ConfigError(f"{display_path(name)} holds a merge conflict", hint=hint) from error
        raise ConfigError(error.message, hint=error.hint or "fix that line") from error
    table = dict(file.document)
    version = table.pop("version", None)
    if version != VERSION:
        told = version is not None
        said = f"version is {version!r}, not {VERSION}" if told else "it says no version"
        other = "use the version of selfreview that wrote it" if told else f"begin it with version = {VERSION}"
        anew = "move the file away, then: selfreview baseline create --reason TEXT"
        raise ConfigError(f"{display_path(name)}: {said}", hint=f"{other}; or {anew}")
    lines = file.text.splitlines()
    return {mark: _entry(mark, value, name, lines) for mark, value in table.items()}


def _entry(mark: str, value: Any, name: str, lines: Sequence[str]) -> BaselineEntry:
    table = value if isinstance(value, dict) else {}
    date = table.get("date")
    fields = {**table, "fingerprint": mark, "date": date.isoformat() if isinstance(date, datetime.date) else date}
    key, wrong = ("", "is not a table") if table is not value else _wrong(fields)
    if wrong:
        where = f"{display_path(name)}:{_line(lines, mark, key)}"
        hint = "fix it, or remove the entry: selfreview baseline update adds open issues again"
        raise ConfigError(f"{where}: {' '.join(filter(None, (visible(mark), key, wrong)))}", hint=hint)
    return msgspec.convert(fields, BaselineEntry)


def _wrong(fields: Mapping[str, Any]) -> tuple[str, str]:
    """Return the key of an invalid entry and the error, both empty where the entry is valid."""
    for key in _KEYS:
        value = fields.get(key.name)
        if value is None and not key.required:
            continue
        choices = _CHOICES.get(key.name)
        if value is None:
            return key.name, "is missing"
        if key.name == "line":
            if type(value) is not int or not 0 <= value < _MAX_LINES:
                return key.name, f"is {value!r}, not the number of a line"
        elif not isinstance(value, str):
            return key.name, f"is {value!r}, not text"
        elif choices is not None and value not in choices:
            return key.name, f"is {value!r}, not one of {', '.join(choices)}"
        elif key.name == "reason" and not value.strip():
            return key.name, "is empty: it says why the issue does not count"
        elif key.name == "date" and not _is_date(value):
            return key.name, f"is {value!r}, not a date such as 2026-01-31"
    return "", ""


def _is_date(text: str) -> bool:
    try:
        datetime.date.fromisoformat(text)
    except ValueError:
        return False
    return True


def _line(lines: Sequence[str], mark: str, key: str) -> int:
    """Return the line of an entry's key, from 1, or else that of its name."""
    own = next((number for number, line in enumerate(lines, 1) if mark in line), 1)
    for number, line in enumerate(lines[own:], own + 1):
        if line.lstrip().startswith("["):
            break
        if key and line.partition("=")[0].strip() == key:
            return number
    return own


def format_baseline(entries: Iterable[BaselineEntry]) -> bytes:
    """Return the content of the file, by path and then by fingerprint."""
    parts = [_HEAD]
    for entry in sorted(entries, key=lambda entry: (entry.file, entry.fingerprint)):
        values: Mapping[str, object] = {
            "file": entry.file,
            "line": entry.line,
            "severity": entry.severity.value,
            "category": entry.category.value,
            "reviewer": entry.reviewer,
            "rule": entry.rule,
            "description": entry.description,
            "reason": entry.reason,
            "by": entry.by,
            "date": datetime.date.fromisoformat(entry.date),
            "lines": entry.lines,
            "commit": entry.commit,
            "same_as": entry.same_as,
        }
        lines = [f"{name} = {toml_value(value)}" for name, value in values.items() if value is not None]
        parts.append(f"[{toml_key(entry.fingerprint)}]\n" + "".join(f"{line}\n" for line in lines))
    return "\n".join(parts).encode("utf-8")


def read_baseline(root: Path, name: str) -> dict[str, BaselineEntry] | None:
    """Return the entries of a working tree's baseline by fingerprint, or None where there is no such file.

    Raises:
        ConfigError: If it cannot be read.
    """
    data = worktree_reader(root)(name)
    return None if data is None else parse_baseline(data, name)


TextOf = Callable[[ChangedFile, Side], SourceText | None]


class Match(NamedTuple):
    """The entry of an issue.

    Attributes:
        entry: The entry.
        exact: Whether it is known by its fingerprint, and not by its lines alone.
    """

    entry: BaselineEntry
    exact: bool


class Matcher:
    """Finds the entries of issues.

    Args:
        known: The baselines.
        files: The change's files, by path.
        text_of: Returns a file's text on one side.
        exists: Returns those of some paths that are files of the tree under review.
    """

    def __init__(
        self,
        known: Known,
        files: Mapping[str, ChangedFile],
        text_of: TextOf,
        exists: Callable[[Iterable[str]], Collection[str]],
    ) -> None:
        self._known = known
        self._entries = {**known.own, **known.entries}
        self._names: dict[str, list[str]] = {}
        self._files = files
        self._text_of = text_of
        self._exists = exists

    def match(self, issues: Sequence[Issue]) -> dict[str, Match]:
        """Return the entries by the fingerprints of the issues.

        An entry is first looked for by its fingerprint, then by the lines that it is about: in its file, whatever that
        is called now, or else, where it is gone, on lines that stood anywhere before the change: on new ones the same
        lines are other code. There it is found in one issue at most, and in none where more of the same are there than
        entries.
        """
        marked = [issue for issue in issues if is_markable(issue)]
        found = self._by_name(marked)
        lost = [entry for mark, entry in self._entries.items() if mark not in found and _key_of(entry) is not None]
        rest = [issue for issue in marked if issue.fingerprint not in found]
        if not lost or not rest:
            return found
        there = set(self._exists({entry.file for entry in lost}))
        anywhere, in_file = self._by_key(rest, {(entry.reviewer, entry.rule) for entry in lost})
        groups: dict[tuple[bool, str, str], list[BaselineEntry]] = defaultdict(list)
        for entry in lost:
            key = _key_of(entry) or ""
            file = entry.file if entry.file in there else self._file_now(entry.file, key, in_file, anywhere)
            groups[file is None, file or "", key].append(entry)
        for (gone, file, key), entries in sorted(groups.items(), key=lambda group: group[0]):
            alike = filter(self._stood, anywhere.get(key, ())) if gone else in_file.get((file, key), ())
            candidates = [issue for issue in alike if issue.fingerprint not in found]
            if len(candidates) <= len(entries):
                pairs = zip(candidates, entries, strict=False)
                found.update({issue.fingerprint: Match(entry, False) for issue, entry in pairs})
        return found

    def _file_now(
        self, path: str, key: str, in_file: Collection[tuple[str, str]], anywhere: Collection[str]
    ) -> str | None:
        """Return the name under which a file that is gone has an issue of a key now, or None."""
        if key not in anywhere:
            return None
        if path not in self._names:
            self._names[path] = [path, *self._known.later(path)]
        return next((name for name in self._names[path] if (name, key) in in_file), None)

    def _stood(self, issue: Issue) -> bool:
        """Return whether what an issue is about stood there before the change, as all does where that is the tree."""
        if self._known.whole or issue.status is IssueStatus.OUT_OF_SCOPE:
            return True
        file = self._files.get(issue.file)
        changed = () if file is None else file.removed if issue.side is Side.OLD else file.added
        return issue.line_start > 0 and not overlaps(changed, issue.line_start, issue.line_end)

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
            exact = entry.lines is None or alike[issue.file, self._lines_key(issue)] <= known[entry.file, entry.lines]
            found[issue.fingerprint] = Match(entry, exact)
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


def _key_of(entry: BaselineEntry) -> str | None:
    return entry.lines if entry.line else _whole_file(entry)


def _whole_file(issue: Issue | BaselineEntry) -> str:
    """Return the key that identifies an issue of a whole file."""
    return f"{issue.reviewer}\0{issue.rule}\0{issue.description}"


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
        self._matcher = Matcher(known, self._files, text_of, exists)
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
        for reported in (issue, *self._merged.get(issue.fingerprint, ())):
            match = self._found.get(reported.fingerprint)
            if match is None or (reported is not issue and match.entry.severity.rank < issue.severity.rank):
                continue
            entry = match.entry
            if (match.exact and entry.fingerprint in self._known.entries) or self._own.applies_to(issue):
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

    def _stale(self, looked: FinishedFiles) -> Iterator[BaselineEntry]:
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


def _entered(entry: BaselineEntry) -> str:
    """Return where it was: by now, that line can be another one."""
    return f" (in line {entry.line} when it was entered)" if entry.line else ""
