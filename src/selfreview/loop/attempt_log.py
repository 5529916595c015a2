"""Log of attempts at an issue, for the fixers that get it again."""

from __future__ import annotations

from typing import NamedTuple

from selfreview.api import Attempt, FixAnswer, FixOutcome
from selfreview.loop.compare import Key
from selfreview.model.refinement import FixerReport


class AttemptLog(NamedTuple):
    """Attempt of a fixer at one issue; the report has its outcome, also where it is reverted later.

    Attributes:
        key: What the issue is about.
        issue: Its id.
        words: Its description.
        iteration: Number of the refinement.
        report: How the fixer's part went.
    """

    key: Key
    issue: str
    words: str
    iteration: int
    report: FixerReport

    @property
    def false_positive(self) -> FixAnswer | None:
        """The fixer's answer that the issue is a false positive, where it gave a reason; else None."""
        answers = [answer for answer in self.report.answers if answer.issue == self.issue]
        last = answers[-1] if answers and self.report.error is None else None
        return last if last is not None and last.outcome is FixOutcome.FALSE_POSITIVE and last.why.strip() else None

    @property
    def attempt(self) -> Attempt:
        """The attempt in words, for a fixer to read."""
        report = self.report
        words = [f"{answer.outcome}: {answer.why}" for answer in report.answers if answer.issue == self.issue]
        said = words[-1] if words else report.error or "no word on it"
        kept = f"its edit of {', '.join(report.files)} was kept" if report.files else "nothing was kept"
        kept = "it edited nothing" if report.edited_nothing else kept
        refused = f"; rejected: {'; '.join(report.rejected)}" if report.rejected else ""
        if report.held:
            refused += f"; waits for a person: {'; '.join(report.held)}"
        return Attempt(self.iteration, self.issue, f"{report.name} said {said}; {kept}{refused}")
