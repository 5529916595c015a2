"""A repository can put no program of its own in the place of a tool."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

import pytest

from selfreview.errors import ToolError
from selfreview.git.run import Git, git_environment
from selfreview.proc import Runner, clean_environment
from selfreview.programs import find_on_path, safe_path

posix = pytest.mark.skipif(sys.platform == "win32", reason="the hostile programs are shell scripts")
ONLY_HERE = "a-tool-that-no-machine-has"  # for where the system's own folders are searched, too


@pytest.fixture
def hostile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder, the current one, with programs of well-known names that leave a mark when they run."""
    for name in ("git", ONLY_HERE, "env"):
        program = tmp_path / name
        program.write_text(f"#!/bin/sh\necho {name} >> '{tmp_path}/ran'\n")
        program.chmod(0o755)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture(params=["", ".", "./", "../{name}"])
def path(request: pytest.FixtureRequest, hostile: Path) -> str:
    """Return a PATH whose first entry leads to the hostile folder."""
    return request.param.format(name=hostile.name) + os.pathsep + os.environ["PATH"]


@posix
def test_git_is_the_persons_own(hostile: Path, path: str) -> None:
    for environ in ({**os.environ, "PATH": path}, git_environment({**os.environ, "PATH": path})):
        git = Git(hostile, environ)
        assert git.run(["version"]).startswith(b"git version")
        assert Path(git.program).is_absolute()
    assert not (hostile / "ran").exists()


@posix
def test_what_git_starts_is_the_persons_own(hostile: Path, path: str) -> None:
    git = Git(hostile, git_environment({**os.environ, "PATH": path}))
    git.run(["-c", "alias.x=!env true", "x"])
    assert not (hostile / "ran").exists()


@posix
def test_a_tool_and_what_it_starts_are_the_persons_own(hostile: Path, path: str) -> None:
    runner = Runner({**os.environ, "PATH": path})
    assert runner.run(["git", "version"], cwd=hostile, timeout=60).stdout.startswith(b"git version")
    runner.run(["sh", "-c", "env true"], cwd=hostile, timeout=60)
    assert not (hostile / "ran").exists()


@posix
def test_a_tool_that_only_the_repository_has_is_not_there(hostile: Path) -> None:
    environ = {"PATH": os.pathsep.join(["", "."])}
    assert find_on_path(ONLY_HERE, environ) is None
    with pytest.raises(ToolError, match="no such program"):
        Runner(environ).run([ONLY_HERE], cwd=hostile, timeout=60)
    assert not (hostile / "ran").exists()


@posix
def test_the_hook_that_answers_early_uses_the_persons_own_git(
    hostile: Path, path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    from selfreview.cli.entry import answer_hook

    Git(hostile, git_environment(os.environ)).run(["init", "--quiet"])
    monkeypatch.setenv("PATH", path)
    assert answer_hook(["pre-commit"])
    assert not (hostile / "ran").exists()


@pytest.mark.parametrize("path", ["", ".", "bin", os.pathsep, os.pathsep.join(["", ".", "a/b"])])
def test_a_path_without_absolute_folders_is_the_systems_default(path: str) -> None:
    folders = clean_environment({"PATH": path})["PATH"].split(os.pathsep)
    assert safe_path(path).split(os.pathsep) == folders == [f for f in os.defpath.split(os.pathsep) if f[:1] != "."]


def test_absolute_folders_stay_in_their_order(tmp_path: Path) -> None:
    folders = [str(tmp_path / "b"), str(tmp_path / "a")]
    assert safe_path(os.pathsep.join([folders[0], ".", "", folders[1]])) == os.pathsep.join(folders)
    assert find_on_path("git", os.environ) == shutil.which("git")
