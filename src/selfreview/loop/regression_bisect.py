"""Bisect a refinement that breaks a check which passed before: the part that does is taken back, and nothing else."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from selfreview.api import Issue
from selfreview.loop.fixing import Refiner
from selfreview.loop.stages import without
from selfreview.model.refinement import FixerReport


def attempt(
    refiner: Refiner,
    regressions: Callable[[], list[str]],
    work: Sequence[Issue],
    number: int,
    deadline: float,
    *,
    excuse: Callable[[], bool],
) -> list[FixerReport]:
    """Run the fixers; where their edits break a check, try again with its output.

    Args:
        refiner: Has the workspace edited.
        regressions: Says which checks that passed before fail on the workspace as it is.
        work: The issues, with the lines of the workspace as it is.
        number: Of this refinement.
        deadline: On the monotonic clock.
        excuse: Runs the checks that failed just now again, on the workspace without the edits; one that fails there,
            too, is no fix's fault and counts no more, and it returns that there was one.

    Returns:
        How each fixer's part went.
    """
    refiner.begin(work)
    reports = refiner.refine(work, number, deadline)
    broken, left = _hold(refiner, regressions, excuse, 0)
    if broken:
        held = len(refiner.stages.all)
        reports += refiner.refine([issue for issue in work if issue.id in left], number, deadline, broken)
        _hold(refiner, regressions, excuse, held)
    return reports


def _hold(
    refiner: Refiner, regressions: Callable[[], list[str]], excuse: Callable[[], bool], held: int
) -> tuple[list[str], set[str]]:
    """Take back the stage that breaks a check.

    Args:
        refiner: What edited.
        regressions, excuse: As above.
        held: How many stages are known to break none.

    Returns:
        What the checks say of it, and the ids of the issues that are nobody's now; empty where nothing breaks.
    """
    stages, mine = refiner.stages, refiner.stages.all
    broken = regressions() if len(mine) > held else []
    if broken:
        stages.show(mine[:held])
        is_excused = excuse()
        stages.show(mine)
        broken = regressions() if is_excused else broken
    if not broken:
        return [], set()
    number = len(mine) - 1
    while number > held:  # which is the first that breaks one: all but the last, all but the last two, …
        stages.show(mine[:number])
        earlier = regressions()
        if not earlier:
            break
        broken, number = earlier, number - 1
    guilty = mine[number]
    kept = without(mine, [guilty])
    stages.show(kept)
    if len(kept) > number and regressions():
        kept = list(mine[:number])
        stages.show(kept)
    gone = [stage for stage in mine if stage not in kept]
    refiner.disown(gone, {guilty: broken})
    settled = {issue for stage in kept for issue in stage.settled}
    return broken, {issue for stage in gone for issue in stage.report.issues} - settled
