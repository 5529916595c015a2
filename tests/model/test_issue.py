"""The lowest severity that blocks a category."""

from __future__ import annotations

import pytest

from selfreview.model.issue import Severity, lowest_blocking


@pytest.mark.parametrize(
    ("threshold", "lowest"),
    [
        ("high", Severity.HIGH),
        ("never", None),
        ({"style": "never"}, None),
        ({"style": "low", "default": "high"}, Severity.LOW),
        ({"logic": "low", "default": "high"}, Severity.HIGH),
        ({"logic": "low"}, Severity.MEDIUM),
    ],
)
def test_a_threshold_is_that_of_the_category_or_the_default(threshold: str | dict[str, str], lowest: Severity) -> None:
    assert lowest_blocking(threshold, "style") is lowest
