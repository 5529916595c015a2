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


def _single_branch(workspace: Workspace, tmp_path: Path) -> None:
    """Make the workspace one that knows of its remote only the branch that is checked out."""
    remote = tmp_path / "remote.git"
    workspace.git("clone", "--quiet", "--bare", ".", str(remote))
    workspace.git("-C", str(remote), "symbolic-ref", "HEAD", "refs/heads/main")
    workspace.git("remote", "add", "-t", "work", "origin", str(remote))
    workspace.git("fetch", "--quiet", "origin")
    workspace.git("branch", "--quiet", "-D", "main")


def test_the_only_branch_of_a_clone_is_not_taken_for_the_default_one(workspace: Workspace, tmp_path: Path) -> None:
    workspace.commit("limit", **{"app.py": "LIMIT = 3\n"})
    _single_branch(workspace, tmp_path)
    for arguments in ((), ("--base", "origin/main")):
        ran = workspace.selfreview("run", *arguments)
        assert ran.code == ExitCode.USAGE, ran
        assert ("names no commit" if arguments else "error: no base found") in ran.err
        assert "hint: git fetch origin +refs/heads/main:refs/remotes/origin/main" in ran.err
    workspace.git("fetch", "--quiet", "origin", "+refs/heads/main:refs/remotes/origin/main")
    assert workspace.review()["scope"]["base"] == "origin/main"
    assert "hint: --base origin/main" in workspace.selfreview("run", "--base", "main").err


def test_the_only_branch_is_the_default_one_where_nothing_was_fetched(workspace: Workspace) -> None:
    workspace.git("branch", "--quiet", "-D", "main")
    assert workspace.selfreview("run").code == ExitCode.PASSED
    workspace.git("remote", "add", "origin", "nowhere.git")
    assert workspace.selfreview("run").code == ExitCode.PASSED
