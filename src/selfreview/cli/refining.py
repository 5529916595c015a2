"""From a review to the final result: refinement, its apply where the person wants it, and the report."""

from __future__ import annotations

import contextlib

from selfreview.cli.applying import settle
from selfreview.cli.fixers import all_fixers, select_fixers
from selfreview.cli.invocation import Invocation
from selfreview.cli.refinery import Plan, Refinery, why_not_refined
from selfreview.cli.reviewing import Reviewed, WorkspaceReviewer
from selfreview.cli.session import LiveSession, patches_folder
from selfreview.errors import GitError, SelfreviewError
from selfreview.git.collect import collect
from selfreview.git.content import tree_id
from selfreview.git.scope import Request
from selfreview.loop.apply import Applier
from selfreview.loop.patches import Patch, PatchStore, referred
from selfreview.loop.refinement_result import RefinementResult
from selfreview.model.refinement import Stop
from selfreview.model.result import KeptPatch, Result
from selfreview.model.usage import Usage
from selfreview.review.context import Workbench
from selfreview.review.engine import Engine
from selfreview.review.privacy import Privacy
from selfreview.review.verdict import leave_incomplete
from selfreview.store.reviewing import ReviewStore


class Refining:
    """The refinement of a reviewed change.

    Args:
        invocation: The command line.
        store: Where things are remembered.
        engine: What reviewed first; the workspace is reviewed in the same way.
        lived: The session.
        uploads: Whether a model may be sent code.
        refines: Whether fixers take part, and not only checks.

    Attributes:
        privacy: What keeps secrets out of the excerpts of the result that :meth:`refine` returned.
    """

    privacy: Privacy

    def __init__(
        self,
        invocation: Invocation,
        store: ReviewStore,
        engine: Engine,
        lived: LiveSession,
        *,
        uploads: bool,
        refines: bool,
    ) -> None:
        assert invocation.repo is not None  # noqa: S101 - the caller has looked
        assert invocation.collected is not None  # noqa: S101 - the same
        self._invocation = invocation
        self._repo = invocation.repo
        self._store = store
        self._lived = lived
        self._uploads = uploads
        self._refines = refines
        self._threshold = engine.threshold
        self._reviewer = WorkspaceReviewer(invocation, invocation.collected, engine, uploads=uploads)
        self._patches = PatchStore(patches_folder(self._repo))

    def refine(self, first: Reviewed, engine: Engine) -> tuple[Result, Workbench, RefinementResult | None]:
        """Check, refine and apply; return the result of the person's tree afterwards."""
        self.privacy = first.privacy
        refinery = Refinery(
            self._invocation,
            self._reviewer,
            plan=self._plan(first.result),
            recorder=self._lived.recorder,
            patches=self._patches,
            in_use=self._in_use,
            resumed=self._invocation.options.get("resumed") or (),
        )
        decided: list[Result] = []

        def note(result: Result) -> None:
            decided.append(result)
            self._lived.decided(result)

        looped = None
        try:
            looped = refinery.refine(first, engine, note)
        except SelfreviewError as error:
            if not decided:
                note(first.result)
            else:
                self._lived.recorder.failed("refinement", error.message)
            first.result.notes.append(why_not_refined(error))
        except KeyboardInterrupt:
            looped = refinery.looped
            if looped is not None:  # it was over: only the workspace was still to be removed
                looped.stop, looped.why = Stop.INTERRUPTED, _INTERRUPTED
            elif not decided and not self._blocks(first.result):
                _interrupt_checks(first.result, engine)
            else:
                if not decided:
                    note(first.result)
                looped = RefinementResult(first=first.result, stop=Stop.INTERRUPTED, why=_INTERRUPTED)
        if looped is None:
            return first.result, first.bench, None
        return *self._conclude(first, looped, engine), looped

    def _blocks(self, result: Result) -> bool:
        return any(self._threshold.blocks(issue) for issue in result.issues)

    def _in_use(self) -> set[str] | None:
        """Return the patches that are referred to, or None where that cannot be known."""
        waiting = self._store.attempt(lambda store: store.waiting_patches(), None)
        applied = referred(self._repo.common_dir)
        return None if waiting is None or applied is None else waiting | applied

    def close(self) -> None:
        """Close the reviews of the workspace."""
        self._reviewer.close()

    def _plan(self, result: Result) -> Plan:
        options, config = self._invocation.options, self._invocation.config
        asked = options["max_iterations"]
        iterations = config["max_iterations"] if asked is None else asked
        if not self._refines:
            return Plan(fixers=[], iterations=0, threshold=self._threshold)
        registry = all_fixers(self._invocation, config)
        fixers, notes = select_fixers(registry, config, options["fixers"], uploads=self._uploads)
        result.notes += notes
        return Plan(fixers=fixers, iterations=iterations, threshold=self._threshold)

    def _is_reviewed(self, first: Reviewed, *, staged: bool) -> bool:
        """Return whether a patch was applied to the scope under review: never to a commit, to the index if staged."""
        mode = first.bench.change.scope.mode
        return mode == "branch" or (mode == "staged" and staged)

    def _demand_tree(self, result: Result, engine: Engine) -> None:
        """Mark the result as incomplete where the person's tree has changed since the review."""
        invocation = self._invocation
        assert invocation.collected is not None  # noqa: S101 - there was something to refine
        resolved = invocation.collected.resolved
        reviewed = result.scope.tree if result.scope is not None else None
        why = None
        try:
            now = collect(self._repo, Request(paths=invocation.paths_from_root), resolved)
            with contextlib.closing(now):
                there = tree_id(self._repo, now)
        except GitError as error:  # the patch is applied by now: that must not get lost
            why = f"whether the tree was edited while it was refined cannot be told: {error.message}"
        else:
            if there is not None and reviewed is not None and there != reviewed:
                why = "the tree was edited while it was refined: what is new was not reviewed"
        if why is not None:
            with engine.revise(result) as draft:
                leave_incomplete(draft, why)

    def _settle(self, first: Reviewed, looped: RefinementResult, found: Patch) -> KeptPatch:
        """Apply the patch where that is wanted; when interrupted, record whether it is pending or applied."""
        try:
            recorder = self._lived.recorder
            return settle(self._invocation, self._repo, self._patches, recorder, first=first, looped=looped)
        except KeyboardInterrupt:
            looped.stop, looped.why = Stop.INTERRUPTED, _INTERRUPTED
            done = Applier(self._repo, self._patches).applied()
            kept = found.describe()
            kept.applied = done is not None and done.patch == found.id
            kept.reason = None if kept.applied else looped.why
            return kept
        except (
            SelfreviewError
        ) as error:  # a plugin that was to decide failed; the session must not say that all is well
            self._lived.session.patch = found.id
            self._lived.recorder.failed("apply", error.message)
            raise

    def _conclude(self, first: Reviewed, looped: RefinementResult, engine: Engine) -> tuple[Result, Workbench]:
        """Return the result of the person's current tree, with its iterations."""
        patch = None
        if looped.patch is not None and looped.stop is Stop.INTERRUPTED:
            patch = looped.patch.describe()  # nobody who says stop wants to be asked, or written to
            patch.reason = _INTERRUPTED
        elif looped.patch is not None:
            patch = self._settle(first, looped, looped.patch)
        elif looped.spare is not None:  # nobody is asked: what they have is as good
            patch = looped.spare.describe()
            patch.better, patch.reason = False, looped.spare_why
        applied = patch is not None and patch.applied and self._is_reviewed(first, staged=patch.staged)
        # Where the best state has no patch, it is the person's tree, of which more is known by now.
        same = looped.best > 0 and looped.patch is None
        result, bench = (looped.result, first.bench) if applied or same else (first.result, first.bench)
        best = self._reviewer.of(result)
        if best is not None:
            bench, self.privacy = best.bench, best.privacy
        if result.scope is not None and first.result.scope is not None and result is not first.result:
            result.scope.notes = first.result.scope.notes
            result.coverage.left_out = first.result.coverage.left_out
        if applied or same:
            self._demand_tree(result, engine)
        total = _total(first.result, looped)
        result.notes += looped.notes
        result.iterations = looped.iterations
        for iteration in looped.iterations:
            if iteration.review is result:  # no result holds itself
                iteration.review = _without_iterations(result)
        result.stop, result.stop_reason, result.patch = looped.stop, looped.why, patch
        result.usage = total
        return result, bench


_INTERRUPTED = "it was interrupted"


def _interrupt_checks(result: Result, engine: Engine) -> None:
    """Mark a result as incomplete because its checks were interrupted."""
    with engine.revise(result) as draft:
        leave_incomplete(draft, "the checks were interrupted before they were done")
    result.stop, result.stop_reason = Stop.INTERRUPTED, _INTERRUPTED


def _without_iterations(result: Result) -> Result:
    import msgspec

    return msgspec.structs.replace(result, iterations=[], stop=None, stop_reason=None, patch=None)


def _total(first: Result, looped: RefinementResult) -> Usage:
    """Return the total usage; a refinement without changes shares the review before it, which counts once."""
    reviews = {id(review): review for review in (first, *(iteration.review for iteration in looped.iterations))}
    total = Usage()
    for usage in (*(r.usage for r in reviews.values()), *(i.refinement.usage for i in looped.iterations)):
        total.add(usage)
    return total
