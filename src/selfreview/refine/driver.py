"""The refinement loop: refine, review again, until the verdict passes or there is a reason to stop.

It stops where the fixers go in circles (the tree is that of an earlier iteration), and where
:mod:`selfreview.refine.progress` finds no progress.
"""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Collection, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Protocol

from selfreview.api import Issue, Side
from selfreview.apply.patches import Patch
from selfreview.errors import SelfreviewError, StoreError
from selfreview.git.worktree_files import Entry
from selfreview.guard import Held
from selfreview.model.event import SessionResumed
from selfreview.model.issue import IssueStatus
from selfreview.model.refinement import FixerReport, Refinement, Stop
from selfreview.model.result import Depth, Iteration, Result, ResultStatus
from selfreview.model.session import SessionState
from selfreview.model.usage import Usage
from selfreview.model.wire import display_path
from selfreview.refine.fixing import Refiner, describe_held
from selfreview.refine.progress import Step, brought, carry_over, is_shrinking, keep_in_sight
from selfreview.refine.recorder import Recorder
from selfreview.refine.refinement_result import RefinementResult, Scale, choose, compare, describe
from selfreview.refine.resuming import Earlier
from selfreview.refine.stages import FixerStage, without
from selfreview.refine.tracking import LineMap, LineTracker, pair
from selfreview.review.verdict import Draft
from selfreview.text.layout import plural


@dataclasses.dataclass(frozen=True, kw_only=True)
class RefinementLimits:
    """Limits at which the loop ends.

    Attributes:
        iterations: Refinements at most.
        deadline: On the monotonic clock.
    """

    iterations: int
    deadline: float


class RefinementPorts(Protocol):
    """Ports of the loop: reviews, checks, kept patches, the budget and plugins."""

    def review(self, iteration: int) -> Result:
        """Review the workspace as it is, checks included, after that many refinements."""

    def revise(self, result: Result) -> AbstractContextManager[Draft]:
        """Yield a result to be changed; its verdict is derived anew afterwards."""

    def regressions(self) -> list[str]:
        """Run the checks that passed before the first refinement, and return which fail now."""

    def excuse(self) -> bool:
        """Run the checks that failed last again, on the workspace without the fix.

        One that fails there, too, is no fix's fault and counts no more; return whether there was one.
        """

    @property
    def no_fixs_fault(self) -> Collection[str]:
        """The names, as of reviewers, of the checks that fail whatever a fix does."""

    def keep(self, tree: str, number: int) -> Patch | None:
        """Keep a patch from the beginning to a tree."""

    def hold(
        self, tree: str, number: int, held: Sequence[Held], since: str | None
    ) -> tuple[Patch | None, Patch | None]:
        """Keep patches to a tree with edits that wait for a person: from the beginning, and from another tree."""

    def remember(self, patch: Patch, iteration: Iteration) -> None:
        """Keep an iteration with its patch, for a run that resumes from there."""

    def should_stop(self, result: Result) -> str | None:
        """Ask plugins whether to stop; return why, or None."""

    def spend(self, usage: Usage) -> None:
        """Record what models cost."""

    @property
    def is_spent_out(self) -> bool:
        """Whether the budget for models is used up."""


class Loop:
    """Refines one workspace.

    Args:
        refiner: Has the workspace edited.
        scale: Compares its states with the one at the beginning.
        limits: When it ends.
        ports: What it does through others.
        recorder: The session.
    """

    def __init__(
        self, refiner: Refiner, scale: Scale, limits: RefinementLimits, ports: RefinementPorts, recorder: Recorder
    ) -> None:
        self._workspace = refiner.workspace
        self._refiner = refiner
        self._scale = scale
        self._first = scale.first
        self._limits = limits
        self._ports = ports
        self._recorder = recorder
        self._noted: list[Issue] = []  # those with a note that a fixer reports them as false positives

    def run(self, earlier: Sequence[Earlier] = ()) -> RefinementResult:
        """Refine until there is a reason to stop; the session is in ``self_review_failed`` before.

        Args:
            earlier: The iterations of a run that broke off, and that led to what is in the workspace.
        """
        first = self._first
        refined = RefinementResult(first=first, stop=Stop.CAP)
        self._recorder.reviewed(first)
        self._ports.spend(first.usage)
        seen = {self._workspace.start}
        current = first
        again = bool(earlier)
        while True:
            try:
                if again:
                    again, current = False, self._resume(refined, earlier, seen)
                stop, why = self._before(current, len(refined.iterations))
                if stop is None:
                    stop, why = self._iterate(refined, current, seen)
            except KeyboardInterrupt as error:  # which may say what an agent did until then
                stop, why = Stop.INTERRUPTED, "; ".join(filter(None, ("it was interrupted", str(error))))
            except SelfreviewError as error:  # what earlier iterations came to is not lost with this one
                stop, why, refined.failed = Stop.FAILED, error.message, error
            if stop is not None:
                break
            current = refined.iterations[-1].review
        refined.stop, refined.why = stop, why
        choose(self._scale, refined)
        if self._refiner.held and stop not in (Stop.INTERRUPTED, Stop.FAILED):
            try:
                self._try_held(refined)
            except KeyboardInterrupt:
                refined.stop, refined.why = Stop.INTERRUPTED, "it was interrupted"
            except SelfreviewError as error:  # what is free is there all the same
                refined.notes.append(f"what waits for a person could not be reviewed: {error.message}")
        return refined

    def _try_held(self, refined: RefinementResult) -> None:
        """Review the state with the edits that wait for a person, and keep it where it is better.

        Where the state without them passes, only those count whose fix it is a part of, and no review is needed.
        """
        passed = refined.stop in (Stop.PASSED, Stop.INCOMPLETE)
        fixes = [fix for fix in self._refiner.held if fix.report.files or not passed]
        current = refined.iterations[-1].review if refined.iterations else refined.first
        before, number = self._workspace.tree(), len(refined.iterations) + 1
        self._refiner.stages.demand(before)
        began = time.monotonic()
        self._refiner.begin([])
        waiting = self._refiner.restore_held(fixes)
        tree = self._workspace.tree()
        if tree == before:
            return
        review = current if passed else self._review(current, before, number)
        if not passed and self._scale.weight(review) >= self._scale.weight(refined.result):
            refined.notes += [f"not applied, because it improves nothing: {describe_held(edit)}" for edit in waiting]
            return
        refinement = describe([], self._workspace, before, tree)
        refinement.held, refinement.tree = [describe_held(edit) for edit in waiting], tree
        if not passed:
            self._compare(refinement, current, review, [], LineTracker(self._workspace, before, tree))
        refinement.duration_ms = round((time.monotonic() - began) * 1000)
        since = refined.iterations[refined.best - 1].refinement.tree if refined.patch is not None else None
        refined.held, refined.held_after = self._ports.hold(tree, number, waiting, since)
        refinement.patch = refined.held.id if refined.held is not None else None
        refined.iterations.append(Iteration(refinement=refinement, review=review))
        refined.patches.append(refined.held)
        if not passed:
            refined.stop, refined.why = (
                Stop.HELD,
                "the remaining fix edits existing tests: it waits for your approval",
            )

    def _resume(self, refined: RefinementResult, earlier: Sequence[Earlier], seen: set[str]) -> Result:
        """Take over iterations, and review the state after them again: the configuration may be another by now."""
        for iteration, patch in earlier:
            refined.iterations.append(iteration)
            refined.patches.append(patch)
            seen.add(str(iteration.refinement.tree))
            self._ports.spend(iteration.refinement.usage)
            self._ports.spend(iteration.review.usage)
        self._recorder.session.iteration = len(earlier)
        self._recorder.note(SessionResumed(iteration=len(earlier), patches=[patch.id for _, patch in earlier]))
        refined.taken_over = len(earlier)
        last = refined.iterations[-1]
        last.review = self._review(last.review, self._workspace.tree(), len(earlier))
        refined.taken_over -= 1
        self._recorder.reviewed(last.review)
        self._weigh(refined)
        return last.review

    def _before(self, current: Result, done: int) -> tuple[Stop | None, str]:
        """Return the reason for which there is no further iteration, or None."""
        work = self._scale.threshold.blocking(current.issues)
        if not work:
            if current.status is ResultStatus.INCOMPLETE:
                return Stop.INCOMPLETE, "no issue blocks, but the review is incomplete"
            why = "nothing blocks any more" if done else "nothing blocks"
            fails = "; ".join(current.not_passed_reasons)
            return Stop.PASSED, f"{why}, but the review does not pass: {fails}" if fails else why
        if done >= self._limits.iterations:
            return Stop.CAP, f"the limit of {plural(self._limits.iterations, 'refinement')} is reached"
        if time.monotonic() >= self._limits.deadline:
            return Stop.DEADLINE, "the time limit for refinement is reached"
        if self._ports.is_spent_out:
            return Stop.BUDGET, "the budget for models is used up"
        if not any(self._refiner.takes(issue) for issue in work):
            return Stop.NOTHING_FIXABLE, "no fixer can fix the open issues"
        reason = self._ports.should_stop(current)
        return (Stop.PLUGIN, reason) if reason is not None else (None, "")

    def _iterate(self, refined: RefinementResult, current: Result, seen: set[str]) -> tuple[Stop | None, str]:
        """Refine and review; return the reason to stop, or None."""
        number = len(refined.iterations) + 1
        work = self._scale.threshold.blocking(current.issues)
        before = self._workspace.tree()
        self._refiner.stages.demand(before)
        began = time.monotonic()
        session = self._recorder.session
        session.iteration = number
        self._recorder.move(SessionState.REFINING, issues=[issue.id for issue in work])
        reports = attempt(self._refiner, self._ports, work, number, self._limits.deadline)
        tree = self._workspace.tree()
        self._refiner.stages.demand(tree)
        edited = tree != before
        if not edited and not self._may_be_refuted(current, work, number):
            return self._nothing_changed(refined, current, work, describe(reports, self._workspace, before, tree))
        patch = self._ports.keep(tree, number) if edited else None
        self._recorder.move(SessionState.SELF_REVIEWING, tree=tree)
        review = self._review(current, before, number)
        other = self._without_guilty(current, review, before, number)
        if other is not None:
            review, tree = other, self._refiner.stages.judged
            patch = self._ports.keep(tree, number)
        refinement = describe(reports, self._workspace, before, tree)
        refinement.patch, refinement.tree = patch.id if patch is not None else None, tree
        self._note_false_positives(review)
        pairs = self._compare(refinement, current, review, work, LineTracker(self._workspace, before, tree))
        if not edited:  # of two reviews of one tree, the earlier may be the one that is shown
            _copy_notes(review, current, pairs)
        refinement.duration_ms = round((time.monotonic() - began) * 1000)
        iteration = Iteration(refinement=refinement, review=review, addressed=_gone(refinement, current, review))
        self._record(refined, iteration, patch, edited=edited)
        if review.passed:
            return None, ""  # what follows says so
        if not edited:
            return self._unedited(refinement)
        if tree in seen:
            return Stop.SEEN_BEFORE, "the fixers go in circles: the files are as they were after an earlier refinement"
        seen.add(tree)
        now = self._scale.threshold.blocking(review.issues)
        new = [issue for issue in now if issue.id not in pairs.values() and issue.commit is None]
        if not is_shrinking(work, now, new, self._workspace.lines_written(before, tree)):
            return (
                Stop.NOT_SHRINKING,
                "no progress: no fewer issues block than before, and the new ones are in the fix itself",
            )
        return None, ""

    def _record(self, refined: RefinementResult, iteration: Iteration, patch: Patch | None, *, edited: bool) -> None:
        """Add an iteration to what was done, and to the events of the session."""
        if patch is not None:
            try:
                self._ports.remember(patch, iteration)
            except StoreError as error:  # it can be applied all the same
                refined.notes.append(f"{error.message}; selfreview resume would not know of it")
        refined.iterations.append(iteration)
        refined.patches.append(patch if edited or not refined.patches else refined.patches[-1])
        self._weigh(refined)
        review, number = iteration.review, len(refined.iterations)
        outcome = SessionState.SELF_REVIEW_PASSED if review.passed else SessionState.SELF_REVIEW_FAILED
        self._recorder.reviewed(review)
        self._recorder.move(outcome, counts=review.counts)
        self._recorder.refined(iteration.refinement, number)

    def _compare(
        self, refinement: Refinement, before: Result, after: Result, work: Sequence[Issue], track: LineTracker
    ) -> dict[str, str]:
        return compare(refinement, before, after, work, track, no_fault=self._ports.no_fixs_fault)

    def _review(self, current: Result, before: str, number: int) -> Result:
        """Review the workspace after the fixers; nothing may go on writing meanwhile."""
        tree = self._refiner.stages.judged
        review = self._ports.review(number)
        self._refiner.stages.demand()
        step = Step(self._workspace, before, tree, self._refiner.under_review)
        with self._ports.revise(review) as draft:
            carry_over(current, draft, self._workspace, before, tree)
            keep_in_sight(self._first, current, draft, step)
        self._ports.spend(review.usage)
        return review

    def _weigh(self, refined: RefinementResult) -> None:
        """Record how many new issues the patch of the last iteration brings."""
        new = self._brought(refined.first, refined.iterations[-1].review, self._workspace.start)
        refined.brought[len(refined.iterations)] = len(new)

    def _brought(self, before: Result, review: Result, tree: str) -> list[Issue]:
        """Return what blocks in the workspace as it was reviewed, and is new since a review of another tree."""
        now = self._refiner.stages.judged
        written = self._workspace.lines_written(tree, now)
        track = LineTracker(self._workspace, tree, now)
        return brought(before, review, self._scale.threshold.blocking(review.issues), written, track)

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
        if stages.judged != before and not self._ports.regressions():
            again = self._review(current, before, number)
            limit = self._scale.weight(review)
            if len(self._brought(current, again, before)) < len(new):
                limit = max(limit, self._scale.weight(current))
            if self._scale.weight(again) < limit:
                self._refiner.disown([stage for stage in mine if stage not in kept], guilty)
                again.usage.add(review.usage)
                return again
            review.usage.add(again.usage)  # both reviews cost, whichever of the two is kept
        stages.show(mine)
        return None

    def _may_be_refuted(self, current: Result, work: Sequence[Issue], number: int) -> bool:
        """Return whether a fixer just called an issue a false positive that it may judge: only a model reports it."""
        models = {report.name for report in current.reviewers if report.depth is Depth.MODEL}
        mine = [issue for issue in work if issue.reviewer in models and not issue.also_reported_by]
        attempts = [self._refiner.false_positive(issue) for issue in mine]
        return any(tried is not None and tried.iteration == number for tried in attempts)

    def _note_false_positives(self, review: Result) -> None:
        """Note on what blocks that a fixer reports it as a false positive, why, and how a person lets it pass."""
        for issue in self._scale.threshold.blocking(review.issues):
            tried = self._refiner.false_positive(issue)
            answer = tried.false_positive if tried is not None else None
            if tried is not None and answer is not None and not any(issue is one for one in self._noted):
                self._noted.append(issue)
                note = f"{tried.report.name} reports it as a false positive: {answer.why}"
                note = f"{note}; where that is so: selfreview accept {issue.id} --reason …"
                issue.status_reason = f"{issue.status_reason}; {note}" if issue.status_reason else note

    def _nothing_changed(
        self, refined: RefinementResult, current: Result, work: Sequence[Issue], refinement: Refinement
    ) -> tuple[Stop | None, str]:
        """Continue without a review where no fixer made an edit: its result would be the same."""
        self._note_false_positives(current)
        refinement.unaddressed_issue_ids = [issue.id for issue in work]
        refined.iterations.append(Iteration(refinement=refinement, review=current))
        refined.patches.append(refined.patches[-1] if refined.patches else None)
        refined.brought[len(refined.iterations)] = refined.brought.get(len(refined.iterations) - 1, 0)
        self._recorder.move(SessionState.SELF_REVIEW_FAILED, edited=False)
        self._recorder.refined(refinement, len(refined.iterations))
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


def blame(stages: Sequence[FixerStage], new: Sequence[Issue]) -> dict[FixerStage, list[str]]:
    """Return the stages that brought issues, each with what it brought, as sentences.

    An issue belongs to the last that wrote one of its lines, else to the last that edited its file.

    Args:
        stages: In order, all of them in the workspace.
        new: Issues of the workspace as it is, which were not there before the stages.
    """
    found: dict[FixerStage, list[str]] = {}
    for issue in new:
        there = [stage for stage in stages if issue.file in stage.edits]
        if there:
            wrote = [stage for stage in there if _wrote(stage, there[-1], issue)]
            why = f"{display_path(issue.file)}:{issue.line_start}: new since this edit: {issue.description}"
            found.setdefault((wrote or there)[-1], []).append(why)
    return found


def _wrote(stage: FixerStage, last: FixerStage, issue: Issue) -> bool:
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
    return () if entry is None else entry.lines


def attempt(
    refiner: Refiner, checks: RefinementPorts, work: Sequence[Issue], number: int, deadline: float
) -> list[FixerReport]:
    """Run the fixers; where their edits break a check, try again with its output.

    Args:
        refiner: Has the workspace edited.
        checks: Runs the checks.
        work: The issues, with the lines of the workspace as it is.
        number: Of this refinement.
        deadline: On the monotonic clock.

    Returns:
        How each fixer's part went.
    """
    refiner.begin(work)
    reports = refiner.refine(work, number, deadline)
    broken, open_again = _revert_guilty(refiner, checks, 0)
    if broken:
        good = len(refiner.stages.all)
        reports += refiner.refine([issue for issue in work if issue.id in open_again], number, deadline, broken)
        _revert_guilty(refiner, checks, good)
    return reports


def _revert_guilty(refiner: Refiner, checks: RefinementPorts, good: int) -> tuple[list[str], set[str]]:
    """Find the stage that breaks a check, and revert it.

    Args:
        refiner: Has the workspace edited.
        checks: Runs the checks.
        good: How many stages are known to break none.

    Returns:
        What the checks report of it, and the ids of the issues that are open again; empty where nothing breaks.
    """
    stages, mine = refiner.stages, refiner.stages.all
    broken = checks.regressions() if len(mine) > good else []
    if broken:
        stages.show(mine[:good])
        is_excused = checks.excuse()
        stages.show(mine)
        broken = checks.regressions() if is_excused else broken
    if not broken:
        return [], set()
    number = len(mine) - 1
    while number > good:  # which is the first that breaks one: all but the last, all but the last two, …
        stages.show(mine[:number])
        earlier = checks.regressions()
        if not earlier:
            break
        broken, number = earlier, number - 1
    guilty = mine[number]
    kept = without(mine, [guilty])
    stages.show(kept)
    if len(kept) > number and checks.regressions():
        kept = list(mine[:number])
        stages.show(kept)
    gone = [stage for stage in mine if stage not in kept]
    refiner.disown(gone, {guilty: broken})
    done = {issue for stage in kept for issue in stage.done}
    return broken, {issue for stage in gone for issue in stage.report.issues} - done
