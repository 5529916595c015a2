"""Coverage of a review: the lines that were looked at, and how deeply."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence, Set

from selfreview.api import Depth
from selfreview.model.change import Change, ChangedFile, FileStatus
from selfreview.model.result import Coverage, DepthLines, Excluded, NotReviewed, ReviewerStatus
from selfreview.model.wire import base64_path, display_path
from selfreview.review.tasks import Outcome


def seen_by_depth(outcomes: Iterable[Outcome]) -> dict[str, set[Depth]]:
    """Return, by path, the depths at which reviewers finished that file."""
    seen: dict[str, set[Depth]] = {}
    for outcome in outcomes:
        review = outcome.review
        # One that ended early says which files it had not finished; without that it has finished none.
        if review.status is not ReviewerStatus.OK and not (review.status.incomplete and review.unreviewed):
            continue
        left = set(outcome.review.unreviewed) | set(outcome.review.not_applicable)
        for file in outcome.task.files:
            if file.path not in left:
                depth = Depth.TEXT if file.path in review.text_only else outcome.task.reviewer.depth
                seen.setdefault(file.path, set()).add(depth)
    return seen


def coverage_of(change: Change, outcomes: Sequence[Outcome]) -> Coverage:
    """Sum up what reviewers of each depth saw."""
    seen = seen_by_depth(outcomes)
    given = {file.path for one in outcomes if one.review.status is not ReviewerStatus.OK for file in one.task.files}
    given.update(*(one.review.unreviewed for one in outcomes))
    lines = dict.fromkeys(Depth, 0)
    for file in change.reviewable:
        for depth in seen.get(file.path, ()):
            lines[depth] += file.added_lines
    return Coverage(
        left_out=list(change.scope.left_out),
        files=len(change.files),
        reviewed_files=sum(1 for file in change.reviewable if seen.get(file.path)),
        added_lines=change.added_lines,
        depth=DepthLines(text=lines[Depth.TEXT], static=lines[Depth.STATIC], model=lines[Depth.MODEL]),
        text_only=[display_path(f.path) for f in change.reviewable if seen.get(f.path) == {Depth.TEXT}],
        excluded=[
            Excluded(path=display_path(file.path), why=file.excluded, path_bytes=base64_path(file.path))
            for file in change.files
            if file.excluded is not None
        ],
        not_reviewed=[
            NotReviewed(why=why, files=count)
            for why, count in Counter(_why(f, given) for f in change.files if not seen.get(f.path)).most_common()
        ],
    )


def _why(file: ChangedFile, given: Set[str]) -> str:
    """Return why nobody reviewed a file, given those that reviewers did not finish."""
    if file.excluded is not None:
        return file.excluded
    if file.path in given:
        return "given to a reviewer that took no part or did not finish"
    if file.status is FileStatus.DELETED:
        return "deleted"
    if not file.spans:
        return "moved as it was" if file.status is FileStatus.RENAMED else "without a changed line"
    return "of no kind that a reviewer took"
