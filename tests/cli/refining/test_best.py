"""Where the last iteration is not the best one, everything that a person gets is of the best."""

from __future__ import annotations

import pytest

from selfreview.errors import ExitCode
from tests.cli.refining.lab import APP, Lab
from tests.conftest import Workspace

BEST = APP.replace(b"  # BUG-one", b"").replace(b"def half", b"LIMIT = 9\n\n\ndef half")


def test_result_excerpt_patch_and_numbers_are_of_the_best_state(workspace: Workspace) -> None:
    lab = Lab(workspace)
    lab.use("better_then_worse")
    ran = lab.refine("--apply", "--format", "terminal:report.txt", here=True)
    result = ran.json
    first, second = result["iterations"]
    assert (ran.code, result["stop"]) == (ExitCode.ISSUES, "not_shrinking")
    assert (workspace.root / "app.py").read_bytes() == BEST
    assert (result["iteration"], [issue["lineStart"] for issue in result["issues"]]) == (1, [9])
    assert len(second["review"]["issues"]) == 3
    assert result["patch"]["id"] == first["refinement"]["patch"] != second["refinement"]["patch"]
    assert result["counts"]["high"] == 1
    assert result["scope"]["tree"] == first["refinement"]["tree"]
    report = (workspace.root / "report.txt").read_text()
    assert "9 +│     return n * 2  # BUG-two" in report
    assert "BUG-four" not in report


@pytest.mark.parametrize(("deed", "reviews"), [("empty", 1), ("partial", 2), ("good", 2)])
def test_each_review_costs_once(workspace: Workspace, deed: str, reviews: int) -> None:
    """Also where it stands for what a refinement left that changed nothing."""
    lab = Lab(workspace)
    lab.use(deed)
    ran = lab.refine("--apply", here=True)
    assert ran.json["usage"]["requests"] == reviews, ran
