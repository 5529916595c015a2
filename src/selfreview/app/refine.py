"""Checks and refinement after a review, and the apply where the person wants it."""

from __future__ import annotations

import contextlib
import dataclasses

from selfreview.app.applying import Applying
from selfreview.app.fixers import select_fixers
from selfreview.app.loading import fixers_of
from selfreview.app.state import AskedRun, RefinedRun, Reviewed, SessionRun
from selfreview.app.workspace_refinement import Plan, Refinery, why_not_refined
from selfreview.app.workspace_review import WorkspaceReviewer
from selfreview.apply.patches import Patch
from selfreview.errors import GitError, SelfreviewError
from selfreview.git.collect_change import collect
from selfreview.git.content import tree_id
from selfreview.git.scope import ScopeRequest
from selfreview.model.refinement import Stop
from selfreview.model.result import KeptPatch, Result
from selfreview.model.usage import Usage
from selfreview.refine.refinement_result import RefinementResult
from selfreview.review.verdict import leave_incomplete

_INTERRUPTED = "it was interrupted"


def refine(run: SessionRun, *, refines: bool) -> SessionRun:
    """Run the checks, and refine where fixers take part."""
    reviewer = WorkspaceReviewer(run)
    run.scope.whole.callback(reviewer.close)
    plan = _plan(run) if refines else Plan(fixers=[], iterations=0, threshold=run.threshold)
    refinery = Refinery(run, reviewer, plan=plan, recorder=run.live.recorder)
    refined = _refine(run, refinery)
    return run if refined is None else RefinedRun(**vars(run), refined=refined, reviews=reviewer.reviews)


def _refine(run: SessionRun, refinery: Refinery) -> RefinementResult | None:
    """Refine; errors and interrupts become a part of the result."""
    live, first = run.live, Reviewed(run.result, run.bench, run.privacy)
    decided: list[Result] = []

    def decide(result: Result) -> None:
        decided.append(result)
        live.decided(result)

    try:
        return refinery.refine(first, decide)
    except SelfreviewError as error:
        if not decided:
            decide(run.result)
        else:
            live.recorder.failed("refinement", error.message)
        run.result.notes.append(why_not_refined(error))
        return None
    except KeyboardInterrupt:
        refined = refinery.refined
        if refined is not None:  # it was over: only the workspace was still to be removed
            refined.stop, refined.why = Stop.INTERRUPTED, _INTERRUPTED
        elif not decided and not run.blocks():
            _interrupt_checks(run)
        else:
            if not decided:
                decide(run.result)
            refined = RefinementResult(first=run.result, stop=Stop.INTERRUPTED, why=_INTERRUPTED)
        return refined


def _plan(run: SessionRun) -> Plan:
    asked = run.request.max_iterations
    registry = fixers_of(run.manager, run.config)
    fixers, notes = select_fixers(registry, run.config, run.request.fixers, uploads=run.uploads)
    run.result.notes += notes
    iterations = run.config["max_iterations"] if asked is None else asked
    return Plan(fixers=fixers, iterations=iterations, threshold=run.threshold)


def _interrupt_checks(run: SessionRun) -> None:
    """Mark the result as incomplete because its checks were interrupted."""
    with run.engine.revise(run.result) as draft:
        leave_incomplete(draft, "the checks were interrupted before they were done")
    run.result.stop, run.result.stop_reason = Stop.INTERRUPTED, _INTERRUPTED


def conclude(run: RefinedRun) -> RefinedRun:
    """Apply the patch where that is wanted; the result becomes that of the person's tree, with its iterations."""
    first, applying = run.result, Applying(run)
    patch = _choose_patch(run, applying)
    run = _with_shown_result(run, patch)
    _record_refinement(run, first, patch)
    return run if applying.shown is None else AskedRun(**vars(run), shown=applying.shown)


def _choose_patch(run: RefinedRun, applying: Applying) -> KeptPatch | None:
    """Return the patch that the result names, and whether it was applied; None where there is none."""
    refined = run.refined
    found = refined.patch if refined.patch is not None or refined.stop is not Stop.HELD else refined.held
    if found is not None and refined.stop is Stop.INTERRUPTED:
        patch = found.describe()  # nobody who says stop wants to be asked, or written to
        patch.reason = _INTERRUPTED
        return patch
    if found is not None:
        return _apply_if_wanted(run, applying, found)
    if refined.spare is None:
        return None
    patch = refined.spare.describe()  # nobody is asked: what they have is as good
    patch.better, patch.reason = False, refined.spare_why
    return patch


def _with_shown_result(run: RefinedRun, patch: KeptPatch | None) -> RefinedRun:
    """Return the run with the review of what the person's tree holds by now."""
    first, refined = run.result, run.refined
    applied = patch is not None and patch.applied and _is_reviewed(run, staged=patch.staged)
    # Where the best state has no patch, it is the person's tree, of which more is known by now.
    if not applied and (refined.best == 0 or refined.patch is not None):
        return run
    with_held = patch is not None and patch.applied and patch.held
    result = refined.iterations[patch.iteration - 1].review if patch and with_held else refined.result
    best = next((reviewed for reviewed in run.reviews if reviewed.result is result), None)
    if best is not None:
        run = dataclasses.replace(run, bench=best.bench, privacy=best.privacy)
    run = dataclasses.replace(run, result=result)
    if result.scope is not None and first.scope is not None and result is not first:
        result.scope.notes = first.scope.notes
        result.coverage.left_out = first.coverage.left_out
    _mark_edited_tree(run)
    return run


def _record_refinement(run: RefinedRun, first: Result, patch: KeptPatch | None) -> None:
    """Write into the result what the refinement did, and which patches it leaves."""
    result, refined = run.result, run.refined
    total = _total(first, refined)
    result.notes += refined.notes
    result.iterations = refined.iterations
    for iteration in refined.iterations:
        if iteration.review is result:  # no result holds itself
            iteration.review = _without_iterations(result)
    result.stop, result.stop_reason, result.patch = refined.stop, refined.why, patch
    if patch is None or not patch.held:
        waits = refined.held_after if patch is not None and patch.applied else refined.held
        result.held = waits.describe() if waits is not None else None
    result.usage = total


def _apply_if_wanted(run: RefinedRun, applying: Applying, patch: Patch) -> KeptPatch:
    """Apply the patch where that is wanted; when interrupted, record whether it is pending or applied."""
    refined = run.refined
    try:
        return applying.decide(patch)
    except KeyboardInterrupt:
        refined.stop, refined.why = Stop.INTERRUPTED, _INTERRUPTED
        done = applying.applied()
        kept = patch.describe()
        kept.applied = done is not None and done.patch == patch.id
        kept.reason = None if kept.applied else refined.why
        return kept
    except SelfreviewError as error:  # a plugin that was to decide failed; the session must not say that all is well
        run.live.session.patch = patch.id
        run.live.recorder.failed("apply", error.message)
        raise


def _is_reviewed(run: RefinedRun, *, staged: bool) -> bool:
    """Return whether a patch was applied to the scope under review: never to a commit, to the index if staged."""
    mode = run.bench.change.scope.mode
    return mode == "branch" or (mode == "staged" and staged)


def _mark_edited_tree(run: RefinedRun) -> None:
    """Mark the result as incomplete where the person's tree has changed since the review."""
    result = run.result
    reviewed = result.scope.tree if result.scope is not None else None
    why = None
    try:
        now = collect(run.opened.repo, ScopeRequest(paths=run.paths), run.opened.collected.resolved)
        with contextlib.closing(now):
            there = tree_id(run.opened.repo, now)
    except GitError as error:  # the patch is applied by now: that must not get lost
        why = f"cannot tell whether the tree was edited while it was refined: {error.message}"
    else:
        if there is not None and reviewed is not None and there != reviewed:
            why = "the tree was edited while it was refined: what is new was not reviewed"
    if why is not None:
        with run.engine.revise(result) as draft:
            leave_incomplete(draft, why)


def _without_iterations(result: Result) -> Result:
    import msgspec

    return msgspec.structs.replace(result, iterations=[], stop=None, stop_reason=None, patch=None, held=None)


def _total(first: Result, refined: RefinementResult) -> Usage:
    """Return the total usage; a refinement without changes shares the review before it, which counts once."""
    reviews = {id(review): review for review in (first, *(iteration.review for iteration in refined.iterations))}
    return Usage.total([*(r.usage for r in reviews.values()), *(i.refinement.usage for i in refined.iterations)])
