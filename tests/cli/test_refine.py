"""Refinement through the command line: what a fixer may do to it, and what the person has afterwards."""

from __future__ import annotations

import sys

import pytest

from selfreview.errors import ExitCode
from tests.cli.refining.cases import AGENTS, SHORT, Case
from tests.cli.refining.lab import APP, MENDED, TEST, Lab
from tests.conftest import Workspace
from tests.rows import few

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="links and signals")


@pytest.fixture
def lab(workspace: Workspace) -> Lab:
    return Lab(workspace)


@pytest.mark.parametrize("case", few({f"{case.deed}-{case.stop}": case for case in AGENTS}, *SHORT))
def test_an_agent(lab: Lab, case: Case) -> None:
    lab.use(case.deed, top=case.top)
    before = lab.snapshot()
    ran = lab.refine("--apply", here=True)
    after = lab.snapshot()
    result = ran.json
    assert (result["stop"], len(result["iterations"])) == (case.stop, case.iterations), ran
    assert ran.code == (ExitCode.PASSED if case.passes else ExitCode.ISSUES)
    assert result["passed"] is case.passes
    assert (lab.session().state, lab.session().stop) == (case.state, case.stop)
    assert (lab.session().human_review_required is None) is case.passes
    assert case.says in "\n".join(iteration["refinement"]["notes"] for iteration in result["iterations"])
    for path, data in case.files.items():
        mode = before["tree"][path][0] if path in before["tree"] else 0o100644
        before["tree"][path] = (mode, data)
    assert after == before
    assert lab.workspaces == []
    assert "Traceback" not in ran.err


def test_an_agent_that_writes_into_the_persons_hooks_is_found_out(lab: Lab) -> None:
    lab.use("hooks_of_the_person")
    before = lab.snapshot()
    ran = lab.refine("--apply")
    after = lab.snapshot()
    (fixer,) = ran.json["iterations"][0]["refinement"]["fixers"]
    assert (ran.code, ran.json["stop"]) == (ExitCode.ISSUES, "no_change")
    assert "hooks" in fixer["error"]
    assert ".git" in fixer["hint"]
    assert set(after["git"]) - set(before["git"]) == {"hooks/pre-commit"}
    assert after["tree"] == before["tree"]


def test_a_fixer_with_a_defect_loses_only_its_own_part(lab: Lab) -> None:
    before = lab.snapshot()
    ran = lab.refine("--apply", fixer="crasher")
    (fixer,) = ran.json["iterations"][0]["refinement"]["fixers"]
    assert (ran.code, ran.json["stop"]) == (ExitCode.ISSUES, "no_change")
    assert fixer["error"].startswith("it crashed: ZeroDivisionError: a defect (marks.py:")
    assert fixer["hint"].startswith("see ")
    assert lab.snapshot()["tree"] == before["tree"]
    after = lab.refine("--apply", "--fixer", "agent-mine", fixer="crasher")
    assert (after.code, after.json["stop"]) == (ExitCode.PASSED, "passed")


def test_no_fix_only_reviews(lab: Lab) -> None:
    before = lab.snapshot()
    ran = lab.call("run", "-p", "marks", "--no-fix", "-f", "json")
    assert ran.code == ExitCode.ISSUES
    assert (ran.json["iterations"], ran.json["stop"], ran.json["patch"]) == ([], None, None)
    assert lab.snapshot() == before
    assert not (lab.home / ".cache").exists()
    assert "session.refinement_completed" not in [event.kind for event in lab.events()]


@pytest.mark.parametrize(
    ("options", "named"),
    [
        (["--apply"], "--apply"),
        (["--stage"], "--stage"),
        (["--fixer=agent-mine", "--stage"], "--stage and --fixer"),
        (["--fixer=agent-mine", "--stage", "--apply"], "--apply, --stage and --fixer"),
    ],
)
def test_no_fix_excludes_what_only_a_fix_needs(lab: Lab, options: list[str], named: str) -> None:
    lab.person.write("app.py", MENDED)
    ran = lab.call("run", "-p", "marks", "--no-fix", *options)
    assert ran.code == ExitCode.USAGE
    assert ran.err.startswith(f"error: --no-fix excludes {named}: nothing is refined\n")


def test_a_cap_of_nothing_refines_nothing(lab: Lab) -> None:
    ran = lab.refine("--max-iterations", "0")
    assert (ran.code, ran.json["iterations"], ran.json["patch"]) == (ExitCode.ISSUES, [], None)
    assert not (lab.home / ".cache").exists()


def test_a_cap_on_the_command_line_wins(lab: Lab) -> None:
    lab.use("wrong", top="max_iterations = 5\n")
    ran = lab.refine("--max-iterations", "2")
    assert (ran.json["stop"], len(ran.json["iterations"])) == ("cap", 2)
    assert "2" in ran.json["stopReason"]


def test_a_change_that_passes_makes_no_workspace(lab: Lab) -> None:
    lab.person.write("app.py", MENDED)
    ran = lab.refine("--apply")
    assert (ran.code, ran.json["iterations"]) == (ExitCode.PASSED, [])
    assert not (lab.home / ".cache").exists()


def test_a_commit_hook_refines_nothing(lab: Lab) -> None:
    lab.use("good", top='apply = "always"\nfixers = ["agent-mine"]\n')
    lab.person.git("add", "--all")
    ran = lab.call("hook", "run", "pre-commit", SELFREVIEW_PLUGINS="marks")
    assert ran.code == ExitCode.ISSUES, ran
    assert "BUG-one" in ran.out + ran.err
    assert (lab.person.root / "app.py").read_bytes() == APP
    assert not (lab.home / ".cache").exists()


def test_issues_below_the_threshold_are_nobodys_work(lab: Lab) -> None:
    lab.person.write("app.py", MENDED + b"# NIT-name\n")
    ran = lab.refine("--apply")
    assert (ran.code, ran.json["stop"], len(ran.json["issues"])) == (ExitCode.PASSED, None, 1)


def test_plugins_can_stop_the_loop_and_forbid_the_apply(lab: Lab) -> None:
    stopped = lab.refine("--apply", MARKS_STOP="enough for today")
    assert (stopped.json["stop"], stopped.json["stopReason"]) == ("plugin", "enough for today")
    forbidden = lab.refine("--apply", MARKS_FORBID="on Fridays")
    assert (forbidden.code, forbidden.json["patch"]["applied"]) == (ExitCode.ISSUES, False)
    assert forbidden.json["patch"]["reason"] == "a plugin forbids it: on Fridays"
    later = lab.call("apply", "-p", "marks", MARKS_FORBID="on Fridays")
    assert later.code == ExitCode.USAGE, later
    assert (lab.person.root / "app.py").read_bytes() == APP
    assert (lab.person.root / "tests/test_app.py").read_bytes() == TEST


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["--fixer", "nobody"], "there is no fixer 'nobody' (--fixer)"),
        (["--fixer", "claude"], "the fixer claude cannot be used"),
        (["-o", 'fixers=["nobody"]'], "there is no fixer 'nobody' (command line)"),
    ],
)
def test_a_fixer_that_cannot_be_is_told_of_though_nothing_blocks(lab: Lab, options: list[str], says: str) -> None:
    lab.person.write("app.py", MENDED)
    ran = lab.call("run", "-p", "marks", *options)
    assert ran.code == ExitCode.USAGE
    assert says in ran.err.splitlines()[0]
