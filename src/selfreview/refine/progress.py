"""Progress of a refinement: fewer issues each time, issues that a review failed to report again, and lost coverage.

That fixers go in circles is found in :mod:`selfreview.refine.driver`, which knows the trees of earlier iterations.
"""

from __future__ import annotations

import base64
from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

import msgspec

from selfreview.git.workspace import Workspace
from selfreview.guard.extent import is_snapshot_of
from selfreview.model.change import LineRange, path_from_bytes
from selfreview.model.issue import Issue, Side
from selfreview.model.result import Depth, Excluded, Result
from selfreview.refine.checks import PREFIX
from selfreview.refine.tracking import LineMap, Track, open_with_duplicates, pair
from selfreview.review.verdict import Draft, leave_incomplete
from selfreview.syntax.languages import language_of


class Step(NamedTuple):
    """Workspace and trees of one refinement.

    Attributes:
        workspace: The workspace.
        old, new: Its tree before and after.
        reviewed: Paths that the first review looked at.
    """

    workspace: Workspace
    old: str
    new: str
    reviewed: Collection[str]


def keep_in_sight(first: Result, before: Result, after: Draft, step: Step) -> None:
    """Keep issues open whose file is now left out of the review, so that none could be found again, and report it.

    Args:
        first: The review before the first refinement.
        before: The review before this one.
        after: The review after it; gets the issues, and is incomplete.
        step: What lies between the latter two.
    """
    known = {_path(item) for item in first.coverage.excluded}
    new = {_path(item): item for item in after.coverage.excluded if _path(item) not in known}
    hidden = {path: item for path, item in new.items() if path in step.reviewed or not _may_be(path, step)}
    if not hidden:
        return
    reasons = [f"{item.path} is left out of the review since a refinement: {item.why}" for item in hidden.values()]
    for reason in reasons:
        leave_incomplete(after, reason)
    reported = [issue for issue in before.open_issues if not issue.reviewer.startswith(PREFIX)]
    found = pair(reported, after.issues)
    missing = [issue for issue in reported if issue.id not in found]
    after.issues += [
        _moved(issue, step)
        for issue in missing
        if issue.file in hidden or step.workspace.at(step.new, issue.file) is None
    ]


def _may_be(path: str, step: Step) -> bool:
    """Return whether a file left out of the review may be part of a fix: data that was there before, or a snapshot."""
    if step.workspace.at(step.workspace.start, path) is not None:
        return language_of(path) is None
    return is_snapshot_of(path, step.reviewed)


def _moved(issue: Issue, step: Step) -> Issue:
    """Return an issue at its present lines, or at its former lines where they were removed."""
    old, new = (_lines(step.workspace, tree, issue.file) for tree in (step.old, step.new))
    return msgspec.structs.replace(
        LineMap(old, new).issue(issue) or issue, status_reason=None, maybe_accepted=msgspec.UNSET
    )


def _path(item: Excluded) -> str:
    return path_from_bytes(base64.b64decode(item.path_bytes)) if item.path_bytes else item.path


_AROUND = 3
"""Lines before and after an issue that belong to what it is about."""


def is_shrinking(
    before: Sequence[Issue], after: Sequence[Issue], new: Sequence[Issue], written: Mapping[str, Sequence[LineRange]]
) -> bool:
    """Return whether to continue: not where the number of issues did not fall and all new ones came with the fix.

    Args:
        before, after: What blocked, and what blocks.
        new: Those of ``after`` that were not there before.
        written: By path, the lines that the fix wrote.
    """
    if len(after) < len(before) or not new:
        return True
    # A check that passed and fails now costs the patch, and is no issue: one that is new here had not been run.
    return any(issue.reviewer.startswith(PREFIX) or not _touches(issue, written.get(issue.file, ())) for issue in new)


def brought(
    before: Result,
    after: Result,
    found: Sequence[Issue],
    written: Mapping[str, Sequence[LineRange]],
    track: Track | None = None,
) -> list[Issue]:
    """Return the issues that an edit brought.

    Args:
        before, after: The reviews of what it begins with, and of what it leads to.
        found: Of the latter, those that count. No check is one: what breaks one is reverted anyway.
        written: By path, the lines that the edit wrote; what a model says of others it only did not say before.
        track: Returns the lines that took the place of an issue's first one.
    """
    known = set(pair(open_with_duplicates(before), open_with_duplicates(after), track).values())
    models = {report.name for report in after.reviewers if report.depth is Depth.MODEL}
    new = [
        issue
        for issue in found
        if issue.id not in known and issue.commit is None and not issue.reviewer.startswith(PREFIX)
    ]
    return [issue for issue in new if issue.reviewer not in models or _touches(issue, written.get(issue.file, ()))]


def _touches(issue: Issue, ranges: Sequence[LineRange]) -> bool:
    if issue.line_start == 0 or issue.side is Side.OLD:
        return bool(ranges)
    return any(item.first <= issue.line_end and issue.line_start <= item.last for item in ranges)


def carry_over(before: Result, after: Draft, workspace: Workspace, old: str, new: str) -> None:
    """Keep a model's issues open where it did not report them again, though their code was not edited since.

    A model that is asked twice about the same lines may say less the second time; that addresses nothing.

    Args:
        before: The review before the refinement.
        after: The review after it; gets the issues.
        workspace: The workspace.
        old, new: Its tree before and after.
    """
    models = {report.name for report in after.reviewers if report.depth is Depth.MODEL}
    reported = [issue for issue in before.open_issues if issue.reviewer in models]
    known = pair(reported, after.issues)
    maps: dict[str, LineMap] = {}
    kept = []
    for issue in reported:
        if issue.id in known:
            continue
        if issue.file not in maps:
            maps[issue.file] = LineMap(_lines(workspace, old, issue.file), _lines(workspace, new, issue.file))
        if not maps[issue.file].is_untouched(issue.line_start - _AROUND, issue.line_end + _AROUND):
            continue
        moved = maps[issue.file].issue(issue)
        if moved is None:
            continue
        kept.append(msgspec.structs.replace(moved, status_reason=None, maybe_accepted=msgspec.UNSET))
    after.issues += kept


def _lines(workspace: Workspace, tree: str, path: str) -> Sequence[str]:
    entry = workspace.at(tree, path)
    return () if entry is None else entry.lines
