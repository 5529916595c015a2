"""Findings on code that the change only moves: its reviewer found the same at the old place, so it is not new.

What code does can depend on where it stands. So what is about security, unless only its own text counts, has to stay in
the function that it was in, or to move with all of it. A model is not asked again: there all of the function has to be
what it was.
"""

from __future__ import annotations

import functools
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

import msgspec

from selfreview.api import Depth, Finding
from selfreview.model.change import ChangedFile, LineRange, overlaps
from selfreview.model.issue import GATE, Category, Issue, IssueStatus, Place, Severity, Side
from selfreview.review.anchor import anchor, by_path
from selfreview.review.base_bench import BaseBench
from selfreview.review.context import Workbench
from selfreview.review.excluded_files import guess_at_base
from selfreview.review.issue_status import Marking
from selfreview.review.moved_lines import Origin, moved_lines
from selfreview.review.tasks import Outcome, Task, assign
from selfreview.review.triage import to_issues
from selfreview.syntax.source import Source
from selfreview.syntax.testcode import with_decoration

Ask = Callable[[Sequence[Task], Workbench], Sequence[Outcome]]
"""Runs tasks on a bench; what they find has no secrets."""

_NUMBER = re.compile(r"\d+")
_Key = tuple[str, str, str, int]
"""A reviewer, what it finds, and where that begins."""


class _Suspect(NamedTuple):
    """A finding on moved lines, with where its first line came from."""

    outcome: Outcome
    finding: Finding
    origin: Origin

    @property
    def by_model(self) -> bool:
        """Return whether a model found it, which is not asked again: its answers vary."""
        return self.outcome.task.reviewer.depth is Depth.MODEL

    @property
    def reason(self) -> str:
        """Why it does not count."""
        return f"moved, not changed (was {self.origin})"


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
    suspects = list(_Suspects(bench).of(outcomes))
    moved = {id(one.finding): one.reason for one in suspects if one.by_model}
    if asked := [one for one in suspects if not one.by_model]:
        before = BaseBench(bench, (suspect.origin.file for suspect in asked))
        try:
            stood = _stood(ask(list(_tasks(asked, before)), before), before)
        finally:
            bench.interrupted |= before.interrupted
            before.close()
        moved |= {id(one.finding): one.reason for one in asked if _takes(stood, one)}
    return [_marked(outcome, moved) for outcome in outcomes]


class _Suspects:
    """Findings on moved lines of what a bench holds."""

    def __init__(self, bench: Workbench) -> None:
        self._bench = bench
        self._files = by_path(bench.change)

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
        if anchored.status is not IssueStatus.OPEN or not overlaps(file.added, line, anchored.line_end):
            return None
        origin = self._origins.get((file.path, line))
        if origin is None or not all(self._is_moved(file, at) for at in range(line, anchored.line_end + 1)):
            return None
        if guess_at_base(origin.file, self._bench.content.read(origin.file, Side.OLD) or b"") is not None:
            return None  # nobody reviewed it there
        suspect = _Suspect(outcome, finding, origin)
        if suspect.by_model:
            return suspect if self._is_whole(file, line, origin, finding.related) else None
        if not all(self._is_place_moved(place) for place in finding.related):
            return None
        by_place = finding.category is Category.SECURITY and outcome.task.reviewer.depth is not Depth.TEXT
        kept = not by_place or self._is_same_function(file, line, origin)
        return suspect if kept or self._is_whole(file, line, origin, ()) else None

    def _is_moved(self, file: ChangedFile, line: int) -> bool:
        return (file.path, line) in self._origins or not overlaps(file.added, line, line)

    def _is_place_moved(self, place: Place) -> bool:
        file = self._files.get(place.file)
        if file is None or place.side is Side.OLD:
            return True
        return all(self._is_moved(file, line) for line in range(place.line_start, place.line_end + 1))

    def _is_same_function(self, file: ChangedFile, line: int, origin: Origin) -> bool:
        """Return whether a line is still in the function that it was in, or outside of any in the same file.

        That function is known by the line that it begins with, or by a name that the file has once before and after.
        """
        if file.path_at_base != origin.file.path_at_base:
            return False
        now, before = self._function(file, Side.NEW, line), self._function(origin.file, Side.OLD, origin.line)
        if now is None or before is None:
            return now is before
        if self._line_before(file, now.head) == before.head:
            return True
        name = now.name
        sides = (self._lines(file, Side.NEW), self._lines(file, Side.OLD))
        return name == before.name != "" and all(sum(_name([at]) == name for at in lines) == 1 for lines in sides)

    def _line_before(self, file: ChangedFile, line: int) -> int | None:
        """Return where a line of a file was in that file, or None."""
        if overlaps(file.added, line, line):
            origin = self._origins.get((file.path, line))
            return origin.line if origin is not None and origin.file is file else None
        spans = (span for span in file.spans if span.new_start + (span.new_count or 1) <= line)
        return line + sum(span.old_count - span.new_count for span in spans)

    def _is_whole(self, file: ChangedFile, line: int, origin: Origin, related: Iterable[Place]) -> bool:
        """Return whether the function around a line, or the file without one, is what it was, and all that counts.

        Args:
            file: The file.
            line: Its line.
            origin: Where the line was.
            related: What else the finding names; other changed lines are reason enough for it.
        """
        now, before = self._function(file, Side.NEW, line), self._function(origin.file, Side.OLD, origin.line)
        if (now is None) is not (before is None):
            return False
        lines = self._lines(file, Side.NEW) if now is None else now.lines
        old = self._lines(origin.file, Side.OLD) if before is None else before.lines
        within = LineRange(1, len(lines)) if now is None else now.place
        return _shape(lines) == _shape(old) and not any(
            (there := self._files.get(place.file)) is not None
            and overlaps(there.removed if place.side is Side.OLD else there.added, place.line_start, place.line_end)
            and not (there is file and place.line_start in within and place.line_end in within)
            for place in related
        )

    def _function(self, file: ChangedFile, side: Side, line: int) -> _Function | None:
        lines = self._lines(file, side)
        path = file.path if side is Side.NEW else file.path_at_base
        place = Source(path, "\n".join(lines)).function_around(line)
        if place is None:
            return None
        first = with_decoration(place.first, lines)
        return _Function(LineRange(first, place.last), place.first, lines[first - 1 : place.last])

    def _lines(self, file: ChangedFile, side: Side) -> Sequence[str]:
        text = self._bench.text(file, side)
        return () if text is None else text.lines


class _Function(NamedTuple):
    """A function, with the decorators above it, and the line that it begins with below them."""

    place: LineRange
    head: int
    lines: Sequence[str]

    @property
    def name(self) -> str:
        """Its words up to its parameters."""
        return _name(self.lines[self.head - self.place.first :])


def _shape(lines: Iterable[str]) -> list[tuple[int, str]]:
    """Return the lines of code with how deep each stands, however that is written."""
    depths: list[int] = []
    shape = []
    for line in lines:
        if text := line.strip():
            width = len(line.expandtabs()) - len(line.expandtabs().lstrip())
            while depths and depths[-1] > width:
                depths.pop()
            if not depths or depths[-1] < width:
                depths.append(width)
            shape.append((len(depths), text))
    return shape


def _name(function: Iterable[str]) -> str:
    """Return the words of a function up to its parameters."""
    lines = (line.partition("(") for line in function if not line.lstrip().startswith(("@", "#", "[")))
    return next((before.strip() for before, bracket, _ in lines if bracket), "")


def _takes(stood: Mapping[_Key, list[Severity]], suspect: _Suspect) -> bool:
    """Return whether the same stood at the old place, as severe; it is taken away, as it stands for one."""
    outcome, finding, origin = suspect
    there = stood.get(_key(outcome.task.reviewer.name, finding, origin.file.path_at_base, origin.line), [])
    same = next((severity for severity in there if severity.at_least(finding.severity)), None)
    if same is not None:
        there.remove(same)
    return same is not None


def _tasks(suspects: Iterable[_Suspect], before: BaseBench) -> Iterator[Task]:
    """Yield what reviewers are asked: about no file that they found nothing moved from."""
    wanted: dict[str, set[str]] = defaultdict(set)
    reviewers = {}
    for outcome, _, origin in suspects:
        reviewer = outcome.task.reviewer
        reviewers[reviewer.name] = reviewer
        wanted[reviewer.name].add(origin.file.path_at_base)
    for task in assign(reviewers.values(), before):
        yield task._replace(files=tuple(file for file in task.files if file.path in wanted[task.reviewer.name]))


def _stood(outcomes: Iterable[Outcome], before: BaseBench) -> dict[_Key, list[Severity]]:
    """Return the severities of what was found in the base and counted: no comment or setting was there for it."""
    found = [(outcome.task.reviewer.name, finding) for outcome in outcomes for finding in outcome.review.findings]
    issues = to_issues(found, before.change, before.text)
    markers = Marking().of(before)
    markers.look(issues)
    stood: dict[_Key, list[Severity]] = defaultdict(list)
    for issue in issues:
        if issue.status in (IssueStatus.OPEN, IssueStatus.DUPLICATE) and markers.mark(issue) is None:
            stood[_key(issue.reviewer, issue, issue.file, issue.line_start)].append(issue.severity)
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
