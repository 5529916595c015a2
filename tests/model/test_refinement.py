"""Reports of fixers."""

from __future__ import annotations

from typing import Any

import pytest

from selfreview.model.refinement import FixerReport


@pytest.mark.parametrize(
    ("ended", "nothing"),
    [
        ({}, True),
        ({"notes": "It is right as it is."}, True),
        ({"files": ["app.py"]}, False),
        ({"rejected": ["It edits a workflow."]}, False),
        ({"error": "it was cut off"}, False),
    ],
)
def test_a_fixer_edited_nothing_where_it_ended_well_and_left_every_file(ended: dict[str, Any], nothing: bool) -> None:
    assert FixerReport(name="claude", **ended).edited_nothing is nothing
