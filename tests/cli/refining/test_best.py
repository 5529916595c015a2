"""Where the last iteration is not the best one, everything that a person gets is of the best."""

from __future__ import annotations

import pytest

from selfreview.errors import ExitCode
from tests.cli.refining.lab import APP, MENDED, Lab
from tests.conftest import Workspace
from tests.rows import crossed

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


@pytest.mark.parametrize(
    ("deed", "reviews"), [("empty", 1), pytest.param("partial", 2, marks=pytest.mark.long), ("good", 2)]
)
def test_each_review_costs_once(workspace: Workspace, deed: str, reviews: int) -> None:
    """Also where it stands for what a refinement left that changed nothing."""
    lab = Lab(workspace)
    lab.use(deed)
    ran = lab.refine("--apply", here=True)
    assert ran.json["usage"]["requests"] == reviews, ran


def said(lab: Lab, *arguments: str) -> str:
    return " ".join(lab.call(*arguments).out.split())


@pytest.mark.long
@pytest.mark.parametrize(
    ("run", "applies"),
    crossed({"no program": "no-such-program", "no file": "./missing/tool --flag"}, {"applies": True, "waits": False}),
)
def test_a_check_that_could_not_run_before_withholds_no_fix(workspace: Workspace, run: str, *, applies: bool) -> None:
    lab = Lab(workspace)
    lab.use("good", f"[checks]\nunit = '{run}'\n")
    ran = lab.refine(*(["--apply"] if applies else []))
    patch = ran.json["patch"]
    assert (ran.json["stop"], patch["applied"], patch["better"]) == ("incomplete", applies, True), ran
    if applies:
        assert (ran.code, ran.json["status"]) == (ExitCode.INCOMPLETE, "incomplete")
    else:
        assert f"{patch['id']} waits: selfreview apply puts it into your tree" in said(lab, "status")
        assert f"applied {patch['id']}" in lab.call("apply").out
    assert (workspace.root / "app.py").read_bytes() == MENDED


@pytest.mark.parametrize(
    ("deed", "why"),
    [
        ("wrong", "no less blocks"),
        ("mends_and_breaks", "1 new would block"),
        pytest.param("to_and_fro", "no less blocks", marks=pytest.mark.long),
    ],
)
def test_a_patch_that_is_no_better_is_told_of_and_never_applied_unasked(
    workspace: Workspace, deed: str, why: str
) -> None:
    lab = Lab(workspace)
    lab.use(deed)
    report = lab.outside / "report.md"
    out = said(
        lab, "run", "-p", "marks", "--fixer", "agent-mine", "--apply", "-f", "terminal", "-f", f"markdown:{report}"
    )
    ran = lab.refine("--apply")
    patch, reason = ran.json["patch"], f"it is no better than your tree: {why}"
    assert (patch["applied"], patch["better"], patch["reason"]) == (False, False, reason)
    assert (workspace.root / "app.py").read_bytes() == APP
    assert f"not applied ({reason}): selfreview apply p-" in out
    assert "selfreview apply p-" in report.read_text()
    status = said(lab, "status")
    assert f"{patch['id']} waits, though {reason}: selfreview apply puts it into your tree" in status
    assert "apply the refinement, then review again" not in status
    assert f"applied {patch['id']}: 1 file changed" in lab.call("apply").out
    assert (workspace.root / "app.py").read_bytes() != APP
    assert lab.call("undo").code == ExitCode.PASSED
    assert (workspace.root / "app.py").read_bytes() == APP


@pytest.mark.parametrize(
    "arguments", [["app.py"], ["--staged"], pytest.param(["--fail-on", "high"], marks=pytest.mark.long)]
)
def test_a_patch_of_a_part_waits_too(workspace: Workspace, arguments: list[str]) -> None:
    lab = Lab(workspace)
    workspace.git("add", "app.py")
    whole = lab.call("run", "-p", "marks", "--no-fix", "--format", "json")
    ran = lab.refine(*arguments)
    patch = ran.json["patch"]
    assert (whole.code, patch["applied"]) == (ExitCode.ISSUES, False), ran
    assert f"{patch['id']} waits: selfreview apply puts it into your tree" in said(lab, "status")
    assert f"applied {patch['id']}" in lab.call("apply").out
    assert (workspace.root / "app.py").read_bytes() == MENDED
    assert "no kept patch to apply" in lab.call("apply").err
