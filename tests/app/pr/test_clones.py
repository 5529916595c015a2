"""A watcher's own clone, and a remote that never answers."""

from __future__ import annotations

import os
import socket
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from selfreview.app.pr.worktrees import ManagedClone
from selfreview.errors import CycleError, GitError
from selfreview.git.repo import discover
from selfreview.proc import Runner
from selfreview.pullrequest.git import env as git_env
from selfreview.pullrequest.git.branch import Branch
from tests.conftest import Workspace


@pytest.fixture
def silent() -> Iterator[str]:
    """The address of a repository on a server that takes connections and says nothing."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield f"git://127.0.0.1:{server.getsockname()[1]}/x.git"


def clone(folder: Path, url: str, timeout_s: float = 60.0, runner: Runner | None = None, **env: str) -> ManagedClone:
    environ = {**os.environ, **env}
    return ManagedClone(folder, url, "origin", environ, runner=runner or Runner(), timeout_s=lambda: timeout_s)


def test_it_is_made_once_and_follows_the_remote(workspace: Workspace, tmp_path: Path) -> None:
    made = clone(tmp_path / "clone", str(workspace.root))
    assert made() == tmp_path / "clone"
    later = workspace.commit("later", **{"later.txt": "later\n"})
    made()
    said = subprocess.run(["git", "rev-parse", "HEAD"], cwd=tmp_path / "clone", capture_output=True, check=True)
    assert said.stdout.decode().strip() == later


def test_what_git_says_is_told(tmp_path: Path) -> None:
    with pytest.raises(CycleError, match="git fetch failed"):
        clone(tmp_path / "clone", str(tmp_path / "nowhere"))()


def test_a_remote_that_never_answers_is_given_up(tmp_path: Path, silent: str) -> None:
    with pytest.raises(CycleError, match="did not finish within"):
        clone(tmp_path / "clone", silent, 0.5)()


def test_what_git_started_ends_with_it(tmp_path: Path) -> None:
    # It holds the pipe open for as long as it lives.
    os.mkfifo(tmp_path / "alive")
    script = tmp_path / "ssh"
    script.write_text(f"#!/bin/sh\nexec 3>{tmp_path}/alive\nsleep 600\n")
    script.chmod(0o755)
    alive: list[bytes] = []
    reader = threading.Thread(target=lambda: alive.append((tmp_path / "alive").read_bytes()))
    reader.start()
    with pytest.raises(CycleError, match="did not finish within"):
        clone(tmp_path / "clone", "ssh://h.example/x.git", 2.0, GIT_SSH=str(script))()
    reader.join(60)
    assert alive == [b""]


def test_it_ends_when_everything_is_to_end(tmp_path: Path, silent: str) -> None:
    runner, errors = Runner(), []

    def make() -> None:
        with pytest.raises(CycleError) as caught:
            clone(tmp_path / "clone", silent, 600.0, runner)()
        errors.append(caught.value)

    thread = threading.Thread(target=make)
    thread.start()
    while not (tmp_path / "clone" / ".git" / "config").is_file():
        thread.join(0.01)
    runner.kill_all()
    thread.join(60)
    assert len(errors) == 1


def test_others_wait_only_so_long(tmp_path: Path) -> None:
    made = clone(tmp_path / "clone", "x", 0.1)
    with made._lock, pytest.raises(CycleError, match="for too long"):
        made()


@pytest.mark.long
def test_a_branch_s_remote_that_never_answers_is_given_up(
    workspace: Workspace, silent: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(git_env, "LONGEST_S", 0.5)
    workspace.git("remote", "add", "silent", silent)
    branch = Branch(discover(workspace.root, os.environ), "silent", "main", os.environ)
    for ask in (branch.fetch, branch.there, lambda: branch.push(branch.head(), None, hooks=False)):
        with pytest.raises(GitError, match="did not finish within"):
            ask()
