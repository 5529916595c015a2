"""Statements of fixers on one issue, over the refinements of the stored runs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from selfreview.model.issue import Issue
from selfreview.model.refinement import FixerReport, FixOutcome
from selfreview.model.result import Result
from selfreview.reporters.refined import SAID, first_line
from selfreview.store import IssueRecord
from selfreview.store.runs import History
from selfreview.text.escape import visible
from selfreview.text.layout import fold

ADDRESSED = "addressed"
"""Status of an issue that is in no result, because the refinement that addressed it was applied at once."""


class Said(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """The outcome of one fixer on an issue.

    Attributes:
        run_id: The run.
        iteration: The refinement, from 1.
        fixer: Who was given the issue.
        outcome, why: Its word on it, where it gave one.
        rejected: Why what it wrote was not kept, for all of its issues.
        error: Why it failed, or None.
        addressed: Whether the review after it found the issue no more.
    """

    run_id: str | None
    iteration: int
    fixer: str
    outcome: FixOutcome | None = None
    why: str = ""
    rejected: list[str] = []
    error: str | None = None
    addressed: bool = False

    def sentence(self) -> str:
        """Return the answer as one line, made visible."""
        text = f"{visible(self.run_id or '')}, refinement {self.iteration}, {visible(self.fixer)}: "
        text += "addressed" if self.addressed else "still open"
        if self.outcome is FixOutcome.ADDRESSED:
            text += f"; it says: {fold(self.why)}" if self.why else ""
        elif self.outcome is not None:
            text += f"; {SAID[self.outcome]}" + (f": {fold(self.why)}" if self.why else "")
        if self.error:
            text += f"; failed: {fold(self.error)}"
        return text + "".join(f"; not kept: {fold(first_line(reason))}" for reason in self.rejected)


def said_of(issues: Sequence[Issue], results: Sequence[Result]) -> list[Said]:
    """Return the answers of fixers on an issue and its duplicates, the newest run first, within a run in order."""
    names = [issue.id for issue in issues]
    return [said for result in results for said in _of_run(names, result)]


def _of_run(names: Sequence[str], result: Result) -> Iterator[Said]:
    for number, iteration in enumerate(result.iterations, start=1):
        for report in iteration.refinement.fixers:
            for name in names:
                if name in report.issues:
                    addressed = name in iteration.refinement.addressed_issue_ids
                    yield _said(name, report, result.run_id, number, addressed=addressed)


def _said(issue: str, report: FixerReport, run: str | None, number: int, *, addressed: bool) -> Said:
    answer = next((answer for answer in report.answers if answer.issue == issue), None)
    return Said(
        run_id=run,
        iteration=number,
        fixer=report.name,
        outcome=answer.outcome if answer else None,
        why=answer.why if answer else "",
        rejected=report.rejected,
        error=report.error,
        addressed=addressed,
    )


def only_addressed(name: str, results: Sequence[Result]) -> IssueRecord | None:
    """Return an issue that no stored result has, because the refinement that addressed it was applied at once.

    Args:
        name: Its id or fingerprint, or the beginning of one.
        results: Where to look, the newest first.
    """
    for result in results:
        for iteration in result.iterations:
            for issue in iteration.addressed:
                if issue.id.startswith(name) or issue.fingerprint.startswith(name):
                    at, run = result.timestamp, result.run_id or ""
                    return IssueRecord(issue, History(issue.fingerprint, issue.id, at, at, run, run, 1, ADDRESSED))
    return None
