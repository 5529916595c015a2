"""Checks of the project within a run: when nothing blocks, and to see that a fix breaks none."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from selfreview.api import Change, CheckOutcome, Issue
from selfreview.app.state import OpenedRun, RepoChange
from selfreview.errors import SelfreviewError
from selfreview.git.workspace import Workspace
from selfreview.model.result import Result, ReviewerReport, ReviewerStatus
from selfreview.proc import Runner
from selfreview.refine.checks import PREFIX, Check, configured_checks, gist, is_trusted, issue_of
from selfreview.review.select_reviewers import AUTO
from selfreview.review.verdict import Draft, leave_incomplete

if TYPE_CHECKING:
    from selfreview.refine.check_runner import Checker

_FAILED_BEFORE = "it failed before the first refinement, too"
_FAILED_WITHOUT = "it failed without the fix, too, when it was run again"
_NOT_AGAIN = "it failed before the first refinement, and was not run again"


class Checks:
    """Runner of the project's checks, once for each tree.

    Args:
        run: The run.
        runner: Runs them, and kills them.

    Attributes:
        runnable: The checks that may run.
        notes: What a person should know of how they went, as sentences.
    """

    def __init__(self, run: OpenedRun, runner: Runner) -> None:
        self._config = run.config
        self._runner = runner
        self._ui, self._scope = run.ui, run.scope
        self._change = run.opened.collected.change if isinstance(run.opened, RepoChange) else run.bench.change
        found = [check for check in configured_checks(self._config) if check.concerns(self._change)]
        if run.request.reviewers and AUTO not in run.request.reviewers:
            found = [check for check in found if check.explicitly_required and run.terms.checks.insists]
        self._rule = run.terms.checks
        self.runnable: Sequence[Check] = [c for c in found if self._rule.take_part and is_trusted(c, self._config)]
        self._withheld = [check for check in found if check not in self.runnable]
        self._workspace: Workspace | None = None
        self._checker: Checker | None = None
        self._known: dict[tuple[str, str], tuple[CheckOutcome, int]] = {}
        self._at_first: dict[str, tuple[CheckOutcome, int]] = {}
        self._passing: set[str] = set()
        self._broken: list[Check] = []
        self._excused: set[str] = set()
        self._not_again: list[tuple[Check, ReviewerReport]] = []
        self.notes: list[str] = []

    @property
    def checker(self) -> Checker:
        """The runner of the checks, available after :meth:`begin`."""
        assert self._checker is not None  # noqa: S101 - the order of calls
        return self._checker

    def begin(self, workspace: Workspace, root: Path) -> None:
        """Set the workspace and the root in which checks run."""
        from selfreview.refine.check_runner import Checker

        self._workspace = workspace
        self._checker = Checker(workspace, root, self._config, self._runner)

    def withheld(self) -> Iterator[ReviewerReport]:
        """Yield reports of the checks that do not run."""
        for check in self._withheld:
            yield ReviewerReport(
                name=PREFIX + check.name,
                status=ReviewerStatus.SKIPPED,
                error=self._rule.why,
                hint=self._rule.hint,
                required=check.explicitly_required and self._rule.take_part,
            )

    def list_withheld(self, result: Draft) -> None:
        """Add the checks that may not run to a result; it is incomplete where one of them is required."""
        for report in self.withheld():
            result.reviewers.append(report)
            if report.required:
                name = report.name.removeprefix(PREFIX)
                leave_incomplete(result, f"check {name} was skipped though required: {report.error}", report)

    def judge(self, result: Draft, change: Change) -> None:
        """Add the results of the checks to a review of the tree that is in the workspace now.

        One that fails is an open issue; one that cannot run leaves the review incomplete where it is required.
        """
        try:
            for check in self.runnable:
                self._judge(check, result, change)
        except SelfreviewError as error:
            self.could_not(result, error.message)

    def mark_not_run(self, result: Draft, why: str) -> None:
        """Report why the checks did not run for a review that does not need them, or that they passed already."""
        tree = self._workspace.tree() if self._workspace is not None and self.runnable else ""
        for check in self._unlisted(result):
            outcome, duration = self._known.get((check.name, tree), (None, 0))
            if outcome is not None and outcome.passed:
                result.reviewers.append(_report(check, ReviewerStatus.OK, duration_ms=duration))
            elif self._failed_at_first(check):
                report = _report(check, ReviewerStatus.SKIPPED, error=f"{_NOT_AGAIN}, because {why}")
                self._not_again.append((check, report))
                result.reviewers.append(report)
            else:
                result.reviewers.append(_report(check, ReviewerStatus.SKIPPED, error=f"not run, because {why}"))

    def add_first(self, result: Draft, change: Change) -> None:
        """Add to the review before the refinement the results of checks on the same tree.

        They ran to tell what a fix breaks; the loop itself is over what that review found.
        """
        for check in self._unlisted(result):
            if check.name not in self._at_first:
                continue
            outcome, duration = self._at_first[check.name]
            status = ReviewerStatus.SKIPPED if outcome.passed is None else ReviewerStatus.OK
            report = _report(check, status, duration_ms=duration)
            if outcome.passed is None:
                report.error = outcome.output  # no gap: something blocks, so that no check was called for
            elif not outcome.passed:
                report.issues = 1
                result.issues.append(self._issue(check, outcome, change))
            result.reviewers.append(report)

    def add_not_again(self, result: Draft, change: Change) -> None:
        """Add to a review after a refinement the checks that failed before it, and were not run again.

        Nothing says that they pass by now, so that they count as they did.
        """
        for check, report in self._not_again:
            if report.issues == 0 and any(report is one for one in result.reviewers):
                report.issues = 1
                issue = self._issue(check, self._at_first[check.name][0], change)
                issue.related, issue.status_reason = [], _NOT_AGAIN  # the lines may be others by now
                result.issues.append(issue)

    def _issue(self, check: Check, outcome: CheckOutcome, change: Change, reason: str | None = None) -> Issue:
        return issue_of(check, outcome, self._config, change, first=self._change, reason=reason)

    def _failed_at_first(self, check: Check) -> bool:
        return check.name in self._at_first and self._at_first[check.name][0].passed is False

    def _unlisted(self, result: Result) -> list[Check]:
        known = {report.name for report in result.reviewers}
        return [check for check in self.runnable if PREFIX + check.name not in known]

    def could_not(self, result: Draft, why: str) -> None:
        """Report why checks were not run; where one is required, the result is incomplete."""
        for check in self._unlisted(result):
            report = ReviewerReport(
                name=PREFIX + check.name, status=ReviewerStatus.SKIPPED, error=why, required=check.required
            )
            result.reviewers.append(report)
            self._gap(check, result, report)

    @staticmethod
    def _gap(check: Check, result: Draft, report: ReviewerReport) -> None:
        if check.required:
            leave_incomplete(result, f"check {check.name} could not run: {report.error}", report)

    def _judge(self, check: Check, result: Draft, change: Change) -> None:
        outcome, duration = self._run(check)
        report = ReviewerReport(
            name=PREFIX + check.name,
            status=ReviewerStatus.OK if outcome.passed is not None else ReviewerStatus.SKIPPED,
            duration_ms=duration,
            required=check.required,
        )
        result.reviewers.append(report)
        if outcome.passed is None:
            report.error = outcome.output
            self._gap(check, result, report)
        elif not outcome.passed:
            report.issues = 1
            reason = _FAILED_WITHOUT if check.name in self._excused else None
            reason = _FAILED_BEFORE if self._failed_at_first(check) else reason
            result.issues.append(self._issue(check, outcome, change, reason))

    def run_first(self) -> None:
        """Run all checks before the first refinement, on the tree that is there now: fixes must break none that passes.

        One that cannot run, or fails, is held against no fix.
        """
        self._at_first = {check.name: self._run(check) for check in self.runnable}
        self._passing = {name for name, (outcome, _) in self._at_first.items() if outcome.passed}

    @property
    def unproven(self) -> list[str]:
        """The names, as of reviewers, of the checks that did not pass before the first refinement."""
        return [PREFIX + name for name, (outcome, _) in self._at_first.items() if not outcome.passed]

    @property
    def no_fixs_fault(self) -> set[str]:
        """The names, as of reviewers, of the checks that fail whatever a fix does: they did before, or without it."""
        return {PREFIX + c.name for c in self.runnable if self._failed_at_first(c) or c.name in self._excused}

    def regressions(self, deadline: float) -> list[str]:
        """Return the checks that passed at first and do not now, including those that cannot run any more.

        Args:
            deadline: On the monotonic clock; what was not seen to pass until then counts as failed.
        """
        reasons = []
        self._broken = []
        for check in self.runnable:
            if check.name not in self._passing:
                continue
            outcome = self._run(check, deadline)[0]
            if outcome.passed:
                continue
            self._broken.append(check)
            if time.monotonic() >= deadline:
                reasons.append(f"refine_timeout was reached before the check {check.name} could be run again")
            else:
                reasons.append(_no_more(check, outcome))
        return reasons

    def excuse(self, deadline: float) -> bool:
        """Run the checks that :meth:`regressions` named again, on the tree without the fix, which is there now.

        One that fails there, too, depends on chance or on what an earlier run left: it is held against no fix any more.

        Args:
            deadline: On the monotonic clock; what is not done until then excuses nothing.

        Returns:
            Whether there was one.
        """
        for check in self._broken:
            outcome = self._run(check, deadline, again=True)[0]
            if outcome.passed or time.monotonic() >= deadline:
                continue
            self._passing.discard(check.name)
            self._excused.add(check.name)
            self.notes.append(
                f"the check {check.name} passed at first, and failed when it was run again without the fix: it is "
                f"unreliable, so no fix is blamed; its output ended: {gist(outcome.output)}"
            )
        return any(check.name in self._excused for check in self._broken)

    def _run(self, check: Check, deadline: float = math.inf, *, again: bool = False) -> tuple[CheckOutcome, int]:
        assert self._workspace is not None  # noqa: S101 - the order of calls
        key = (check.name, self._workspace.tree())
        if again or key not in self._known:
            self._ui.progress(f"checking: {check.name}")
            began = time.monotonic()
            outcome = self.checker.run(check, min(began + check.timeout, deadline))
            timed = (outcome, round((time.monotonic() - began) * 1000))
            self._scope.check()
            if time.monotonic() >= deadline:
                return timed  # cut short: it says nothing of the tree
            self._known[key] = timed
        return self._known[key]


def _no_more(check: Check, outcome: CheckOutcome) -> str:
    """Return a message that a check fails now; its first line has the cause, as the report shows no other."""
    short = gist(outcome.output)
    more = f"\n{outcome.output}" if outcome.output != short else ""
    return f"the check {check.name} passed before and does not now: {short}{more}"


def _report(check: Check, status: ReviewerStatus, *, duration_ms: int = 0, error: str | None = None) -> ReviewerReport:
    return ReviewerReport(name=PREFIX + check.name, status=status, duration_ms=duration_ms, error=error)
