"""The verdict on a result, in code: what blocks, and what else fails it."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

import msgspec

from selfreview.errors import ExitCode
from selfreview.model.issue import OWN, Issue, Severity, lowest_blocking
from selfreview.model.result import Counts, NotPassed, Result, ResultStatus, ReviewerReport, Verdict

if TYPE_CHECKING:

    class Draft(Result):
        """A result that may be changed, since its verdict is derived afterwards: only ``Engine.revise`` gives one."""

else:
    Draft = Result


def leave_incomplete(draft: Draft, why: str, report: ReviewerReport | None = None) -> None:
    """Say of a result that not everything was reviewed.

    Args:
        draft: The result.
        why: The reason, as a sentence or clause.
        report: The part of the review that it is about, or None.
    """
    if report is not None:
        report.gap = why
    draft.status = ResultStatus.INCOMPLETE
    draft.incomplete_reasons = [*draft.incomplete_reasons, why]


class Threshold:
    """The lowest severity that blocks, for each category.

    Args:
        value: A severity, or ``never``; or a table from category to such, with ``default`` for the rest.
    """

    def __init__(self, value: str | Mapping[str, str]) -> None:
        self.value = value

    def blocks(self, issue: Issue) -> bool:
        """Return whether an issue is open and at or above the threshold of its category.

        What stands for something that nobody could review counts as the worst that can be there, of any category.
        """
        if issue.unreviewed:
            places = ("default", *(() if isinstance(self.value, str) else self.value))
            return issue.is_open and any(lowest_blocking(self.value, place) is not None for place in places)
        lowest = lowest_blocking(self.value, issue.category.value)
        return issue.is_open and lowest is not None and issue.severity.at_least(lowest)

    def blocking(self, issues: Iterable[Issue]) -> list[Issue]:
        """Return the issues that block, worst first, in the order of the files."""
        found = filter(self.blocks, issues)
        return sorted(found, key=lambda issue: (-issue.severity.rank, issue.file, issue.line_start))


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
    result.passed = complete and not threshold.blocking(result.issues)


STRICTNESS = {Verdict.PASS: 0, Verdict.NEEDS_WORK: 1, Verdict.CRITICAL_ISSUES: 2}


def tighten(result: Result, verdict: Verdict, threshold: Threshold) -> None:
    """Apply a plugin's verdict to a decided result, which fails by it unless it is a pass or a laxer one.

    A verdict that is no stricter than that of the issues is a reason only where none of them blocks.
    """
    strictness = STRICTNESS[verdict] - (STRICTNESS[result.verdict] if result.verdict is not None else 0)
    if strictness > 0 or (strictness == 0 and verdict is not Verdict.PASS and not threshold.blocking(result.issues)):
        result.not_passed_reasons.append(f"a plugin made the verdict {verdict}")
        result.not_passed_by = [*(result.not_passed_by or ()), NotPassed.PLUGIN]
        result.verdict, result.passed = verdict, False


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
    if result.status is ResultStatus.INCOMPLETE:  # it never passes, and here only what was found fails it
        failed = bool(result.not_passed_reasons or threshold.blocking(result.issues))
    else:
        failed = not result.passed
    return ExitCode.ISSUES if failed else ExitCode.PASSED


TOTAL = "total"
"""Stands for all open issues in ``max_issues``."""


@dataclasses.dataclass(frozen=True)
class Limits:
    """Limits that fail a review besides the issues that block.

    Attributes:
        max_issues: How many open issues there may be, by severity, category, or ``total``.
        strict: Whether marks that are invalid, or that match nothing any more, fail it.
    """

    max_issues: Mapping[str, int] = dataclasses.field(default_factory=dict)
    strict: bool = False

    def apply(self, result: Result) -> None:
        """Fill in ``not_passed_reasons``, and take ``passed`` from a decided result where there are any."""
        too_many, marks_left = self._too_many(result), self._marks_left(result)
        result.not_passed_reasons = [*too_many, *marks_left]
        kinds = [NotPassed.MAX_ISSUES] * len(too_many) + [NotPassed.STRICT] * len(marks_left)
        result.not_passed_by = kinds or msgspec.UNSET
        if kinds:
            result.passed = False

    def _too_many(self, result: Result) -> list[str]:
        reasons = []
        for name, limit in self.max_issues.items():
            counted = [i for i in result.open_issues if name in (TOTAL, i.severity.value, i.category.value)]
            if len(counted) > limit:
                what = "open" if name == TOTAL else f"open {name}"
                plural = "issue" if len(counted) == 1 else "issues"
                reasons.append(f"{len(counted)} {what} {plural}, {len(counted) - limit} more than max_issues allows")
        return reasons

    def _marks_left(self, result: Result) -> list[str]:
        if not self.strict or result.status is ResultStatus.ERROR:
            return []
        number = sum(1 for issue in result.open_issues if issue.reviewer == OWN)
        if not number:
            return []
        marks = "1 suppression or baseline entry" if number == 1 else f"{number} suppressions or baseline entries"
        return [f"{marks} to fix or to remove (strict)"]
