"""Progress of the loop, and issues that a review only failed to report again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

from selfreview.api.context import SourceText
from selfreview.git.workspace import Workspace
from selfreview.loop.checks import PREFIX
from selfreview.loop.compare import Landed, open_with_duplicates, pair
from selfreview.loop.line_map import LineMap
from selfreview.model.change import LineRange
from selfreview.model.issue import Issue, Side
from selfreview.model.result import Depth, Result
from selfreview.review.verdict import Draft

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
    landing: Landed | None = None,
) -> list[Issue]:
    """Return the issues that an edit brought.

    Args:
        before, after: The reviews of what it begins with, and of what it leads to.
        found: Of the latter, those that count. No check is one: what breaks one is taken back anyway.
        written: By path, the lines that the edit wrote; what a model says of others it only did not say before.
        landing: Returns the lines that took the place of an issue's first one.
    """
    known = set(pair(open_with_duplicates(before), open_with_duplicates(after), landing).values())
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
    said = [issue for issue in before.open_issues if issue.reviewer in models]
    known = pair(said, after.issues)
    maps: dict[str, LineMap] = {}
    kept = []
    for issue in said:
        if issue.id in known:
            continue
        if issue.file not in maps:
            maps[issue.file] = LineMap(_lines(workspace, old, issue.file), _lines(workspace, new, issue.file))
        if not maps[issue.file].is_untouched(issue.line_start - _AROUND, issue.line_end + _AROUND):
            continue
        moved = maps[issue.file].issue(issue)
        if moved is None:
            continue
        kept.append(msgspec.structs.replace(moved, status_reason=None))
    after.issues += kept


def _lines(workspace: Workspace, tree: str, path: str) -> Sequence[str]:
    entry = workspace.at(tree, path)
    return () if entry is None else SourceText.from_bytes(entry.data).lines
