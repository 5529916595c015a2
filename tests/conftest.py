"""What every test stands on: no configuration of this machine, no network, a repository that is real."""

from __future__ import annotations

import itertools
import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.nursery import run_program

GIT_ENVIRONMENT = {
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_AUTHOR_NAME": "Test Author",
    "GIT_AUTHOR_EMAIL": "author@localhost",
    "GIT_COMMITTER_NAME": "Test Committer",
    "GIT_COMMITTER_EMAIL": "committer@localhost",
    "GIT_AUTHOR_DATE": "2026-01-02T03:04:05Z",
    "GIT_COMMITTER_DATE": "2026-01-02T03:04:05Z",
}


@pytest.fixture(scope="session")
def _homes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Folders that do not exist yet, each for one test."""
    parent = tmp_path_factory.mktemp("homes")
    return (parent / str(number) for number in itertools.count())


@pytest.fixture(autouse=True)
def _hermetic(monkeypatch: pytest.MonkeyPatch, _homes: Iterator[Path]) -> None:
    home = next(_homes)
    home.mkdir()
    _cut_off(monkeypatch, home)


def _cut_off(monkeypatch: pytest.MonkeyPatch, home: Path) -> None:
    """Leave nothing in the environment of what this machine is set up with."""
    for name in list(os.environ):
        if name.startswith(("GIT_", "SELFREVIEW_", "XDG_", "ANTHROPIC_", "PRE_COMMIT")):
            monkeypatch.delenv(name)
    monkeypatch.delenv("PYTHONDONTWRITEBYTECODE", raising=False)  # else every process compiles everything again
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("USERPROFILE", str(home))
    monkeypatch.setenv("SELFREVIEW_CONFIG_DIR", str(home / "config"))
    monkeypatch.setenv("SELFREVIEW_DATA_DIR", str(home / "data"))
    monkeypatch.setenv("XDG_STATE_HOME", str(home / "state"))
    for name, value in GIT_ENVIRONMENT.items():
        monkeypatch.setenv(name, value)


class Ran:
    """How a command line ended."""

    def __init__(self, done: subprocess.CompletedProcess[bytes]) -> None:
        self.code = done.returncode
        self.raw = done.stdout
        self.out = done.stdout.decode("utf-8")
        self.err = done.stderr.decode("utf-8")

    @property
    def json(self) -> Any:
        """Standard output as the one JSON document that it must be."""
        return json.loads(self.out)

    def __repr__(self) -> str:
        return f"<exit {self.code}>\n--- stdout\n{self.out}\n--- stderr\n{self.err}"


class Workspace:
    """A repository in a temporary folder, and the program run in it as a process."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def git(self, *args: str, stdin: bytes | None = None) -> str:
        done = subprocess.run(["git", *args], cwd=self.root, input=stdin, capture_output=True, check=True)
        return done.stdout.decode("utf-8", "surrogateescape").strip()

    def write(self, path: str, content: str | bytes) -> Path:
        target = self.root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content if isinstance(content, bytes) else content.encode())
        return target

    def commit(self, message: str = "change", **files: str | bytes) -> str:
        for path, content in files.items():
            self.write(path, content)
        self.git("add", "--all")
        self.git("commit", "--quiet", "--allow-empty", "--message", message)
        return self.git("rev-parse", "HEAD")

    def selfreview(self, *args: str, cwd: Path | None = None, stdin: bytes = b"", **env: str) -> Ran:
        """Run the program as a process of its own."""
        done = run_program(args, cwd=cwd or self.root, env={**os.environ, **env}, stdin=stdin)
        return Ran(done)

    def review(self, *args: str, **env: str) -> Any:
        """Run ``selfreview run --format json`` and return the document."""
        return self.selfreview("run", "--format", "json", *args, **env).json


@pytest.fixture(scope="session")
def _first_commit(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What every repository begins as: made once, because making it takes longer than most tests do."""
    root = tmp_path_factory.mktemp("first-commit") / "repo"
    root.mkdir()
    space = Workspace(root)
    with pytest.MonkeyPatch.context() as patch:
        _cut_off(patch, root.parent)
        space.git("init", "--quiet", "--initial-branch=main")
        space.commit("first", **{"README.md": "# Sample\n"})
        space.git("switch", "--quiet", "--create", "work")
    for sample in (root / ".git" / "hooks").iterdir():
        sample.unlink()
    return root


@pytest.fixture
def workspace(tmp_path: Path, _first_commit: Path) -> Workspace:
    """A repository on ``main`` with one commit, and a branch ``work`` checked out."""
    space = Workspace(tmp_path / "repo")
    shutil.copytree(_first_commit, space.root, symlinks=True)
    space.git("update-index", "-q", "--refresh")  # a copy has inodes of its own
    return space
