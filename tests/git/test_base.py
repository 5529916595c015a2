"""The base that nobody named."""

from __future__ import annotations

from pathlib import Path

from selfreview.errors import ExitCode
from tests.conftest import Workspace


def test_a_remote_head_that_dangles_is_mended_by_the_hint(workspace: Workspace, tmp_path: Path) -> None:
    workspace.git("clone", "--quiet", "--bare", "--branch", "main", ".", str(tmp_path / "remote.git"))
    workspace.git("-C", str(tmp_path / "remote.git"), "symbolic-ref", "HEAD", "refs/heads/main")
    workspace.git("remote", "add", "origin", str(tmp_path / "remote.git"))
    workspace.git("symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/master")
    workspace.write("app.py", "LIMIT = 3\n")
    ran = workspace.selfreview("run")
    assert ran.code == ExitCode.USAGE
    assert "error: origin/HEAD points at 'origin/master', which does not exist here\n" in ran.err
    (hint,) = [line for line in ran.err.splitlines() if line.startswith("hint: ")]
    commands = hint.removeprefix("hint: ").partition(",")[0].split(" && ")
    assert commands[-1] == "git remote set-head origin --auto"
    for command in commands:
        workspace.git(*command.split()[1:])
    assert workspace.review()["scope"]["base"] == "origin/main"
