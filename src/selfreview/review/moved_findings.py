"""Findings on code that the change only moves: its reviewer found the same at the old place, so it is not new.

What code does can depend on where it stands. So what is about security, unless only its own text counts, is moved only
where the same definitions enclose it: in the same file the heads of all of them; between files all of the outermost
function, too; where they are not known, all of the statement at the top level of the same file. A model is not asked
again: there all of the function has to be what it was.
"""

from __future__ import annotations

import functools
import posixpath
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec

from selfreview.api import Depth, Finding
from selfreview.api.context import Hunk, WordHit
from selfreview.git.content import Content, Probe
from selfreview.model.change import ChangedFile, FileStatus, HunkSpan, LineRange, overlaps
from selfreview.model.issue import GATE, Category, Issue, IssueStatus, Place, Severity, Side
from selfreview.review.anchor import anchor, by_path
from selfreview.review.context import Workbench
from selfreview.review.excluded_files import guess_at_base
from selfreview.review.issue_status import Marking
from selfreview.review.moved_lines import Origin, moved_lines, shown
from selfreview.review.tasks import Outcome, Task, assign
from selfreview.review.triage import to_issues
from selfreview.syntax.enclosing import Enclosing, enclosing
from selfreview.syntax.source import Source
from selfreview.syntax.statements import Statements

Ask = Callable[[Sequence[Task], Workbench], Sequence[Outcome]]
"""Runs tasks on a bench; what they find has no secrets."""

_NUMBER = re.compile(r"\d+")
_FARTHEST = 60
"""Lines above a place among which the statement around it may begin."""
_LONG_QUOTE = re.compile("\"\"\"|'''|`")
_Key = tuple[str, str, str, int]
"""A reviewer, what it finds, and where that begins."""


class _Suspect(NamedTuple):
    """A finding on moved lines, with where its first line came from, and its lines in its file."""

    outcome: Outcome
    finding: Finding
    origin: Origin
    file: ChangedFile
    lines: LineRange

    @property
    def by_model(self) -> bool:
        """Return whether a model found it, which is not asked again: its answers vary."""
        return self.outcome.task.reviewer.depth is Depth.MODEL

    @property
    def reason(self) -> str:
        """Why it does not count."""
        return f"moved, not changed (was {self.origin})"


class _Old(NamedTuple):
    """A finding in the base: its severity, and the line of the comment by which it did not count, or 0."""

    severity: Severity
    comment: int


def mark_moved(outcomes: Sequence[Outcome], bench: Workbench, ask: Ask) -> list[Outcome]:
    """Return outcomes in which findings on code that only moved are out of scope.

    Reviewers are asked once more, about the base's files that the code comes from. Each finding there takes out one
    that is no more severe.

    Args:
        outcomes: How the reviewers' tasks ended.
        bench: What was reviewed.
        ask: Has reviewers look at the base.
    """
    if bench.interrupted or not any(file.removed for file in bench.change.reviewable):
        return list(outcomes)
    looked = _Suspects(bench)
    suspects = list(looked.of(outcomes))
    moved = {id(one.finding): one.reason for one in suspects if one.by_model}
    if asked := [one for one in suspects if not one.by_model]:
        before = _BaseBench(bench, (suspect.origin.file for suspect in asked))
        try:
            stood = _stood(ask(list(_tasks(asked, before)), before), before)
        finally:
            bench.interrupted |= before.interrupted
            before.close()
        moved |= {id(one.finding): one.reason for one in asked if _takes(stood, one, looked)}
    return [_marked(outcome, moved) for outcome in outcomes]


class _Suspects:
    """Findings on moved lines of what a bench holds."""

    def __init__(self, bench: Workbench) -> None:
        self._bench = bench
        self._files = by_path(bench.change)
        self._sides: dict[tuple[str, Side], _FileSide] = {}

    @functools.cached_property
    def _origins(self) -> Mapping[tuple[str, int], Origin]:
        return moved_lines(self._bench.change, self._bench.text)

    def of(self, outcomes: Iterable[Outcome]) -> Iterator[_Suspect]:
        """Yield the findings of which all changed lines are moved ones."""
        for outcome in outcomes:
            if outcome.task.reviewer.name == GATE:
                continue
            for finding in outcome.review.findings:
                suspect = self._suspect(outcome, finding)
                if suspect is not None:
                    yield suspect

    def _suspect(self, outcome: Outcome, finding: Finding) -> _Suspect | None:
        file = self._files.get(finding.file)
        if file is None or finding.side is Side.OLD or finding.unreviewed:
            return None
        anchored = anchor(finding, self._files, self._bench.text)
        line = anchored.line_start
        if anchored.status is not IssueStatus.OPEN:
            return None
        origin = self._origin(file, line, anchored.line_end)
        if origin is None or _kind(origin.file.path_at_base) != _kind(file.path):
            return None
        if not self._side(origin.file, Side.OLD).was_reviewed:
            return None
        suspect = _Suspect(outcome, finding, origin, file, LineRange(line, anchored.line_end))
        if suspect.by_model:
            return suspect if self._is_whole(file, line, origin, finding.related) else None
        if not all(self._is_place_moved(place) for place in finding.related):
            return None
        by_place = finding.category is Category.SECURITY and outcome.task.reviewer.depth is not Depth.TEXT
        return suspect if not by_place or self._is_enclosed_alike(file, line, origin) else None

    def brings(self, suspect: _Suspect, comment: int) -> bool:
        """Return whether a finding has moved within its file and what encloses it, along with a comment about it.

        Args:
            suspect: The finding.
            comment: The line where the comment was; all lines from there to the finding have moved as one.
        """
        _, _, origin, file, lines = suspect
        if file.path_at_base != origin.file.path_at_base or not self._is_enclosed_alike(file, lines.first, origin):
            return False
        step = lines.first - origin.line
        moved = range(min(lines.first, comment + step), max(lines.last, comment + step) + 1)
        return all(self._origins.get((file.path, at)) == (origin.file, at - step) for at in moved)

    def _origin(self, file: ChangedFile, first: int, last: int) -> Origin | None:
        """Return where a place was, with all of the statement around it, or None where not all of that moved."""
        origin = self._origins.get((file.path, first))
        if origin is None:
            return None
        new, old = self._side(file, Side.NEW), self._side(origin.file, Side.OLD)
        lines = new.statement(first, last)
        if any(line in new.added and (file.path, line) not in self._origins for line in lines):
            return None
        before = origin.line - first + lines.first
        return origin if new.shown(lines) == old.shown(LineRange(before, before + lines.size - 1)) else None

    def _is_place_moved(self, place: Place) -> bool:
        file = self._files.get(place.file)
        if file is None or place.side is Side.OLD or not overlaps(file.added, place.line_start, place.line_end):
            return True
        return self._origin(file, place.line_start, place.line_end) is not None

    def _is_enclosed_alike(self, file: ChangedFile, line: int, origin: Origin) -> bool:
        """Return whether the definitions around a line are those that were around it."""
        new, old = self._side(file, Side.NEW), self._side(origin.file, Side.OLD)
        now, before = new.enclosing[line], old.enclosing[origin.line]
        same_file = file.path_at_base == origin.file.path_at_base
        if now.heads != before.heads or not (now.heads or same_file):
            return False
        return bool(now.heads and same_file) or new.shape(now.lines) == old.shape(before.lines)

    def _is_whole(self, file: ChangedFile, line: int, origin: Origin, related: Iterable[Place]) -> bool:
        """Return whether the function around a line, or the file without one, is what it was, and all that counts.

        Args:
            file: The file.
            line: Its line.
            origin: Where the line was.
            related: What else the finding names; other changed lines are reason enough for it.
        """
        new, old = self._side(file, Side.NEW), self._side(origin.file, Side.OLD)
        now, before = new.enclosing[line], old.enclosing[origin.line]
        within, was = (now.lines, before.lines) if now.heads else (new.whole, old.whole)
        if now.heads != before.heads or new.shape(within) != old.shape(was):
            return False
        return not any(
            (there := self._files.get(place.file)) is not None
            and overlaps(there.removed if place.side is Side.OLD else there.added, place.line_start, place.line_end)
            and not (there is file and place.line_start in within and place.line_end in within)
            for place in related
        )

    def _side(self, file: ChangedFile, side: Side) -> _FileSide:
        return self._sides.setdefault((file.path, side), _FileSide(file, side, self._bench))


class _FileSide:
    """One side of a file; what is derived from it is derived once, however many findings ask."""

    def __init__(self, file: ChangedFile, side: Side, bench: Workbench) -> None:
        self._file, self._side, self._bench = file, side, bench
        self._shapes: dict[LineRange, list[tuple[int, str]]] = {}

    @functools.cached_property
    def _lines(self) -> Sequence[str]:
        text = self._bench.text(self._file, self._side)
        return () if text is None else text.lines

    @functools.cached_property
    def was_reviewed(self) -> bool:
        """Whether nothing about the file at the base takes it out of the review."""
        data = self._bench.content.read(self._file, Side.OLD) or b""
        return guess_at_base(self._file, data, self._bench.config["max_file_bytes"]) is None

    @functools.cached_property
    def added(self) -> frozenset[int]:
        """The lines that the change adds."""
        return frozenset(line for lines in self._file.added for line in range(lines.first, lines.last + 1))

    @functools.cached_property
    def enclosing(self) -> Sequence[Enclosing]:
        """What encloses each line."""
        path = self._file.path if self._side is Side.NEW else self._file.path_at_base
        return enclosing(Source(path, "\n".join(self._lines)))

    @functools.cached_property
    def _statements(self) -> Statements:
        return Statements(self._lines)

    def statement(self, first: int, last: int) -> LineRange:
        """Return some lines with all of the statements that they begin and end in, also where these begin far above."""
        above, last = range(max(first - _FARTHEST, 1), first), min(last, len(self._lines))
        # A line that ends a text in such quotes may as well begin one.
        plain = (line for line in above if not _LONG_QUOTE.search(self._lines[line - 1]))
        start = next((line for line in plain if first in self._statements.of(line)), first)
        ends = (self._statements.of(line)[-1] for line in (start, first, last))
        return LineRange(min(start, self._statements.of(first)[0]), max(last, *ends))

    def shown(self, place: LineRange) -> Sequence[str]:
        """Return some lines without their margins and line ends; of lines that are not there, none."""
        return [shown(line) for line in self._lines[place.first - 1 : place.last]] if place.first > 0 else ()

    @property
    def whole(self) -> LineRange:
        """All lines."""
        return LineRange(1, len(self._lines))

    def shape(self, place: LineRange) -> list[tuple[int, str]]:
        """Return some lines but for white space."""
        if place not in self._shapes:
            self._shapes[place] = _shape(self._lines[place.first - 1 : place.last])
        return self._shapes[place]


def _kind(path: str) -> str:
    """Return the ending of a path, which says whether and by what a file is run."""
    return posixpath.splitext(path)[1].lower()


def _shape(lines: Iterable[str]) -> list[tuple[int, str]]:
    """Return the lines of code with how deep each stands, however that is written."""
    depths: list[int] = []
    shape = []
    for line in lines:
        if text := shown(line):
            width = len(line.expandtabs()) - len(line.expandtabs().lstrip(" "))
            while depths and depths[-1] > width:
                depths.pop()
            if not depths or depths[-1] < width:
                depths.append(width)
            shape.append((len(depths), text))
    return shape


def _takes(stood: Mapping[_Key, list[_Old]], suspect: _Suspect, looked: _Suspects) -> bool:
    """Return whether the same stood at the old place, as severe; it is taken away, as it stands for one."""
    origin, finding = suspect.origin, suspect.finding
    key = _key(suspect.outcome.task.reviewer.name, finding, origin.file.path_at_base, origin.line)
    there = stood.get(key, [])
    alike = (old for old in there if old.severity.at_least(finding.severity))
    same = next((old for old in alike if old.comment == 0 or looked.brings(suspect, old.comment)), None)
    if same is not None:
        there.remove(same)
    return same is not None


def _tasks(suspects: Iterable[_Suspect], before: _BaseBench) -> Iterator[Task]:
    """Yield what reviewers are asked: about no file that they found nothing moved from."""
    wanted: dict[str, set[str]] = defaultdict(set)
    reviewers = {}
    for outcome, _, origin, *_ in suspects:
        reviewer = outcome.task.reviewer
        reviewers[reviewer.name] = reviewer
        wanted[reviewer.name].add(origin.file.path_at_base)
    for task in assign(reviewers.values(), before):
        yield task._replace(files=tuple(file for file in task.files if file.path in wanted[task.reviewer.name]))


def _stood(outcomes: Iterable[Outcome], before: _BaseBench) -> dict[_Key, list[_Old]]:
    """Return what was found in the base and counted, or would have but for a comment about its lines; no setting."""
    found = [(outcome.task.reviewer.name, finding) for outcome in outcomes for finding in outcome.review.findings]
    issues = to_issues(found, before.change, before.text)
    markers = Marking().of(before)
    markers.look(issues)
    stood: dict[_Key, list[_Old]] = defaultdict(list)
    for issue in issues:
        if issue.status not in (IssueStatus.OPEN, IssueStatus.DUPLICATE):
            continue
        mark = markers.mark(issue)
        if mark is None or mark.line:
            old = _Old(issue.severity, mark.line if mark is not None else 0)
            stood[_key(issue.reviewer, issue, issue.file, issue.line_start)].append(old)
    return stood


def _key(reviewer: str, finding: Finding | Issue, path: str, line: int) -> _Key:
    # Of one rule, the words tell apart what a line has twice; numbers in them are those of lines.
    what = f"{finding.rule} {_NUMBER.sub('', finding.description)}"
    return reviewer, what, path, line


def _marked(outcome: Outcome, moved: Mapping[int, str]) -> Outcome:
    findings = [
        msgspec.structs.replace(finding, status=IssueStatus.OUT_OF_SCOPE, status_reason=moved[id(finding)])
        if id(finding) in moved
        else finding
        for finding in outcome.review.findings
    ]
    return outcome._replace(review=msgspec.structs.replace(outcome.review, findings=findings))


class _BaseBench(Workbench):
    """Bench for asking reviewers what they found before: files of the base, as if all their lines were new.

    Settings are those of the review.

    Args:
        bench: The bench of the review.
        files: Files of its change that the base has.
    """

    def __init__(self, bench: Workbench, files: Iterable[ChangedFile]) -> None:
        before = {file.path_at_base: file for file in files}
        shown = [_as_new(file, bench) for _, file in sorted(before.items())]
        change = msgspec.structs.replace(bench.change, files=tuple(shown))
        super().__init__(change, _BaseContent(bench.content, before), bench.config, bench.runner)
        self._bench = bench
        bench.on_stop(self.stop)

    def settings(self, paths: Iterable[str]) -> dict[str, bytes]:
        """Return files of settings as the review reads them."""
        return self._bench.settings(paths)

    def list_settings(self, folder: str) -> list[str]:
        """Return the paths of files of settings as the review reads them."""
        return self._bench.list_settings(folder)

    @property
    def settings_of_base(self) -> bool:
        """Return whether the review reads settings from the base."""
        return self._bench.settings_of_base

    def close(self) -> None:
        """Remove what was written; the rest is the review's."""
        if self._folder is not None:
            self._folder.cleanup()


def _as_new(file: ChangedFile, bench: Workbench) -> ChangedFile:
    text = bench.text(file, Side.OLD)
    lines = len(text.lines) if text is not None else 0
    return ChangedFile(
        path=file.path_at_base,
        status=FileStatus.ADDED,
        old_mode="000000",
        new_mode=file.old_mode,
        new_oid=file.old_oid,
        spans=(HunkSpan(0, 0, 1, lines),) if lines else (),
    )


class _BaseContent:
    """The base's side of a change's content, as the new side of files that were not there before."""

    def __init__(self, content: Content, before: dict[str, ChangedFile]) -> None:
        self._content, self._before = content, before

    def read(self, file: ChangedFile, side: Side) -> bytes | None:
        """Return a file of the base."""
        return None if side is Side.OLD else self._content.read(self._before[file.path], Side.OLD)

    def probe(self, file: ChangedFile, side: Side, length: int) -> Probe | None:
        """Return a file's first bytes and its size."""
        data = self.read(file, side)
        return None if data is None else Probe(data[:length], len(data))

    def hunks(self, file: ChangedFile) -> tuple[Hunk, ...]:  # noqa: ARG002 - part of the protocol
        """Return nothing: only models look at hunks, and none is asked about the base."""
        return ()

    def is_partial(self, file: ChangedFile) -> bool:
        """Return whether only some lines are known."""
        return self._content.is_partial(self._before[file.path])

    def read_path(self, path: str, side: Side) -> bytes | None:
        """Return the bytes of a file of the base."""
        return None if side is Side.OLD else self._content.read_path(path, Side.OLD)

    def find(self, paths: Iterable[str], side: Side = Side.NEW) -> dict[str, bytes]:
        """Return the base's content of paths."""
        return {} if side is Side.OLD else self._content.find(paths, Side.OLD)

    def links(self, paths: Iterable[str], side: Side = Side.NEW) -> dict[str, str]:
        """Return the targets of the base's symbolic links."""
        return {} if side is Side.OLD else self._content.links(paths, Side.OLD)

    def list_paths(self, side: Side = Side.NEW) -> list[str]:
        """Return the paths of the base's files."""
        return [] if side is Side.OLD else self._content.list_paths(Side.OLD)

    def search(self, words: Sequence[str]) -> list[WordHit]:  # noqa: ARG002 - part of the protocol
        """Return nothing, as for hunks."""
        return []

    def checkout(self, folder: Path, side: Side = Side.NEW) -> Path:  # noqa: ARG002 - the base is the only side
        """Check the base out."""
        return self._content.checkout(folder, Side.OLD)

    def close(self) -> None:
        """Free nothing: the review goes on."""
