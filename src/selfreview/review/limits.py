"""Limits that fail a review besides blocking issues: too many issues in all, and leftover marks under ``strict``."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping

from selfreview.model.issue import OWN
from selfreview.model.result import Result, ResultStatus

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
        result.not_passed_reasons = [*self._too_many(result), *self._left_over(result)]
        if result.not_passed_reasons:
            result.passed = False

    def _too_many(self, result: Result) -> list[str]:
        reasons = []
        for name, most in self.max_issues.items():
            counted = [i for i in result.open_issues if name in (TOTAL, i.severity.value, i.category.value)]
            if len(counted) > most:
                what = "open" if name == TOTAL else f"open {name}"
                plural = "issue" if len(counted) == 1 else "issues"
                reasons.append(f"{len(counted)} {what} {plural}, {len(counted) - most} more than max_issues allows")
        return reasons

    def _left_over(self, result: Result) -> list[str]:
        if not self.strict or result.status is ResultStatus.ERROR:
            return []
        left = sum(1 for issue in result.open_issues if issue.reviewer == OWN)
        if not left:
            return []
        marks = "1 suppression or baseline entry" if left == 1 else f"{left} suppressions or baseline entries"
        return [f"{marks} to mend or to take out (strict)"]
