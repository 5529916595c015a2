"""The project's checks and refinement in a workspace, after a review.

What fixes, and with it the guard, is imported where a fixer takes an issue: most reviews end without.
"""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable, Collection, Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING

from selfreview.api import Fixer, Occasion
from selfreview.app.checks import Checks
from selfreview.app.crash import write_report
from selfreview.app.loading import patches_folder
from selfreview.app.state import Reviewed, SessionRun
from selfreview.app.workspace_review import WorkspaceReviewer, is_spent_out, overlaid
from selfreview.apply.patches import Patch, PatchStore, files_first
from selfreview.errors import FixError, SelfreviewError
from selfreview.git.hooks import hooks_in_tree
from selfreview.git.repo import Repo
from selfreview.git.workspace import Workspace
from selfreview.llm.context import guidelines
from selfreview.llm.context.guidelines import Instructions
from selfreview.model.event import SessionResumed
from selfreview.model.refinement import Stop
from selfreview.model.result import Iteration, Result
from selfreview.model.usage import Usage
from selfreview.model.wire import utc_now
from selfreview.proc import Runner
from selfreview.refine.call_fixer import FixerContext, would_take
from selfreview.refine.recorder import Recorder
from selfreview.refine.refinement_result import RefinementResult, Scale
from selfreview.refine.resuming import Earlier, enter, recall, remember
from selfreview.refine.scratch import scratch
from selfreview.review.privacy import SafeContext
from selfreview.review.run_reviewers import close_refuted
from selfreview.review.verdict import Draft, Threshold

if TYPE_CHECKING:
    from selfreview.guard import Held
    from selfreview.refine.fixing import Refiner


@dataclasses.dataclass(frozen=True, kw_only=True)
class Plan:
    """The plan of a refinement after the review.

    Attributes:
        fixers: Who fixes, in order; nobody where only a review was asked for.
        iterations: Refinements at most.
        threshold: What blocks.
        occasion: What reviewers of the pull request said, where that is what is answered.
        adjust: Called with each review of a refined state, the workspace and what refines it, before it is judged.
    """

    fixers: Sequence[Fixer]
    iterations: int
    threshold: Threshold
    occasion: Occasion | None = None
    adjust: Callable[[Draft, Workspace, Refiner], None] | None = None


class Refinery:
    """The stages that follow a review.

    Args:
        run: The run.
        reviewer: Reviews workspaces.
        plan: What is to be done.
        recorder: The session.

    Attributes:
        refined: How refinement went, as soon as it is over: what comes after it may be interrupted.
        failed: What kept the checks from being run, or None.
    """

    def __init__(
        self,
        run: SessionRun,
        reviewer: WorkspaceReviewer,
        *,
        plan: Plan,
        recorder: Recorder,
    ) -> None:
        self._run = run
        self._config = run.config
        self._reviewer = reviewer
        self._plan = plan
        self._recorder = recorder
        self._patches = PatchStore(patches_folder(run.opened.repo))
        self._resumed = run.request.resumed
        self._runner = Runner()
        run.scope.on_cancel(self._runner.kill_all)
        self.refined: RefinementResult | None = None
        self.failed: SelfreviewError | None = None

    def refine(self, first: Reviewed, decided: Callable[[Result], None]) -> RefinementResult | None:
        """Run the checks where nothing blocks, and refine where something does.

        Args:
            first: The review; checks that fail become issues of it.
            decided: Called once the verdict on the person's tree is there, before refinement.

        Returns:
            How refinement went, or None where there was none.
        """
        engine, result, repo = self._run.engine, first.result, self._run.opened.repo
        checks = Checks(self._run, self._runner)
        with engine.revise(result) as draft:
            checks.list_withheld(draft)
        wants_checks = bool(checks.runnable) and not self._plan.threshold.blocking(result.issues)
        if not (wants_checks or self._can_fix(result)):
            with engine.revise(result) as draft:
                checks.mark_not_run(draft, _NOT_CALLED_FOR)
            decided(result)
            return self._left(result)
        begun = False
        try:
            with scratch(repo, self._run.opened.collected, self._run.ui.uninterrupted) as workspace:
                _refuse_moved(workspace, first)
                checks.begin(workspace, repo.root)
                if wants_checks:
                    with engine.revise(result) as draft:
                        checks.judge(draft, first.bench.change)
                begun = True
                decided(result)
                if not self._can_fix(result):
                    return self._left(result)
                refined = self._refine(first, workspace, checks, repo)
                with engine.revise(result) as draft:
                    checks.add_first(draft, first.bench.change)
                for iteration in refined.iterations:
                    if iteration.review is not result:
                        with engine.revise(iteration.review) as draft:
                            checks.add_not_again(draft, first.bench.change)
                self.refined = refined
                return refined
        except SelfreviewError as error:
            self.failed = error
            if begun or not wants_checks:
                raise
            with engine.revise(result) as draft:
                checks.could_not(draft, error.message)  # a gate that never ran must not look like one that was passed
            decided(result)
            return None
        finally:
            self._runner.kill_all()

    def _left(self, result: Result) -> RefinementResult | None:
        """Return a refinement that could not begin as no fixer takes the open issues, or None without fixers."""
        plan = self._plan
        if not (plan.fixers and plan.iterations and plan.threshold.blocking(result.issues)):
            return None
        return RefinementResult(first=result, stop=Stop.NOTHING_FIXABLE, why="no fixer can fix the open issues")

    def _can_fix(self, result: Result) -> bool:
        blocking = self._plan.threshold.blocking(result.issues)
        takes = any(would_take(fixer, issue, self._config) for fixer in self._plan.fixers for issue in blocking)
        return self._plan.iterations > 0 and takes

    def _refine(self, first: Reviewed, workspace: Workspace, checks: Checks, repo: Repo) -> RefinementResult:
        from selfreview.refine.driver import Loop, RefinementLimits

        checks.run_first()
        keeper = PatchKeeper(self._patches, workspace, repo, self._waiting)
        host = _Host(self._run, self._reviewer, self._plan, self._recorder, checks=checks, keeper=keeper)
        refiner = self._refiner(first, workspace, host, repo)
        host.refiner = refiner
        scale = Scale(self._plan.threshold, first.result, checks.unproven)
        limits = RefinementLimits(iterations=self._plan.iterations, deadline=host.deadline)
        earlier = self._enter(workspace, repo, refiner, first.result)
        refined = Loop(refiner, scale, limits, host, self._recorder).run(earlier)
        refined.notes += checks.notes
        if self._resumed and not earlier:
            refined.notes.append(_STARTED_OVER)
        return refined

    def _waiting(self) -> Collection[str] | None:
        return self._run.store.attempt(lambda store: store.waiting_patches(), None)

    def _refiner(self, first: Reviewed, workspace: Workspace, host: _Host, repo: Repo) -> Refiner:
        from selfreview.refine.fixing import GitPlaces, Materials, Refiner

        source = Instructions(SafeContext(first.bench, first.privacy, 60.0))
        named = bool(self._run.request.requirements)
        materials = Materials(
            change=first.bench.change,
            requirements=guidelines.requirements(source, self._config["requirements"], named=named),
            guidelines=guidelines.guidelines(source),
            threshold=str(self._plan.threshold.value),
            occasion=self._plan.occasion,
        )
        git = GitPlaces(sorted({repo.git_dir, repo.common_dir}), hooks_in_tree(repo))
        return Refiner(workspace, self._plan.fixers, self._config, materials, git=git, host=host)

    def _enter(self, workspace: Workspace, repo: Repo, refiner: Refiner, first: Result) -> list[Earlier]:
        """Restore in the workspace the state of an interrupted run, and return its iterations."""
        if not self._resumed:
            return []
        earlier = recall(self._patches, self._resumed)
        files = enter(workspace, earlier[-1], repo) if earlier else None
        if files is None:
            self._recorder.note(SessionResumed(iteration=0, patches=[]))
            return []
        refiner.resume(files, first, [iteration for iteration, _ in earlier])
        return earlier


class PatchKeeper:
    """Keeps the states of a workspace as patches to the person's tree.

    Args:
        patches: Where they are kept.
        workspace: The workspace.
        person: The person's repository.
        waiting: Returns the ids of patches that wait in a session, or None where that is not known.
    """

    def __init__(
        self,
        patches: PatchStore,
        workspace: Workspace,
        person: Repo,
        waiting: Callable[[], Collection[str] | None],
    ) -> None:
        self._patches = patches
        self.workspace = workspace
        self._person = person
        self._waiting = waiting

    def keep(self, tree: str, number: int, held: Sequence[Held] = (), since: str | None = None) -> Patch | None:
        """Keep a patch that leads to a tree; return None where nothing changed.

        Args:
            tree: The tree.
            number: Number of the iteration.
            held: Its edits that wait for a person; their files come first in the patch.
            since: The tree that it begins with; None: the beginning.
        """
        from selfreview.refine.fixing import describe_held

        workspace, start = self.workspace, since or self.workspace.start
        ours = workspace.changed(workspace.start, start)
        files = {path: (workspace.at(start, path) if path in ours else workspace.original(path, self._person),
                        workspace.at(tree, path)) for path in workspace.changed(start, tree)}  # fmt: skip
        if not files:
            return None
        waits = {edit.path for edit in held}
        diff = files_first(workspace.diff(start, tree), [path for path in files if path in waits])
        said = [describe_held(edit) for edit in held]
        return self._patches.keep(files, diff, at=utc_now(), iteration=number, waiting=self._waiting(), held=said)


class _Host:
    """Ports of the loop, and host of the fixers, in a run.

    Args:
        run: The run.
        reviewer: Reviews workspaces.
        plan: What is to be done.
        recorder: The session.
        checks: The project's checks.
        keeper: Keeps patches.

    Attributes:
        refiner: What has the workspace edited, set before the loop begins.
        deadline: Of the refinement, on the monotonic clock.
    """

    refiner: Refiner

    def __init__(
        self,
        run: SessionRun,
        reviewer: WorkspaceReviewer,
        plan: Plan,
        recorder: Recorder,
        *,
        checks: Checks,
        keeper: PatchKeeper,
    ) -> None:
        self._run = run
        self._reviewer = reviewer
        self._plan = plan
        self._recorder = recorder
        self._checks = checks
        self._keeper = keeper
        self._workspace = keeper.workspace
        self._engine = run.engine
        self._first = run.bench
        self._spent = Usage()
        self._verified: set[tuple[str, str]] = set()
        self.deadline = time.monotonic() + run.config["refine_timeout"]

    def review(self, iteration: int) -> Result:
        """Review the workspace, and run the checks where nothing else blocks."""
        self._run.scope.check()
        self._workspace.refresh_view()  # tools that review read it too
        reviewed, self._engine = self._reviewer.review(self._workspace, iteration, self._spent)
        checks = self._checks
        with self.revise(reviewed.result) as draft:
            self._close_refuted(draft, reviewed)
            if self._plan.adjust is not None:
                self._plan.adjust(draft, self._workspace, self.refiner)
            checks.list_withheld(draft)
            if checks.runnable and not self._plan.threshold.blocking(draft.issues):
                checks.judge(draft, reviewed.bench.change)
            else:
                checks.mark_not_run(draft, _NOT_CALLED_FOR)
        return reviewed.result

    def revise(self, result: Result) -> AbstractContextManager[Draft]:
        """Yield a result to be changed, by the engine that reviewed last."""
        return self._engine.revise(result)

    def _close_refuted(self, draft: Draft, reviewed: Reviewed) -> None:
        """Verify, once and within the budget, the issues that a fixer called false positives."""
        spent = Usage()
        for usage in (self._spent, reviewed.result.usage):
            spent.add(usage)
        claimed = [
            issue
            for issue in reviewed.result.open_issues
            if self.refiner.false_positive(issue) is not None and (issue.file, issue.description) not in self._verified
        ]
        if not claimed or is_spent_out(self._run.config, spent):
            return
        self._verified.update((issue.file, issue.description) for issue in claimed)
        engine = self._reviewer.engine(overlaid(self._run.config, self._workspace, spent))
        close_refuted(
            draft,
            claimed,
            engine.selected.reviewers,
            reviewed.bench,
            reviewed.privacy,
            settings=self._engine.settings,
        )

    def regressions(self) -> list[str]:
        """Return which checks fail that passed before the first refinement."""
        return self._checks.regressions(self.deadline)

    def excuse(self) -> bool:
        """Run the checks that failed last again, without the fix."""
        return self._checks.excuse(self.deadline)

    @property
    def no_fixs_fault(self) -> Collection[str]:
        """The checks that fail whatever a fix does."""
        return self._checks.no_fixs_fault

    def keep(self, tree: str, number: int) -> Patch | None:
        """Keep a patch from the beginning to a tree."""
        return self._keeper.keep(tree, number)

    def hold(
        self, tree: str, number: int, held: Sequence[Held], since: str | None
    ) -> tuple[Patch | None, Patch | None]:
        """Keep patches whose edits wait for a person: from the beginning, and from another tree."""
        whole = self._keeper.keep(tree, number, held)
        return whole, self._keeper.keep(tree, number, held, since) if since is not None else None

    def remember(self, patch: Patch, iteration: Iteration) -> None:
        """Keep an iteration with its patch."""
        remember(patch, iteration)

    def should_stop(self, result: Result) -> str | None:
        """Ask plugins whether to stop."""
        answer = self._run.manager.call(
            "selfreview_should_stop", session=self._recorder.session, result=result, config=self._run.config
        )
        return None if answer is None else str(answer)

    def spend(self, usage: Usage) -> None:
        """Record what models cost."""
        self._spent.add(usage)
        self._run.ui.spent(self._spent)

    @property
    def is_spent_out(self) -> bool:
        """Return whether the budget for models is used up."""
        return is_spent_out(self._run.config, self._spent)

    def context(self, deadline: float) -> FixerContext:
        """Return a fixer's context in the workspace."""
        config = overlaid(self._run.config, self._workspace, self._spent)
        return FixerContext(self._checks.checker, self._checks.runnable, self._first.change, config, deadline)

    def began(self, fixer: str, issues: int) -> None:
        """Show which fixer begins."""
        count = f"{self._recorder.session.iteration}/{self._plan.iterations}"
        self._run.ui.progress(f"refining ({count}) with {fixer}: {issues} to fix")

    def crashed(self, part: str, error: BaseException) -> str | None:
        """Write a crash report."""
        return write_report(part, error)


_NOT_CALLED_FOR = "something blocks"
_STARTED_OVER = "refinement started over instead of resuming: the tree has changed, or the kept state cannot be read"


def _refuse_moved(workspace: Workspace, first: Reviewed) -> None:
    """Refuse to refine another state than the reviewed one.

    Raises:
        FixError: If the tree was edited since.
    """
    scope = first.bench.change.scope
    if scope.tree is not None and scope.tree != workspace.start:
        raise FixError("the tree was edited while it was under review", hint="run it again")


def why_not_refined(error: SelfreviewError) -> str:
    """Return why there was no refinement, as a sentence for the result."""
    return f"not refined: {error.message}" + (f" ({error.hint})" if error.hint else "")
