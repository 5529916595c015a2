"""The actions that feedback calls for."""

from __future__ import annotations

import pytest

from selfreview.model.cycle import Analysis, Overall


@pytest.mark.parametrize("overall", Overall)
def test_what_calls_for_nothing_is_never_blocked(overall: Overall) -> None:
    asked = Analysis(number=7, overall=overall)
    expected = overall if overall is Overall.NOTHING_TO_DO else Overall.BLOCKED
    assert asked.blocked() == Analysis(number=7, overall=expected)
