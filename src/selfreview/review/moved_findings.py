"""Findings on code that the change only moves: its reviewer found the same at the old place, so it is not new.

What code does can depend on where it stands. So what is about security, unless only its own text counts, has to stay in
the function that it was in, or to move with all of it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

import msgspec

from selfreview.api import Depth, Finding
from selfreview.model.change import ChangedFile, overlaps
from selfreview.model.issue import GATE, Category, IssueStatus, Severity, Side
from selfreview.review.anchor import anchor, by_path
from selfreview.review.base_bench import BaseBench
from selfreview.review.context import Workbench
from selfreview.review.moved_lines import Origin, moved_lines
from selfreview.review.tasks import Outcome, Task, assign
from selfreview.syntax.source import Source

Ask = Callable[[Sequence[Task], Workbench], Sequence[Outcome]]
"""Runs tasks on a bench; what they find has no secrets."""

_Key = tuple[str, str, str, int]
"""A reviewer, what it finds, and where that begins."""


class _Suspect(NamedTuple):
    """A finding on moved lines, with where its first line came from."""

    outcome: Outcome
    finding: Finding
    origin: Origin


def mark_moved(outcomes: Sequence[Outcome], bench: Workbench, ask: Ask) -> list[Outcome]:
    """Return outcomes in which findings on code that only moved are out of scope.

    Reviewers are asked once more, about the base's files that the code comes from. Each finding there takes out one
    that is no more severe.

    Args:
        outcomes: How the reviewers' tasks ended.
        bench: What was reviewed.
        ask: Has reviewers look at the base.
    """
    suspects = list(_suspects(outcomes, bench))
    if not suspects or bench.interrupted:
        return list(outcomes)
    before = BaseBench(bench, (suspect.origin.file for suspect in suspects))
    try:
        stood = _stood(ask(list(_tasks(suspects, before)), before), before)
    finally:
        bench.interrupted |= before.interrupted
        before.close()
    moved: dict[int, str] = {}
    for outcome, finding, origin in suspects:
        there = stood.get(_key(outcome, finding, origin.file.path_at_base, origin.line), [])
        same = next((severity for severity in there if severity.at_least(finding.severity)), None)
        if same is not None:
            there.remove(same)
            moved[id(finding)] = f"moved, not changed (was {origin})"
    return [_marked(outcome, moved) for outcome in outcomes]


def _suspects(outcomes: Iterable[Outcome], bench: Workbench) -> Iterator[_Suspect]:
    """Yield the findings of which all changed lines are moved ones."""
    if not any(file.spans for file in bench.change.reviewable):
        return
    files = by_path(bench.change)
    origins: dict[tuple[str, int], Origin] | None = None
    for outcome in outcomes:
        reviewer = outcome.task.reviewer
        if reviewer.depth is Depth.MODEL or reviewer.name == GATE:
            continue
        for finding in outcome.review.findings:
            file = files.get(finding.file)
            if file is None or finding.side is Side.OLD or finding.unreviewed:
                continue
            anchored = anchor(finding, files, bench.text)
            places = [(file, anchored.line_start, anchored.line_end)]
            places += [(files[p.file], p.line_start, p.line_end) for p in finding.related if p.file in files]
            text = bench.text(file, Side.NEW)
            if anchored.status is not IssueStatus.OPEN or anchored.line_start == 0 or text is None:
                continue
            if not overlaps(file.added, anchored.line_start, anchored.line_end):
                continue
            origins = moved_lines(bench.change, bench.text) if origins is None else origins
            origin = origins.get((file.path, anchored.line_start))
            changed = [
                (there.path, line)
                for there, first, last in places
                for span in there.added
                for line in range(max(first, span.first), min(last, span.last) + 1)
            ]
            if origin is None or not all(place in origins for place in changed):
                continue
            by_place = finding.category is Category.SECURITY and reviewer.depth is not Depth.TEXT
            if not by_place or _keeps_function(file, anchored.line_start, origin, bench):
                yield _Suspect(outcome, finding, origin)


def _keeps_function(file: ChangedFile, line: int, origin: Origin, bench: Workbench) -> bool:
    """Return whether a line is still in the function that it was in, or in one that moved as a whole."""
    new, old = bench.text(file, Side.NEW), bench.text(origin.file, Side.OLD)
    if new is None or old is None:
        return False
    now = Source(file.path, new.text).function_around(line)
    before = Source(origin.file.path_at_base, old.text).function_around(origin.line)
    if now is not None and before is not None and _shape(now) == _shape(before):
        return True
    return file.path_at_base == origin.file.path_at_base and _name(now) == _name(before)


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


def _name(function: Sequence[str] | None) -> str | None:
    """Return the words of a function up to its parameters; None outside of any."""
    if function is None:
        return None
    lines = (line.partition("(") for line in function if not line.lstrip().startswith(("@", "#", "[")))
    return next((before.strip() for before, bracket, _ in lines if bracket), "")


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
    """Return the severities of what was found in the base."""
    files = by_path(before.change)
    stood: dict[_Key, list[Severity]] = defaultdict(list)
    for outcome in outcomes:
        for finding in outcome.review.findings:
            anchored = anchor(finding, files, before.text)
            if anchored.status is IssueStatus.OPEN and finding.side is Side.NEW:
                stood[_key(outcome, finding, finding.file, anchored.line_start)].append(finding.severity)
    return stood


def _key(outcome: Outcome, finding: Finding, path: str, line: int) -> _Key:
    return outcome.task.reviewer.name, finding.rule or finding.description, path, line


def _marked(outcome: Outcome, moved: dict[int, str]) -> Outcome:
    findings = [
        msgspec.structs.replace(finding, status=IssueStatus.OUT_OF_SCOPE, status_reason=moved[id(finding)])
        if id(finding) in moved
        else finding
        for finding in outcome.review.findings
    ]
    return outcome._replace(review=msgspec.structs.replace(outcome.review, findings=findings))
