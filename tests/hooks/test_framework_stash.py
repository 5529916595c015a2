"""Under pre-commit with unstaged changes, which it takes out of the tree while its hooks run, and puts back."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.conftest import Workspace
from tests.hooks.hooked import BAD, STOPPED
from tests.hooks.test_framework import Framework
from tests.refine.lab import tree_of

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="entry points found through PATH")

KILLED = """
import os, signal
from selfreview.api import hookimpl

@hookimpl
def selfreview_configure(config):
    os.kill(os.getpid(), getattr(signal, os.environ["DEATH"]))
"""


@pytest.fixture
def framework(workspace: Workspace, tmp_path: Path) -> Framework:
    """With a good change staged, and everything else that a tree can hold not staged."""
    made = Framework(workspace, tmp_path / "pre-commit")
    made.commit("both.txt", "one\n")
    made.commit("crlf.txt", "one\r\ntwo\r\n")
    made.commit("binary.bin", "\0\1")
    made.commit("gone.txt", "gone\n")
    workspace.git("branch", "--force", "main")
    made.install("pre-commit")
    workspace.write("both.txt", "one\ntwo\n")
    workspace.git("add", "both.txt")
    workspace.write("both.txt", "one\ntwo\n" + BAD)
    workspace.write("crlf.txt", b"one\r\nTWO\r\nno line end")
    workspace.write("binary.bin", bytes(range(256)))
    workspace.write("new.txt", BAD)
    (workspace.root / "gone.txt").unlink()
    return made


def everything(framework: Framework) -> dict[str, tuple[bool, bytes]]:
    """Return by path whether a file can be run, and its bytes."""
    return {path: (bool(mode & 0o100), data) for path, (mode, data) in tree_of(framework.space.root).items()}


def test_what_is_staged_is_reviewed_and_the_rest_comes_back(framework: Framework) -> None:
    before = everything(framework)
    ran = framework.run("git", "commit", "-m", "good")
    assert ran.code == 0, ran
    assert "Stashing unstaged files" in ran.out + ran.err
    assert everything(framework) == before
    assert framework.space.git("show", "HEAD:both.txt") == "one\ntwo"
    assert framework.space.git("diff", "--cached", "--name-only") == ""


def test_a_commit_that_is_stopped_leaves_all_as_it_was(framework: Framework) -> None:
    framework.space.git("add", "both.txt")
    framework.space.write("both.txt", "good\n")  # clean in the tree, and not what a commit would take
    before, index = everything(framework), framework.space.git("ls-files", "--stage")
    ran = framework.run("git", "commit", "-m", "bad")
    assert ran.code == 1
    assert STOPPED in ran.out + ran.err
    assert "both.txt:3" in ran.out + ran.err
    assert everything(framework) == before
    assert framework.space.git("ls-files", "--stage") == index


@pytest.mark.parametrize(
    "death", ["SIGKILL", *(pytest.param(name, marks=pytest.mark.long) for name in ("SIGTERM", "SIGINT"))]
)
def test_a_hook_that_is_killed_stops_the_commit_and_loses_nothing(
    framework: Framework, tmp_path: Path, death: str
) -> None:
    (tmp_path / "killing_plugin.py").write_text(KILLED)
    framework.env |= {"PYTHONPATH": str(tmp_path), "SELFREVIEW_PLUGINS": "killing_plugin", "DEATH": death}
    before, index = everything(framework), framework.space.git("ls-files", "--stage")
    head = framework.space.git("rev-parse", "HEAD")
    ran = framework.run("git", "commit", "-m", "good")
    assert ran.code != 0, ran
    assert "selfreview" in ran.out + ran.err
    assert everything(framework) == before
    assert (framework.space.git("rev-parse", "HEAD"), framework.space.git("ls-files", "--stage")) == (head, index)
    assert not (framework.space.root / ".git" / "index.lock").exists()
