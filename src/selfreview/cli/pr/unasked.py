"""Models and agents that could not be asked for a fix, according to their own errors and not those of tools."""

from __future__ import annotations

import time
from collections.abc import Collection, Sequence
from typing import NamedTuple

from selfreview.model.refinement import FixerReport
from selfreview.model.result import Depth, Iteration, Result, ResultStatus, ReviewerReport
from selfreview.pullrequest.quota import Limit, away_of, limit_of


class Unasked(NamedTuple):
    """The reason why models and agents could not be asked.

    Attributes:
        limit: The quota that is used up, or None.
        away: Why a model or an agent could not be asked, as a sentence, or None.
    """

    limit: Limit | None = None
    away: str | None = None


def of_review(*results: Result) -> Unasked:
    """Return why models and agents could not review, where that made a review incomplete."""
    return _combined(
        [
            _unasked(reviewer)
            for result in results
            if result.status is not ResultStatus.COMPLETE
            for reviewer in result.reviewers
            if reviewer.error and reviewer.depth is Depth.MODEL
        ]
    )


def of_fix(iterations: Sequence[Iteration], thinking: Collection[str], *, reviews: bool) -> Unasked:
    """Return why no model or agent could fix, or review the fix.

    Where one of them was asked, what it said of the feedback counts, whatever became of the others.

    Args:
        iterations: What was done.
        thinking: Names of the fixers that are models or agents.
        reviews: Whether there is no patch, which may be for want of a review.
    """
    last = {
        fixer.name: fixer
        for each in iterations
        for fixer in each.refinement.fixers
        if fixer.name in thinking and fixer.issues
    }
    unasked = [_unasked(fixer) for fixer in last.values()]
    if last and Unasked() not in unasked:
        return _combined(unasked)
    return of_review(*(each.review for each in iterations if each.refinement.files)) if reviews else Unasked()


def _unasked(report: ReviewerReport | FixerReport) -> Unasked:
    """Return why a reviewer's or a fixer's model could not be asked; nothing where it was."""
    if not report.error:
        return Unasked()
    outage = report.outage or None
    return Unasked(limit_of(report.error, outage, time.time()), away_of(report.error, outage))


def _combined(unasked: Sequence[Unasked]) -> Unasked:
    """Return the limit with the longest wait, and the first model that is away."""
    limits = [each.limit for each in unasked if each.limit is not None]
    away = next((each.away for each in unasked if each.away is not None), None)
    return Unasked(max(limits, key=lambda limit: limit.wait_s, default=None), away)
