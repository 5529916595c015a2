"""How often a review starts git: each time costs as much as the reviewing of a small file."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from tests.conftest import Workspace

CLEAN = "def add(a, b):\n    return a + b\n"


@pytest.fixture
def started(workspace: Workspace, tmp_path: Path) -> Path:
    """The file in which a git on PATH writes a line for each start of it; the work has two commits in a folder."""
    lines, git = tmp_path / "started", tmp_path / "bin" / "git"
    git.parent.mkdir()
    git.write_text(f'#!/bin/sh\necho "$@" >> {lines}\nexec {shutil.which("git")} "$@"\n')
    git.chmod(0o755)
    workspace.commit("one", **{"src/calc.py": CLEAN})
    workspace.commit("two", **{"src/calc.py": f"{CLEAN}\n\nLIMIT = 3\n", "README.md": "# Changed\n"})
    return lines


@pytest.mark.skipif(os.name == "nt", reason="the git on PATH is a shell script")
@pytest.mark.parametrize(
    ("arguments", "most"),
    [
        (("run", "--no-fix"), 11),
        (("run", "--no-fix", "--base", "main"), 13),
        (("gate", "--base", "main"), 14),
        (("hook", "run", "pre-commit"), 8),
    ],
    ids=["run", "run with a base", "gate", "hook"],
)
def test_a_review_starts_git_a_few_times_only(
    workspace: Workspace, started: Path, arguments: tuple[str, ...], most: int
) -> None:
    if arguments[0] == "hook":
        workspace.write("src/calc.py", f"{CLEAN}\n\nLIMIT = 4\n")
        workspace.git("add", "src/calc.py")
    path = f"{started.parent / 'bin'}{os.pathsep}{os.environ['PATH']}"
    ran = workspace.selfreview(*arguments, "--format", "json", PATH=path)
    assert ran.json["passed"] is True
    asked = started.read_text().splitlines()
    assert 0 < len(asked) <= most, "\n".join(asked)
