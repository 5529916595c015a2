"""How a loop went, and which of the states that it came to is the best."""

from __future__ import annotations

import dataclasses

from selfreview.api import Issue
from selfreview.errors import SelfreviewError
from selfreview.loop.checks import PREFIX as CHECK
from selfreview.loop.patches import Patch
from selfreview.model.refinement import Stop
from selfreview.model.result import Iteration, Result, ResultStatus
from selfreview.review.verdict import Threshold


@dataclasses.dataclass
class Looped:
    """How the loop went.

    Attributes:
        first: The review before it.
        iterations: What it did.
        stop: Why it ended.
        why: The same for a person.
        best: Number of the iteration that is best, 0 for the beginning.
        patches: The kept patch of each iteration, None where it changed nothing.
        notes: What else a person should know, as sentences.
        taken_over: How many of the iterations, from the first one on, have the review of an earlier run.
        failed: The error that ended it, or None.
        brought: How much blocks in the state after an iteration, by its number, that the beginning had not.
    """

    first: Result
    stop: Stop
    why: str = ""
    iterations: list[Iteration] = dataclasses.field(default_factory=list)
    patches: list[Patch | None] = dataclasses.field(default_factory=list)
    best: int = 0
    notes: list[str] = dataclasses.field(default_factory=list)
    taken_over: int = 0
    failed: SelfreviewError | None = None
    brought: dict[int, int] = dataclasses.field(default_factory=dict)

    @property
    def result(self) -> Result:
        """The review of the best state."""
        return self.iterations[self.best - 1].review if self.best else self.first

    @property
    def reviews(self) -> list[Result]:
        """All reviews of this run, in order."""
        return [self.first, *(iteration.review for iteration in self.iterations[self.taken_over :])]

    @property
    def patch(self) -> Patch | None:
        """The patch that leads to the best state."""
        return self.patches[self.best - 1] if self.best else None


def blocking(threshold: Threshold, result: Result) -> list[Issue]:
    """Return what blocks, worst first, in the order of the files."""
    found = [issue for issue in result.issues if threshold.blocks(issue)]
    return sorted(found, key=lambda issue: (-issue.severity.rank, issue.file, issue.line_start))


def weight(threshold: Threshold, result: Result) -> tuple[int, ...]:
    """Return how much blocks, to compare states with: the less the better, the worst severity first."""
    # Checks run only where nothing else blocks, so one that is not listed need not have passed.
    found = blocking(threshold, result)
    ranks = [issue.severity.rank for issue in found if not issue.reviewer.startswith(CHECK)]
    unknown = int(result.status is ResultStatus.INCOMPLETE)  # what was not reviewed is not better
    return (unknown, *(ranks.count(rank) for rank in range(4, -1, -1)), len(found) - len(ranks))


def best(threshold: Threshold, looped: Looped) -> int:
    """Return the number of the state with the least that blocks, 0 for the beginning; of equals the first.

    One that brings something new that blocks is chosen only where none is better than the beginning without that.
    What only an earlier run has reviewed does not count: configuration, reviewers and checks may be others by now.
    """
    states = [looped.first, *(iteration.review for iteration in looped.iterations)]
    known: list[int] = [0, *range(looped.taken_over + 1, len(states))]
    weights = {number: weight(threshold, states[number]) for number in known}
    clean = [number for number in known if weights[number] < weights[0] and not looped.brought.get(number)]
    return min(clean or known, key=lambda number: (weights[number], number))
