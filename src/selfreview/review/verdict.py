"""From issues to a verdict, in code."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from selfreview.errors import ExitCode
from selfreview.model.issue import Issue, Severity
from selfreview.model.result import Counts, Result, ResultStatus, Verdict

NEVER = "never"


class Threshold:
    """The lowest severity that blocks, for each category.

    Args:
        value: A severity, or ``never``; or a table from category to such, with ``default`` for the rest.
    """

    def __init__(self, value: str | Mapping[str, str]) -> None:
        self.value = value
        table = {"default": value} if isinstance(value, str) else dict(value)
        self._default = table.pop("default", Severity.MEDIUM.value)
        self._table = table

    def blocks(self, issue: Issue) -> bool:
        """Return whether an issue is open and at or above the threshold of its category.

        What stands for something that nobody could review counts as the worst that can be there, of any category.
        """
        if issue.unreviewed:
            return issue.is_open and any(lowest != NEVER for lowest in (self._default, *self._table.values()))
        lowest = self._table.get(issue.category.value, self._default)
        return issue.is_open and lowest != NEVER and issue.severity.at_least(Severity(lowest))


def count(issues: Iterable[Issue]) -> Counts:
    """Count open issues by severity."""
    counts = Counts()
    for issue in issues:
        if issue.is_open:
            name = issue.severity.value
            setattr(counts, name, getattr(counts, name) + 1)
    return counts


def verdict_of(issues: Iterable[Issue]) -> Verdict:
    """Return the verdict on the open issues."""
    worst = max((issue.severity.rank for issue in issues if issue.is_open), default=-1)
    if worst >= Severity.CRITICAL.rank:
        return Verdict.CRITICAL_ISSUES
    return Verdict.NEEDS_WORK if worst >= Severity.MEDIUM.rank else Verdict.PASS


def decide(result: Result, threshold: Threshold) -> None:
    """Fill in ``counts``, ``verdict`` and ``passed`` from ``issues`` and ``status``.

    An incomplete review has no verdict unless the open issues decide it already: it cannot get better than they are.
    """
    result.counts = count(result.issues)
    verdict = verdict_of(result.issues)
    complete = result.status in (ResultStatus.COMPLETE, ResultStatus.NOTHING_TO_REVIEW)
    result.verdict = verdict if complete or verdict is not Verdict.PASS else None
    result.passed = complete and not any(threshold.blocks(issue) for issue in result.issues)


STRICTNESS = {Verdict.PASS: 0, Verdict.NEEDS_WORK: 1, Verdict.CRITICAL_ISSUES: 2}


def exit_code(result: Result, threshold: Threshold, *, warn_incomplete: bool) -> ExitCode:
    """Return the exit code of a result.

    Args:
        result: A decided result.
        threshold: What blocks.
        warn_incomplete: Whether the person chose ``on_incomplete = "warn"``: then only blocking issues fail.
    """
    if result.status is ResultStatus.ERROR:
        return ExitCode(result.error.exit_code) if result.error else ExitCode.INTERNAL_ERROR
    if result.status is ResultStatus.INCOMPLETE and not warn_incomplete:
        return ExitCode.INCOMPLETE
    # A plugin may have made the verdict stricter than the issues.
    tightened = result.status is ResultStatus.COMPLETE and not result.passed
    blocked = tightened or bool(result.not_passed_reasons) or any(threshold.blocks(issue) for issue in result.issues)
    return ExitCode.ISSUES if blocked else ExitCode.PASSED
