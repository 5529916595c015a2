"""Edits of tests that a person has wait for their word; what else a fixer did goes on."""

from __future__ import annotations

import json
import re
import sys

import pytest

from selfreview.errors import ExitCode
from tests.cli.refining.lab import APP, MENDED, TEST, Lab
from tests.cli.terminal import on_terminal
from tests.conftest import Workspace

REFINE = ["run", "-p", "marks", "--fixer", "agent-mine"]
COLOUR = re.compile(r"\x1b\[[0-9;]*m")
NEW_TEST = TEST.replace(b"half(4)", b"half(5)")
SCRIPT = """
from pathlib import Path
app, test = (next(Path().rglob(name)).read_text() for name in ('app.*', 'test_app.*'))
assert 'BUG' in app or '5' in test
"""
CHECK = f"[checks]\nunit = {json.dumps([sys.executable, '-c', SCRIPT])}\n"
"""A check that no fix can pass without another test."""


def content(lab: Lab) -> tuple[bytes, bytes]:
    root = lab.person.root
    return (root / "app.py").read_bytes(), (root / "tests/test_app.py").read_bytes()


def said(lab: Lab, *arguments: str) -> str:
    return " ".join(lab.call(*arguments).out.split())


def test_what_is_free_is_applied_and_the_rest_waits(workspace: Workspace) -> None:
    lab = Lab(workspace)
    lab.use("edits_a_test_too")
    ran = lab.refine("--apply", "--format", "terminal:report.txt")
    result = ran.json
    assert (ran.code, result["stop"], result["patch"]["applied"]) == (ExitCode.PASSED, "passed", True), ran
    assert content(lab) == (MENDED, TEST)
    held = result["held"]
    assert held["held"] == ["tests/test_app.py:5: the test 'test_half' that you have is edited"]
    report = " ".join((workspace.root / "report.txt").read_text().split())
    assert f"selfreview apply {held['id']}" in report
    (workspace.root / "report.txt").unlink()
    assert f"{held['id']} waits" in said(lab, "status")
    assert f"applied {held['id']}" in lab.call("apply").out
    assert content(lab) == (MENDED, NEW_TEST)


@pytest.mark.skipif(sys.platform == "win32", reason="a POSIX terminal")
@pytest.mark.parametrize(
    ("answer", "code", "kept"), [(b"y\n", ExitCode.PASSED, (MENDED, NEW_TEST)), (b"n\n", ExitCode.ISSUES, (APP, TEST))]
)
def test_a_person_at_a_terminal_is_asked_about_an_edit_of_a_test(
    workspace: Workspace, answer: bytes, code: ExitCode, kept: tuple[bytes, bytes]
) -> None:
    lab = Lab(workspace)
    lab.use("edits_a_test_too", CHECK)
    ended, text, _ = on_terminal(REFINE, workspace.root, answer, COLUMNS="100", **lab.environment)
    told = " ".join(COLOUR.sub("", text).split())
    assert ended == code, told
    before, _ = told.split("[y/N]", 1)
    assert "The patch edits existing tests, so it waits for your approval:" in before
    assert "tests/test_app.py:5: the test 'test_half' that you have is edited" in before
    patch = before.split("diff --git", 1)[1]
    assert patch.index("tests/test_app.py") < patch.index("a/app.py")
    assert content(lab) == kept


@pytest.mark.long
def test_a_fix_that_needs_the_edit_waits_as_a_whole(workspace: Workspace) -> None:
    lab = Lab(workspace)
    lab.use("edits_a_test_too", CHECK)
    ran = lab.refine("--apply", "--format", "agent:agent.txt")
    result = ran.json
    assert (ran.code, result["stop"]) == (ExitCode.ISSUES, "held"), ran
    patch = result["patch"]
    assert (patch["applied"], patch["held"]) == (
        False,
        ["tests/test_app.py:5: the test 'test_half' that you have is edited"],
    )
    assert "existing tests" in patch["reason"]
    assert content(lab) == (APP, TEST)
    diff = (workspace.root / patch["file"]).read_text()
    assert diff.index("tests/test_app.py") < diff.index("a/app.py")
    assert "waits for the person" in (workspace.root / "agent.txt").read_text()
    (workspace.root / "agent.txt").unlink()
    last = result["iterations"][-1]
    assert last["refinement"]["held"] == patch["held"]
    assert last["review"]["verdict"] == "pass"
    shown = said(lab, "show", "--iteration", str(len(result["iterations"])))
    assert "waits for you: tests/test_app.py:5" in shown
    assert f"{patch['id']} waits, because it edits existing tests" in said(lab, "status")
    lab.call("apply")
    assert content(lab) == (MENDED, NEW_TEST)


@pytest.mark.parametrize("config", ["", CHECK])
def test_a_person_may_let_fixers_edit_tests(workspace: Workspace, config: str) -> None:
    lab = Lab(workspace)
    lab.use("edits_a_test_too", config, top='tests = "allow"\n')
    ran = lab.refine("--apply", here=True)
    assert (ran.code, ran.json["stop"], ran.json["held"]) == (ExitCode.PASSED, "passed", None), ran
    assert content(lab) == (MENDED, NEW_TEST)


def test_a_repository_may_not(workspace: Workspace) -> None:
    lab = Lab(workspace)
    workspace.write("selfreview.toml", 'tests = "allow"\n')
    assert "tests" in lab.refine("--apply", here=True).err
    assert content(lab) == (APP, TEST)
