"""Attribution of new issues and of broken checks to edits; the part that breaks a check is taken back."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from selfreview.api import Issue, Side
from selfreview.api.context import SourceText
from selfreview.git.worktree_files import Entry
from selfreview.model.refinement import FixerReport
from selfreview.model.wire import display_path
from selfreview.refine.fixing import Refiner
from selfreview.refine.line_map import LineMap
from selfreview.refine.stages import Stage, without


def blame(stages: Sequence[Stage], new: Sequence[Issue]) -> dict[Stage, list[str]]:
    """Return the stages that brought issues, each with what it brought, as sentences.

    An issue belongs to the last that wrote one of its lines, else to the last that edited its file.

    Args:
        stages: In order, all of them in the workspace.
        new: Issues of the workspace as it is, which were not there before the stages.
    """
    found: dict[Stage, list[str]] = {}
    for issue in new:
        there = [stage for stage in stages if issue.file in stage.edits]
        if there:
            wrote = [stage for stage in there if _wrote(stage, there[-1], issue)]
            why = f"{display_path(issue.file)}:{issue.line_start}: new since this edit: {issue.description}"
            found.setdefault((wrote or there)[-1], []).append(why)
    return found


def _wrote(stage: Stage, last: Stage, issue: Issue) -> bool:
    """Return whether a stage wrote a line of an issue, whose lines are those after the last stage."""
    if issue.line_start == 0 or issue.side is Side.OLD:
        return False
    edit = stage.edits[issue.file]
    old, new = _lines(edit.old), _lines(edit.new)
    then = LineMap(_lines(last.edits[issue.file].new), new)
    lines = [then.line(number) for number in range(issue.line_start, issue.line_end + 1)]
    before = LineMap(new, old)
    return any(before.line(line) is None for line in lines if line is not None)


def _lines(entry: Entry | None) -> Sequence[str]:
    return () if entry is None else SourceText.from_bytes(entry.data).lines


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
