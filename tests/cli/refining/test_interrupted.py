"""Ctrl-C during a refinement: it ends there, nothing is applied, and what was kept can be applied or gone on with."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from selfreview.app.applying import apply_patch
from selfreview.app.ui import SilentUi
from selfreview.apply import file_swap
from selfreview.apply.applier import Applier
from selfreview.cli.terminal import uninterrupted
from selfreview.errors import ExitCode, Interrupted
from selfreview.git.removal import remove_folder
from selfreview.plugins.manager import PluginManager
from selfreview.refine import scratch
from selfreview.refine.recorder import Recorder, new_session
from selfreview.testing.context import MemoryConfig
from tests.apply.scene import expected, make_scene
from tests.cli.refining.lab import APP, MENDED, Lab
from tests.conftest import Workspace
from tests.nursery import start_program

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="POSIX signals")


@pytest.fixture
def lab(workspace: Workspace) -> Lab:
    return Lab(workspace)


@pytest.mark.long
def test_the_review_of_a_refinement_is_not_gone_on_from(lab: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    lab.use("partial")
    before = lab.snapshot()
    waits = lab.outside / "told-waits"
    monkeypatch.setenv("MARKS_WAIT", str(waits))
    with lab.start("--apply") as run:
        while not waits.exists():
            assert run.poll() is None, run.communicate()
            time.sleep(0.01)
        run.send_signal(signal.SIGINT)
        _, err = run.communicate()
    assert run.returncode == ExitCode.INTERRUPTED, err
    assert lab.snapshot() == before
    assert lab.workspaces == []
    session = lab.session()
    assert (session.iteration, session.stop) == (0, "interrupted")  # the refinement was not done
    moves = [e.data["new"] for e in lab.events() if e.kind == "session.state_changed"]
    assert moves.count("refining") == 1
    monkeypatch.delenv("MARKS_WAIT")
    assert lab.refine("--apply", command="resume").json["stop"] == "cap"


def interrupt(lab: Lab, marker: Path, *arguments: str) -> str:
    """Run the loop, press Ctrl-C where it has left a mark, and return what it said."""
    with lab.start(*arguments) as run:
        while not marker.exists():
            assert run.poll() is None, run.communicate()
            time.sleep(0.01)
        run.send_signal(signal.SIGINT)
        _, err = run.communicate()
    assert run.returncode == ExitCode.INTERRUPTED, err
    return err.decode()


def test_at_the_question_nothing_is_applied_and_the_patch_waits(lab: Lab) -> None:
    import pty

    before = lab.snapshot()
    control, side = pty.openpty()
    argv = ["run", "-p", "marks", "--fixer", "agent-mine", "-f", "json"]
    environ = {**os.environ, **lab.environment}
    pipe = subprocess.PIPE
    with start_program(argv, cwd=lab.person.root, env=environ, stdin=side, stdout=pipe, stderr=side) as run:
        os.close(side)
        shown = b""
        while b"[y/N" not in shown:
            shown += os.read(control, 4096)
        run.send_signal(signal.SIGINT)
        run.communicate()
    shown += os.read(control, 4096)
    os.close(control)
    assert run.returncode == ExitCode.INTERRUPTED
    session = lab.session()
    assert session.patch is not None
    assert f"selfreview apply {session.patch}" in shown.decode()
    assert lab.snapshot() == before
    assert (session.state, session.stop) == ("pending_self_review", "interrupted")
    assert not lab.call("status", "--format", "json").json["result"]["passed"]
    assert lab.call("apply").code == ExitCode.PASSED
    assert (lab.person.root / "app.py").read_bytes() == MENDED


HINT = "error: interrupted\nhint: the results so far are kept: selfreview status; selfreview resume continues"


def test_what_to_do_next_is_said_after_a_refinement_was_interrupted(lab: Lab) -> None:
    lab.use("waits")
    assert interrupt(lab, lab.outside / "waiting").strip().endswith(HINT)
    status = " ".join(lab.call("status").out.split())
    assert "next continue where it was interrupted: selfreview resume" in status
    assert "refinements done" not in status
    (lab.outside / "go").touch()
    assert "note: retrying the refinement" in lab.call("retry", "-p", "marks", "--fixer", "agent-mine").err


def test_what_an_agent_did_until_then_is_said(lab: Lab) -> None:
    lab.use("reaching_out")
    interrupt(lab, lab.outside / "waiting")
    assert "~/.zshenv changed while agent-mine ran" in " ".join(lab.call("status").out.split())


def test_a_part_of_a_branch_has_nothing_to_go_on_with(lab: Lab) -> None:
    lab.use("waits")
    lab.person.git("add", "app.py")
    said = interrupt(lab, lab.outside / "waiting", "--staged")
    assert said.strip().endswith("kept: selfreview status")


def test_checks_that_are_interrupted_leave_a_result_without_a_verdict(lab: Lab) -> None:
    marker, check = lab.outside / "told-check", "import pathlib, sys, time; pathlib.Path(sys.argv[1]).touch(); "
    check += "time.sleep(0 if pathlib.Path(sys.argv[1] + '-go').exists() else 600)"
    lab.use("good", more=f"[checks]\nunit = {json.dumps([sys.executable, '-c', check, str(marker)])}\n")
    lab.person.write("app.py", MENDED)
    assert interrupt(lab, marker).strip().endswith(HINT)
    shown = lab.call("status", "--format", "json").json
    result = shown["result"]
    assert (result["status"], result["passed"], result["stop"]) == ("incomplete", False, "interrupted")
    assert result["incompleteReasons"] == ["the checks were interrupted before they were done"]
    assert shown["advice"] == "continue where it was interrupted: selfreview resume"
    assert lab.session().state == "pending_self_review"
    assert lab.workspaces == []
    marker.with_name("told-check-go").touch()
    assert lab.refine(command="resume").code == ExitCode.PASSED


@pytest.mark.long
@pytest.mark.parametrize("within", ["refinement", "review"])
def test_a_refinement_that_waited_before_goes_on_waiting(
    lab: Lab, monkeypatch: pytest.MonkeyPatch, within: str
) -> None:
    patch = lab.refine().json["patch"]["id"]
    marker = lab.outside / ("waiting" if within == "refinement" else "told-waits")
    if within == "refinement":
        lab.use("waits")
    else:
        lab.person.write("app.py", MENDED + b"# more\n")
        monkeypatch.setenv("MARKS_WAIT", str(marker))
    interrupt(lab, marker)
    assert lab.session().patch == patch
    lab.person.write("app.py", APP)
    assert f"{patch} waits: selfreview apply puts it into your tree" in lab.call("status").out
    assert lab.call("apply").code == ExitCode.PASSED
    assert (lab.person.root / "app.py").read_bytes() == MENDED


@pytest.mark.parametrize("arguments", [["--no-fix"], ["--fixer", "rules"]])
def test_it_waits_while_its_tree_is_there_and_does_not_pass(lab: Lab, arguments: list[str]) -> None:
    patch = lab.refine(here=True).json["patch"]["id"]
    rest = ["run", "-p", "marks", *arguments]
    assert lab.call(*rest).code == ExitCode.ISSUES
    assert lab.session().patch == patch
    lab.person.write("app.py", APP + b"# more\n")
    assert lab.call(*rest).code == ExitCode.ISSUES
    assert lab.session().patch is None


def test_it_waits_no_more_where_its_tree_passes(lab: Lab, tmp_path: Path) -> None:
    lab.refine(here=True)
    (tmp_path / "config.toml").write_text('severity_threshold = "never"\n')
    ran = lab.call("run", "-p", "marks", SELFREVIEW_CONFIG_DIR=str(tmp_path))
    assert ran.code == ExitCode.PASSED, ran
    assert lab.session().patch is None


def test_where_a_plugin_fails_that_was_to_decide_nothing_passed(lab: Lab) -> None:
    before = lab.snapshot()
    ran = lab.refine("--apply", MARKS_FORBID="raise")
    assert ran.code not in (ExitCode.PASSED, ExitCode.ISSUES)
    assert lab.snapshot() == before
    session = lab.session()
    assert (session.state, session.failed_in) == ("failed", "self_review_passed")
    assert session.error is not None
    assert session.patch is not None
    assert lab.call("apply").code == ExitCode.PASSED


def test_a_patch_that_was_applied_all_the_same_waits_no_more(
    workspace: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scene = make_scene(workspace, tmp_path)
    session = new_session("work", str(workspace.root), 3)
    session.patch = scene.patch.id
    recorder = Recorder(session, None, PluginManager(), MemoryConfig(), lambda *_: None)
    make = file_swap._make

    def interrupt(*arguments: Any) -> None:
        os.kill(os.getpid(), signal.SIGINT)
        make(*arguments)

    monkeypatch.setattr(file_swap, "_make", interrupt)
    with pytest.raises(Interrupted, match="undo"):
        apply_patch(Applier(scene.repo, scene.store, uninterrupted), scene.patch, recorder, SilentUi(), staged=False)
    assert scene.tree == expected(scene)
    assert session.patch is None


def test_what_was_refined_is_kept_where_only_the_workspace_was_left(lab: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(folder: Path) -> bool:
        signal.raise_signal(signal.SIGINT)
        return remove_folder(folder)

    monkeypatch.setattr(scratch, "remove_folder", interrupted)
    ran = lab.refine("--apply", here=True)
    session = lab.session()
    assert (ran.code, session.stop, session.iteration) == (ExitCode.INTERRUPTED, "interrupted", 1)
    assert f"selfreview apply {session.patch}" in ran.err
    assert lab.workspaces == []
    assert lab.call("apply").code == ExitCode.PASSED
    assert (lab.person.root / "app.py").read_bytes() == MENDED
