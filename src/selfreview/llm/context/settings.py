"""Settings of a review by a model: effort, models and limits."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any, Literal

from selfreview.llm.context.prompts import LENSES
from selfreview.model.issue import Severity

Effort = Literal["quick", "normal", "thorough"]

THOROUGHNESS: Mapping[str, tuple[str, ...]] = {
    "quick": LENSES[:1],
    "normal": LENSES[:2],
    "thorough": LENSES,
}
"""Finders' passes of each effort. A repeat of one lens finds nothing new; another lens does."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class ModelSettings:
    """Settings from the configuration.

    Attributes:
        model: The finders' model.
        verify_model: The verifier's.
        effort: How many passes there are, and what is verified: nothing, what would block, or everything.
        concurrency: Requests at once.
        task_tokens: Most tokens of the change in one finder's request, references included.
        reference_tokens: Most tokens of unchanged code that are shown with one file.
        answer_tokens: Most tokens of an answer, thinking included.
        threshold: The configured severity threshold.
    """

    model: str
    verify_model: str
    effort: Effort = "normal"
    concurrency: int = 4
    task_tokens: int = 6_000
    reference_tokens: int = 1_500
    answer_tokens: int = 16_000
    threshold: str | Mapping[str, Any] = "medium"

    @property
    def lenses(self) -> tuple[str, ...]:
        """Passes of the finders."""
        return THOROUGHNESS[self.effort]

    @property
    def thinking(self) -> str | None:
        """Thinking effort, as the service names it; None leaves that to the model."""
        return {"quick": "low", "normal": None, "thorough": "high"}[self.effort]

    def is_verified(self, severity: Severity, category: str) -> bool:
        """Return whether a finding of that severity is verified."""
        if self.effort == "quick":
            return False
        return self.effort == "thorough" or self._blocks(severity, category)

    def _blocks(self, severity: Severity, category: str) -> bool:
        value = self.threshold
        if not isinstance(value, str):
            value = str(value.get(category, value.get("default", "medium")))
        return value != "never" and severity.at_least(Severity(value))
