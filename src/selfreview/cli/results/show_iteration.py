"""``selfreview show --iteration N``: one refinement: its issues, the fixers' answers, and its patch."""

from __future__ import annotations

import sys
from collections.abc import Iterator

from selfreview.api.reporter import PatchText
from selfreview.app.outputs import use_color
from selfreview.app.patch_text import kept_patch
from selfreview.app.session import LOOK_BACK
from selfreview.cli.stored import columns, listed, stored, write_json, write_lines
from selfreview.errors import UsageError
from selfreview.git.repo import Repo
from selfreview.git.revisions import current_branch
from selfreview.model.result import Iteration, Result
from selfreview.reporters import refined
from selfreview.reporters.terminal.code import patch_lines
from selfreview.reporters.terminal.iterations import of_one
from selfreview.reporters.terminal.paint import Paint
from selfreview.store import Store
from selfreview.text.escape import visible
from selfreview.text.layout import wrap


def show_iteration(repo: Repo, number: int, run: str | None, format_name: str) -> None:
    """Print one refinement.

    Args:
        repo: The repository.
        number: The refinement, from 1.
        run: The id of a run or the beginning of one; None: the newest of this branch that refined.
        format_name: ``terminal`` or ``json``.

    Raises:
        UsageError: If there is no such run or refinement.
    """
    with stored(repo) as store:
        result = _newest(store, current_branch(repo.git)) if run is None else store.result(run)
    count = len(result.iterations)
    if number > count:
        there = f"it has {'only 1' if count == 1 else count or 'none'}"
        raise UsageError(f"run {result.run_id} has no refinement {number}", hint=f"{there}; selfreview history")
    iteration = result.iterations[number - 1]
    diff = kept_patch(repo, iteration)
    if format_name == "json":
        patch = iteration.refinement.patch
        write_json(
            {"runId": result.run_id, "number": number, "iteration": iteration, "patch": patch, "diff": diff.text}
        )
    else:
        write_lines(_lines(result, number, iteration, diff))


def _newest(store: Store, branch: str | None) -> Result:
    for result in store.results(LOOK_BACK, branch or ""):
        if result.iterations:
            return result
    raise UsageError("no run on this branch refined anything", hint="selfreview history lists all runs")


def _lines(result: Result, number: int, iteration: Iteration, diff: PatchText) -> Iterator[str]:
    paint, width = Paint(use_color("auto", sys.stdout.isatty())), columns()
    yield f"run {visible(result.run_id or '')}"
    yield from of_one(number, iteration, paint, width, whole=True)
    yield from _issues(result, iteration, paint, width)
    yield ""
    if diff.text is None:
        yield from wrap(diff.why, width)
        return
    before = ", those of the refinements before it included" if number > 1 else ""
    yield from wrap(f"Patch {iteration.refinement.patch}: everything from the reviewed tree to the state after "
                    f"refinement {number}{before}", width)  # fmt: skip
    kept = result.patch
    if kept is not None and kept.applied and kept.id == iteration.refinement.patch:
        yield from wrap("It was applied to your tree; selfreview undo takes back what was applied last", width)
    else:
        yield from wrap(f"To put it into your tree: selfreview apply {iteration.refinement.patch}", width)
    yield ""
    yield from patch_lines(diff.text, paint)


def _issues(result: Result, iteration: Iteration, paint: Paint, width: int) -> Iterator[str]:
    refinement = iteration.refinement
    known = refined.known(result)
    told = {*refinement.unaddressed_issue_ids, *refinement.new_issues_introduced}
    others = [issue.id for issue in iteration.review.open_issues if issue.id not in told]
    asked = bool(refinement.unaddressed_issue_ids)
    groups = (
        ("addressed", refinement.addressed_issue_ids),
        ("still open of those that blocked" if others else "still open", refinement.unaddressed_issue_ids),
        (f"{'more ' if asked else ''}still open, not blocking before", others),
        ("new", refinement.new_issues_introduced),
    )
    for title, names in groups:
        if names:
            yield ""
            yield paint(f"{len(names)} {title}", "bold")
            yield from listed([known[name] for name in names if name in known], paint, width)
            yield from (f"  {visible(name)}" for name in names if name not in known)
