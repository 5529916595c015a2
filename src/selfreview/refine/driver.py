"""The loop: refine, review again, until the verdict passes or there is a reason to stop."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import AbstractContextManager

import msgspec

from selfreview.api import Issue
from selfreview.apply.patches import Patch
from selfreview.errors import SelfreviewError, StoreError
from selfreview.git.workspace import Workspace
from selfreview.model.issue import IssueStatus
from selfreview.model.refinement import Refinement, Stop
from selfreview.model.result import Depth, Iteration, Result, ResultStatus
from selfreview.model.session import SessionState
from selfreview.model.usage import Usage
from selfreview.refine.compare import pair
from selfreview.refine.fixing import Refiner
from selfreview.refine.line_map import Landing
from selfreview.refine.progress import Step, brought, carry_over, is_shrinking, keep_in_sight
from selfreview.refine.recorder import Recorder
from selfreview.refine.refinement_result import RefinementResult, Scale, blocking, choose, compare, describe
from selfreview.refine.regression_bisect import attempt, blame
from selfreview.refine.resuming import Earlier
from selfreview.refine.stages import without
from selfreview.review.verdict import Draft, Threshold
from selfreview.text.layout import plural

_FALSE = "reports it as a false positive"


@dataclasses.dataclass(frozen=True, kw_only=True)
class Limits:
    """Limits at which the loop ends.

    Attributes:
        iterations: Refinements at most.
        deadline: On the monotonic clock.
        spent_out: Whether a sum of usage leaves nothing to spend.
    """

    iterations: int
    deadline: float
    spent_out: Callable[[Usage], bool]


@dataclasses.dataclass(frozen=True, kw_only=True)
class Effects:
    """Callbacks by which the loop reviews, runs checks, keeps patches and asks plugins.

    Attributes:
        review: Reviews the workspace as it is, checks included; the argument is the number of refinements before.
        regressions: Runs the checks that passed before the first refinement, and says which fail now.
        excuse: Runs those that failed last again, on the workspace without the fix; one that fails there, too, counts
            no more, and it returns that there was one.
        keep: Keeps a patch from the beginning to a tree.
        hold: Keeps a patch to a tree of which edits wait for a person, from the beginning and, if that is given, from
            another tree.
        remember: Keeps an iteration with its patch, for a run that goes on from there.
        revise: Gives a result to be changed; its verdict is derived anew afterwards.
        should_stop: Asks plugins; returns why, or None.
    """

    review: Callable[[int], Result]
    regressions: Callable[[], list[str]]
    excuse: Callable[[], bool]
    keep: Callable[[str, int], Patch | None]
    hold: Callable[[str, int, Sequence[str], str | None], tuple[Patch | None, Patch | None]]
    remember: Callable[[Patch, Iteration], None]
    revise: Callable[[Result], AbstractContextManager[Draft]]
    should_stop: Callable[[Result], str | None]


class Loop:
    """Refines one workspace.

    Args:
        workspace: The workspace.
        refiner: Has it edited.
        threshold: What blocks.
        limits: When it ends.
        effects: What it does through others.
        recorder: The session.
        spent: What models cost so far; the loop adds the reviews, the refiner what fixers cost.
        first: The review of the beginning.
        unproven: Names, as of reviewers, of the checks that did not pass there, be it that they could not run.
    """

    def __init__(
        self,
        *,
        workspace: Workspace,
        refiner: Refiner,
        threshold: Threshold,
        limits: Limits,
        effects: Effects,
        recorder: Recorder,
        spent: Usage,
        first: Result,
        unproven: Collection[str] = (),
    ) -> None:
        self._workspace = workspace
        self._refiner = refiner
        self._threshold = threshold
        self._limits = limits
        self._effects = effects
        self._recorder = recorder
        self._spent = spent
        self._first = first
        self._scale = Scale(threshold, first, unproven)

    def run(self, earlier: Sequence[Earlier] = ()) -> RefinementResult:
        """Refine until there is a reason to stop; the session is in ``self_review_failed`` before.

        Args:
            earlier: The iterations of a run that broke off, and that led to what is in the workspace.
        """
        first = self._first
        looped = RefinementResult(first=first, stop=Stop.CAP)
        self._spent.add(first.usage)
        seen = {self._workspace.start}
        current = first
        again = bool(earlier)
        while True:
            try:
                if again:
                    again, current = False, self._resume(looped, earlier, seen)
                stop, why = self._before(current, len(looped.iterations))
                if stop is None:
                    stop, why = self._iterate(looped, current, seen)
            except KeyboardInterrupt as error:  # which may say what an agent did until then
                stop, why = Stop.INTERRUPTED, "; ".join(filter(None, ("it was interrupted", str(error))))
            except SelfreviewError as error:  # what earlier iterations came to is not lost with this one
                stop, why, looped.failed = Stop.FAILED, error.message, error
            if stop is not None:
                break
            current = looped.iterations[-1].review
        looped.stop, looped.why = stop, why
        choose(self._scale, looped)
        if self._refiner.held and stop not in (Stop.INTERRUPTED, Stop.FAILED):
            try:
                self._try_held(looped)
            except KeyboardInterrupt:
                looped.stop, looped.why = Stop.INTERRUPTED, "it was interrupted"
            except SelfreviewError as error:  # what is free is there all the same
                looped.notes.append(f"what waits for a person could not be reviewed: {error.message}")
        return looped

    def _try_held(self, looped: RefinementResult) -> None:
        """Review the state with the edits that wait for a person, and keep it where it is better.

        Where the state without them passes, only those count whose fix it is a part of, and no review is needed.
        """
        passed = looped.stop in (Stop.PASSED, Stop.INCOMPLETE)
        fixes = [fix for fix in self._refiner.held if fix.report.files or not passed]
        current = looped.iterations[-1].review if looped.iterations else looped.first
        before, number = self._workspace.tree(), len(looped.iterations) + 1
        self._refiner.stages.demand(before)
        began = time.monotonic()
        self._refiner.begin([])
        held = self._refiner.restore_held(fixes)
        tree = self._workspace.tree()
        if tree == before:
            return
        review = current if passed else self._review(current, before, number)
        if not passed and self._scale.weight(review) >= self._scale.weight(looped.result):
            looped.notes += [f"not applied, because it improves nothing: {why}" for why in held]
            return
        refinement = describe([], self._workspace, before, tree)
        refinement.held, refinement.tree = held, tree
        if not passed:
            compare(refinement, current, review, [], Landing(self._workspace, before, tree))
        refinement.duration_ms = round((time.monotonic() - began) * 1000)
        since = looped.iterations[looped.best - 1].refinement.tree if looped.patch is not None else None
        looped.held, looped.held_after = self._effects.hold(tree, number, held, since)
        refinement.patch = looped.held.id if looped.held is not None else None
        looped.iterations.append(Iteration(refinement=refinement, review=review))
        looped.patches.append(looped.held)
        if not passed:
            looped.stop, looped.why = Stop.HELD, "the remaining fix edits existing tests: it waits for your approval"

    def _resume(self, looped: RefinementResult, earlier: Sequence[Earlier], seen: set[str]) -> Result:
        """Take over iterations, and review the state after them again: the configuration may be another by now."""
        for iteration, patch in earlier:
            looped.iterations.append(iteration)
            looped.patches.append(patch)
            seen.add(str(iteration.refinement.tree))
            self._spent.add(iteration.refinement.usage)
            self._spent.add(iteration.review.usage)
        self._recorder.session.iteration = len(earlier)
        self._recorder.note("session.resumed", iteration=len(earlier), patches=[patch.id for _, patch in earlier])
        looped.taken_over = len(earlier)
        last = looped.iterations[-1]
        last.review = self._review(last.review, self._workspace.tree(), len(earlier))
        looped.taken_over -= 1
        self._weigh(looped)
        return last.review

    def _before(self, current: Result, done: int) -> tuple[Stop | None, str]:
        """Return the reason for which there is no further iteration, or None."""
        work = blocking(self._threshold, current)
        if not work:
            if current.status is ResultStatus.INCOMPLETE:
                return Stop.INCOMPLETE, "no issue blocks, but the review is incomplete"
            return Stop.PASSED, "nothing blocks any more" if done else "nothing blocks"
        if done >= self._limits.iterations:
            return Stop.CAP, f"the limit of {plural(self._limits.iterations, 'refinement')} is reached"
        if time.monotonic() >= self._limits.deadline:
            return Stop.DEADLINE, "the time limit for refinement is reached"
        if self._limits.spent_out(self._spent):
            return Stop.BUDGET, "the budget for models is used up"
        if not any(self._refiner.takes(issue) for issue in work):
            return Stop.NOTHING_FIXABLE, "no fixer can fix the open issues"
        reason = self._effects.should_stop(current)
        return (Stop.PLUGIN, reason) if reason is not None else (None, "")

    def _iterate(self, looped: RefinementResult, current: Result, seen: set[str]) -> tuple[Stop | None, str]:
        """Refine and review; return the reason to stop, or None."""
        number = len(looped.iterations) + 1
        work = blocking(self._threshold, current)
        before = self._workspace.tree()
        self._refiner.stages.demand(before)
        began = time.monotonic()
        session = self._recorder.session
        session.iteration = number
        self._recorder.move(SessionState.REFINING, iteration=number, issues=[issue.id for issue in work])
        effects, deadline = self._effects, self._limits.deadline
        reports = attempt(self._refiner, effects.regressions, work, number, deadline, excuse=effects.excuse)
        tree = self._workspace.tree()
        self._refiner.stages.demand(tree)
        edited = tree != before
        if not edited and not self._may_be_refuted(current, work, number):
            return self._nothing_changed(looped, current, work, describe(reports, self._workspace, before, tree))
        patch = self._effects.keep(tree, number) if edited else None
        self._recorder.move(SessionState.SELF_REVIEWING, iteration=number, tree=tree)
        review = self._review(current, before, number)
        other = self._without_guilty(current, review, before, number)
        if other is not None:
            review, tree = other, self._refiner.stages.judged
            patch = self._effects.keep(tree, number)
        refinement = describe(reports, self._workspace, before, tree)
        refinement.patch, refinement.tree = patch.id if patch is not None else None, tree
        self._note_false_positives(review)
        pairs = compare(refinement, current, review, work, Landing(self._workspace, before, tree))
        if not edited:  # of two reviews of one tree, the earlier may be the one that is shown
            _copy_notes(review, current, pairs)
        refinement.duration_ms = round((time.monotonic() - began) * 1000)
        iteration = Iteration(refinement=refinement, review=review, addressed=_gone(refinement, current, review))
        if patch is not None:
            try:
                self._effects.remember(patch, iteration)
            except StoreError as error:  # it can be applied all the same
                looped.notes.append(f"{error.message}; selfreview resume would not know of it")
        looped.iterations.append(iteration)
        looped.patches.append(patch if edited or not looped.patches else looped.patches[-1])
        self._weigh(looped)
        failed = SessionState.SELF_REVIEW_PASSED if review.passed else SessionState.SELF_REVIEW_FAILED
        self._recorder.move(failed, iteration=number, counts=msgspec.structs.asdict(review.counts))
        self._recorder.refined(refinement, number)
        if review.passed:
            return None, ""  # what follows says so
        if not edited:
            return self._unedited(refinement)
        if tree in seen:
            return Stop.SEEN_BEFORE, "the fixers go in circles: the files are as they were after an earlier refinement"
        seen.add(tree)
        now = blocking(self._threshold, review)
        new = [issue for issue in now if issue.id not in pairs.values() and issue.commit is None]
        if not is_shrinking(work, now, new, self._workspace.lines_written(before, tree)):
            return (
                Stop.NOT_SHRINKING,
                "no progress: no fewer issues block than before, and the new ones are in the fix itself",
            )
        return None, ""

    def _review(self, current: Result, before: str, number: int) -> Result:
        """Review the workspace after the fixers; nothing may go on writing meanwhile."""
        tree = self._refiner.stages.judged
        review = self._effects.review(number)
        self._refiner.stages.demand()
        step = Step(self._workspace, before, tree, self._refiner.under_review)
        with self._effects.revise(review) as draft:
            carry_over(current, draft, self._workspace, before, tree)
            keep_in_sight(self._first, current, draft, step)
        self._spent.add(review.usage)
        return review

    def _weigh(self, looped: RefinementResult) -> None:
        """Record how many new issues the patch of the last iteration brings."""
        new = self._brought(looped.first, looped.iterations[-1].review, self._workspace.start)
        looped.brought[len(looped.iterations)] = len(new)

    def _brought(self, before: Result, review: Result, tree: str) -> list[Issue]:
        """Return what blocks in the workspace as it was reviewed, and is new since a review of another tree."""
        now = self._refiner.stages.judged
        written = self._workspace.lines_written(tree, now)
        landing = Landing(self._workspace, tree, now)
        return brought(before, review, blocking(self._threshold, review), written, landing)

    def _without_guilty(self, current: Result, review: Result, before: str, number: int) -> Result | None:
        """Revert the stages that brought new issues, if the result is better without them, or others still improved it.

        Returns:
            The review of that state, in which the workspace is then; or None, and all stays as it is.
        """
        stages, mine = self._refiner.stages, self._refiner.stages.all
        new = self._brought(current, review, before)
        guilty = blame(mine, new)
        kept = without(mine, guilty)
        if not guilty or not kept:
            return None
        stages.show(kept)
        if stages.judged != before and not self._effects.regressions():
            again = self._review(current, before, number)
            limit = self._scale.weight(review)
            if len(self._brought(current, again, before)) < len(new):
                limit = max(limit, self._scale.weight(current))
            if self._scale.weight(again) < limit:
                self._refiner.disown([stage for stage in mine if stage not in kept], guilty)
                again.usage.add(review.usage)
                return again
            review.usage.add(again.usage)  # what it cost is told of, whichever of the two is
        stages.show(mine)
        return None

    def _may_be_refuted(self, current: Result, work: Sequence[Issue], number: int) -> bool:
        """Return whether a fixer just called an issue a false positive that it may judge: only a model reports it."""
        models = {report.name for report in current.reviewers if report.depth is Depth.MODEL}
        mine = [issue for issue in work if issue.reviewer in models and not issue.also_reported_by]
        said = [self._refiner.false_positive(issue) for issue in mine]
        return any(tried is not None and tried.iteration == number for tried in said)

    def _note_false_positives(self, review: Result) -> None:
        """Say of what blocks that a fixer reports it as a false positive, why, and how a person lets it pass."""
        for issue in blocking(self._threshold, review):
            tried = self._refiner.false_positive(issue)
            answer = tried.false_positive if tried is not None else None
            if tried is not None and answer is not None and _FALSE not in (issue.status_reason or ""):
                note = f"{tried.report.name} {_FALSE}: {answer.why}"
                note = f"{note}; where that is so: selfreview accept {issue.id} --reason …"
                issue.status_reason = f"{issue.status_reason}; {note}" if issue.status_reason else note

    def _nothing_changed(
        self, looped: RefinementResult, current: Result, work: Sequence[Issue], refinement: Refinement
    ) -> tuple[Stop | None, str]:
        """Continue without a review where no fixer made an edit: its result would be the same."""
        self._note_false_positives(current)
        refinement.unaddressed_issue_ids = [issue.id for issue in work]
        looped.iterations.append(Iteration(refinement=refinement, review=current))
        looped.patches.append(looped.patches[-1] if looped.patches else None)
        looped.brought[len(looped.iterations)] = looped.brought.get(len(looped.iterations) - 1, 0)
        self._recorder.move(SessionState.SELF_REVIEW_FAILED, iteration=len(looped.iterations), edited=False)
        self._recorder.refined(refinement, len(looped.iterations))
        return self._unedited(refinement)

    def _unedited(self, refinement: Refinement) -> tuple[Stop | None, str]:
        """Return the reason to stop after a refinement without an edit, unless a fixer is worth asking again."""
        if any(report.over_budget for report in refinement.fixers):
            return Stop.BUDGET, "the budget for models is used up"
        if time.monotonic() >= self._limits.deadline:
            return Stop.DEADLINE, "the time limit for refinement is reached"
        if any(self._refiner.may_do_better(report) for report in refinement.fixers):
            return None, ""
        return Stop.NO_CHANGE, "no fixer made an edit that was accepted"


def _copy_notes(review: Result, earlier: Result, pairs: Mapping[str, str]) -> None:
    notes = {issue.id: issue.status_reason for issue in review.open_issues}
    for issue in earlier.open_issues:
        issue.status_reason = notes.get(pairs.get(issue.id, ""), issue.status_reason)


def _gone(refinement: Refinement, current: Result, review: Result) -> list[Issue]:
    """Return the issues that a refinement addressed but for those that are refuted: the review still holds these."""
    dismissed = [issue for issue in review.issues if issue.status is IssueStatus.DISMISSED]
    gone = set(refinement.addressed_issue_ids) - pair(current.open_issues, dismissed).keys()
    return [issue for issue in current.open_issues if issue.id in gone]
