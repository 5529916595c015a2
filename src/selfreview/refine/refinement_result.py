"""Result of a refinement: its iterations, the best of its states, and its report."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Sequence

from selfreview.api import Issue
from selfreview.apply.patches import Patch
from selfreview.errors import SelfreviewError
from selfreview.git.workspace import Workspace
from selfreview.model.refinement import FixerReport, Refinement, Stop
from selfreview.model.result import Iteration, Result, ResultStatus, ReviewerStatus
from selfreview.refine.checks import PREFIX as CHECK
from selfreview.refine.tracking import Track, open_with_duplicates, pair
from selfreview.review.verdict import Threshold


def describe(reports: list[FixerReport], workspace: Workspace, before: str, after: str) -> Refinement:
    """Return a refinement as it is before its review.

    Args:
        reports: How each fixer's part went.
        workspace: The workspace that was refined.
        before, after: Its tree before and after.
    """
    added, removed = workspace.size(before, after)
    refinement = Refinement(
        fixers=reports,
        files=len(workspace.changed(before, after)),
        added_lines=added,
        removed_lines=removed,
        notes="\n".join(dict.fromkeys(text for report in reports for text in _words(report))),
    )
    for report in reports:
        if report.usage is not None:
            refinement.usage.add(report.usage)
    return refinement


def compare(
    refinement: Refinement,
    before: Result,
    after: Result,
    work: Sequence[Issue],
    track: Track,
    *,
    no_fault: Collection[str] = (),
) -> dict[str, str]:
    """Report the outcome of the issues; return the new ids by the old ids.

    Args:
        refinement: Gets the outcome.
        before, after: The reviews of what it began with, and of what it led to.
        work: What was to be fixed.
        track: Returns the lines that took the place of an issue's first one.
        no_fault: Names, as of reviewers, of the checks whose open issues no refinement caused.
    """
    open_before, open_after = before.open_issues, after.open_issues
    pairs = pair(open_with_duplicates(before), open_with_duplicates(after), track)
    silent = {report.name for report in after.reviewers if report.status is not ReviewerStatus.OK}
    missing = [issue for issue in open_before if issue.id not in pairs]
    gone = {issue.id for issue in missing if silent.isdisjoint((issue.reviewer, *issue.also_reported_by))}
    refinement.addressed_issue_ids = [issue.id for issue in open_before if issue.id in gone]
    # By the names of now: an edit beside an issue gives it another, and the old one is in no review that is kept.
    refinement.unaddressed_issue_ids = [pairs.get(issue.id, issue.id) for issue in work if issue.id not in gone]
    old = set(pairs.values())
    refinement.new_issues_introduced = [
        issue.id
        for issue in open_after
        if issue.id not in old and issue.commit is None and issue.reviewer not in no_fault
    ]
    return pairs


def _words(report: FixerReport) -> list[str]:
    """Return notes for a person on a fixer's attempt, as sentences."""
    words = [f"{report.name}: {report.error}"] if report.error else []
    words += [f"{report.name} edited nothing"] if report.edited_nothing else []
    words += [f"{report.name}: rejected: {reason}" for reason in dict.fromkeys(report.rejected)]
    words += [f"{report.name}: waits for a person: {why}" for why in report.held]
    words += [f"{report.name} on {a.issue}: {a.outcome.replace('_', ' ')}: {a.why}" for a in report.answers if a.why]
    return [*words, f"{report.name}: {report.notes}"] if report.notes else words


@dataclasses.dataclass
class RefinementResult:
    """Course and outcome of the loop.

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
        gaps: What the review of the best state lacks that the one of the beginning had, as sentences.
        spare: Where the beginning is the best, the best of the other states that have a patch, or None.
        spare_why: Why that one is not chosen, in a clause.
        held: The patch that leads to the best state with edits of tests that wait for a person, or None.
        held_after: The same, from the best state without them; None where that is the beginning.
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
    gaps: list[str] = dataclasses.field(default_factory=list)
    spare: Patch | None = None
    spare_why: str = ""
    held: Patch | None = None
    held_after: Patch | None = None

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


@dataclasses.dataclass(frozen=True)
class Scale:
    """Compares the states that a loop comes to.

    Attributes:
        threshold: What blocks.
        first: The review of the beginning.
        unproven: Names, as of reviewers, of the checks that did not pass there, be it that they could not run.
    """

    threshold: Threshold
    first: Result
    unproven: Collection[str] = ()

    def weight(self, result: Result) -> tuple[int, ...]:
        """Return how bad a state is. Of two, the first number that differs decides, and the lesser is better.

        1. Whether its review lacks something that the one of the beginning had: what was not looked at is not better.
        2. How many issues block: the critical ones, then the high ones, and so on.
        3. How many checks fail: they run only where nothing else blocks, so one that is not listed need not pass.
        """
        # What stands in a commit alone, no edit fixes or brings: it is reported once the file holds it no more.
        found = [issue for issue in self.threshold.blocking(result.issues) if issue.commit is None]
        ranks = [issue.severity.rank for issue in found if not issue.reviewer.startswith(CHECK)]
        by_severity = (ranks.count(rank) for rank in range(4, -1, -1))
        return (int(bool(self.gaps(result))), *by_severity, len(found) - len(ranks))

    def gaps(self, result: Result) -> list[str]:
        """Return what a review lacks that the one of the beginning had, of its reasons to be incomplete.

        A reviewer that did not come to its end there either may fail again, as long as it reads no fewer files.
        """
        if result.status is not ResultStatus.INCOMPLETE:
            return []
        before = {report.name: report.files for report in self.first.reviewers if report.is_missing}
        before |= dict.fromkeys(self.unproven, 0)
        known = {r.gap for r in result.reviewers if r.is_missing and r.files >= before.get(r.name, r.files + 1)}
        return [why for why in result.incomplete_reasons if why not in known | {*self.first.incomplete_reasons}]


def choose(scale: Scale, looped: RefinementResult) -> None:
    """Choose the best state: the one with the least weight; of equals the first.

    One that brings something new that blocks is chosen only where none is better than the beginning without that.
    What only an earlier run has reviewed does not count: configuration, reviewers and checks may be others by now.
    """
    states = [looped.first, *(iteration.review for iteration in looped.iterations)]
    held = {number for number, iteration in enumerate(looped.iterations, 1) if iteration.refinement.held}
    later = [number for number in range(looped.taken_over + 1, len(states)) if number not in held]
    weights = {number: (scale.weight(states[number]), number) for number in (0, *later)}
    clean = [number for number in later if weights[number][0] < weights[0][0] and not looped.brought.get(number)]
    looped.best = min(clean or weights, key=weights.__getitem__)
    looped.gaps = scale.gaps(states[looped.best])
    others = [number for number in later if looped.patches[number - 1] is not None]
    if not looped.best and others:
        spare = min(others, key=weights.__getitem__)
        looped.spare, new = looped.patches[spare - 1], looped.brought.get(spare, 0)
        lacks = scale.gaps(states[spare])
        why = f"its review is incomplete: {lacks[0]}" if lacks else f"{new} new would block" if new else ""
        looped.spare_why = f"it is no better than your tree: {why or 'no less blocks'}"
