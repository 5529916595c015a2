"""A run that is killed in its second iteration goes on from what the first one came to."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import sys
import time
from pathlib import Path

import pytest

from selfreview.errors import ExitCode
from tests.cli.refining.lab import APP, MENDED, Lab
from tests.conftest import Workspace

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="POSIX signals")


@pytest.fixture
def killed(workspace: Workspace) -> Lab:
    """A repository whose run was killed while the fixer worked on what the first iteration had left."""
    lab = Lab(workspace)
    lab.use("one_at_a_time")
    kill(lab)
    waiting(lab).unlink()
    assert (lab.session().state, lab.session().iteration) == ("refining", 2)
    assert len(told(lab)) == 2
    return lab


def kill(lab: Lab, command: str = "run") -> None:
    """Kill a run, and what it waits for once that has said so."""
    with lab.start("--apply", command=command) as process:
        while not waiting(lab).is_file() or not waiting(lab).read_text():
            assert process.poll() is None, process.communicate()
            time.sleep(0.01)
        process.kill()
        process.communicate()
    with contextlib.suppress(ProcessLookupError):  # it may have ended with the run
        os.kill(int(waiting(lab).read_text()), signal.SIGKILL)


def waiting(lab: Lab) -> Path:
    return lab.outside / "waiting"


def told(lab: Lab) -> list[str]:
    return (lab.outside / "told").read_text().split("\0")[:-1]


CHECK = """
import os, pathlib, sys, time
waiting, go = map(pathlib.Path, sys.argv[1:])
waiting.write_text(str(os.getpid()))
while not go.exists():
    time.sleep(0.01)
"""


@pytest.mark.long
def test_a_run_that_is_killed_in_the_checks_before_its_first_refinement_is_gone_on_with(workspace: Workspace) -> None:
    lab = Lab(workspace)
    lab.use("one_at_a_time")
    (lab.outside / "check.py").write_text(CHECK)
    command = [sys.executable, str(lab.outside / "check.py"), str(waiting(lab)), str(lab.outside / "go")]
    lab.person.write("selfreview.toml", f"[checks]\nunit = {command!r}\n")
    assert lab.person.selfreview("trust", **lab.environment).code == ExitCode.PASSED
    kill(lab)
    status = lab.person.selfreview("status", **lab.environment).out
    assert "continue where it was interrupted: selfreview resume" in " ".join(status.split())
    (lab.outside / "go").touch()
    ran = lab.refine("--apply", command="resume")
    assert (ran.code, ran.json["stop"]) == (ExitCode.PASSED, "passed"), ran
    ended = lab.refine(command="resume")
    assert (ended.code, "no run was interrupted" in ended.err) == (ExitCode.USAGE, True), ended


def test_it_goes_on_from_the_last_iteration_that_was_kept(killed: Lab) -> None:
    (killed.outside / "go").touch()
    ran = killed.refine("--apply", command="resume")
    result = ran.json
    assert (ran.code, result["stop"], len(result["iterations"])) == (ExitCode.PASSED, "passed", 2), ran
    first, second = (iteration["refinement"] for iteration in result["iterations"])
    assert [len(one["addressedIssueIds"]) for one in (first, second)] == [1, 1]
    assert first["patch"] != second["patch"] == result["patch"]["id"]
    assert (killed.person.root / "app.py").read_bytes() == MENDED
    before, after = (re.sub(r"\b[0-9a-f]{16}\b", "", prompt) for prompt in told(killed)[1:])
    assert before == after  # the same issue, and what was tried: nothing of what the fixer knows got lost
    assert "BUG-one" not in after
    assert killed.session().iteration == 2
    assert killed.workspaces == []
    assert not [note for note in result["notes"] if "refinement started over" in note]


def test_the_cap_counts_what_went_before(killed: Lab) -> None:
    (killed.outside / "go").touch()
    ran = killed.refine("--apply", "--max-iterations", "1", command="resume")
    assert (ran.code, ran.json["stop"], len(ran.json["iterations"])) == (ExitCode.ISSUES, "cap", 1), ran
    assert len(told(killed)) == 2
    assert (killed.person.root / "app.py").read_bytes() == APP.replace(b"  # BUG-one", b"")


@pytest.mark.long
@pytest.mark.parametrize("path", ["app.py", "note.txt"])
def test_another_tree_begins_anew_and_says_so(killed: Lab, path: str) -> None:
    there = killed.person.root / path
    there.write_bytes(there.read_bytes() + b"# mine\n")
    (killed.outside / "go").touch()
    ran = killed.refine("--apply", command="resume")
    assert (ran.code, ran.json["stop"], len(ran.json["iterations"])) == (ExitCode.PASSED, "passed", 2), ran
    assert any("refinement started over" in note for note in ran.json["notes"])
    assert len(told(killed)) == 4
    assert there.read_bytes().endswith(b"# mine\n")


@pytest.mark.long
def test_it_goes_on_once_more_where_going_on_was_killed(killed: Lab) -> None:
    kill(killed, command="resume")
    (killed.outside / "go").touch()
    ran = killed.refine("--apply", command="resume")
    assert (ran.code, len(ran.json["iterations"])) == (ExitCode.PASSED, 2), ran
    assert len(told(killed)) == 4


@pytest.mark.long
def test_what_was_kept_and_is_damaged_begins_anew(killed: Lab) -> None:
    (patch,) = (killed.person.root / ".git/selfreview/patches").glob("p-*")
    (patch / "iteration.json").write_text("{")
    (killed.outside / "go").touch()
    ran = killed.refine("--apply", command="resume")
    assert (ran.code, len(ran.json["iterations"])) == (ExitCode.PASSED, 2), ran
    assert any("refinement started over" in note for note in ran.json["notes"])
