"""Lost coverage: the issues in what a refinement took out of the review stay open, and the review is incomplete."""

from __future__ import annotations

import base64
from collections.abc import Collection, Sequence
from typing import NamedTuple

import msgspec

from selfreview.api.context import SourceText
from selfreview.git.workspace import Workspace
from selfreview.loop.checks import PREFIX
from selfreview.loop.compare import pair
from selfreview.loop.guard.unreviewed import is_snapshot_of
from selfreview.loop.line_map import LineMap
from selfreview.model.change import path_from_bytes
from selfreview.model.issue import Issue
from selfreview.model.result import Excluded, Result
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
    said = [issue for issue in before.open_issues if not issue.reviewer.startswith(PREFIX)]
    found = pair(said, after.issues)
    left = [issue for issue in said if issue.id not in found]
    after.issues += [
        _moved(issue, step) for issue in left if issue.file in hidden or step.workspace.at(step.new, issue.file) is None
    ]


def _may_be(path: str, step: Step) -> bool:
    """Return whether a file left out of the review may be part of a fix: data that was there before, or a snapshot."""
    if step.workspace.at(step.workspace.start, path) is not None:
        return language_of(path) is None
    return is_snapshot_of(path, step.reviewed)


def _moved(issue: Issue, step: Step) -> Issue:
    """Return an issue at its present lines, or at its former lines where they were removed."""
    old, new = (_lines(step.workspace, tree, issue.file) for tree in (step.old, step.new))
    return msgspec.structs.replace(LineMap(old, new).issue(issue) or issue, status_reason=None)


def _lines(workspace: Workspace, tree: str, path: str) -> Sequence[str]:
    entry = workspace.at(tree, path)
    return () if entry is None else SourceText.from_bytes(entry.data).lines


def _path(item: Excluded) -> str:
    return path_from_bytes(base64.b64decode(item.path_bytes)) if item.path_bytes else item.path
