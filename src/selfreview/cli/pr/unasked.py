"""Models and agents that could not be asked for a fix, according to their own errors and not those of tools."""

from __future__ import annotations

import time
from collections.abc import Collection, Sequence
from typing import NamedTuple

from selfreview.model.result import Depth, Iteration, Result, ResultStatus
from selfreview.pullrequest.quota import Limit, limit_in, outage_in


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
    said = [
        one.error
        for result in results
        if result.status is not ResultStatus.COMPLETE
        for one in result.reviewers
        if one.error and one.depth is Depth.MODEL
    ]
    return _read(said)


def of_fix(iterations: Sequence[Iteration], thinking: Collection[str], *, reviews: bool) -> Unasked:
    """Return why no model or agent could fix, or review the fix.

    Where one of them was asked, what it said of the feedback counts, whatever became of the others.

    Args:
        iterations: What was done.
        thinking: Names of the fixers that are models or agents.
        reviews: Whether there is no patch, which may be for want of a review.
    """
    last = {
        one.name: one.error
        for each in iterations
        for one in each.refinement.fixers
        if one.name in thinking and one.issues
    }
    said = [error for error in last.values() if error]
    unasked = [_read([error]) for error in said]
    if last and len(said) == len(last) and Unasked() not in unasked:
        return _read(said)
    return of_review(*(each.review for each in iterations if each.refinement.files)) if reviews else Unasked()


def _read(said: Sequence[str]) -> Unasked:
    return Unasked(limit_in(said, time.time()), outage_in(said))
