"""Workspaces come, go, and are swept up after a process that was killed."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from selfreview.git.collect_change import collect
from selfreview.git.repo import Repo, discover
from selfreview.git.scope import ScopeRequest
from selfreview.git.workspace import Workspace
from selfreview.model.wire import to_json
from selfreview.refine.scratch import Record, scratch, sweep
from tests.conftest import Workspace as Person
from tests.git.test_removal import dig
from tests.refine.lab import fill, tree_of

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="modes and links")

LEAVE = """
import contextlib, os, sys
from selfreview.git.collect_change import collect
from selfreview.git.repo import discover
from selfreview.git.scope import ScopeRequest
from selfreview.refine.scratch import scratch
repo = discover(sys.argv[1], os.environ)
with scratch(repo, collect(repo, ScopeRequest()), contextlib.nullcontext) as workspace:
    print(workspace.root, flush=True)
    os._exit(9)
"""


@pytest.fixture
def repo(workspace: Person) -> Repo:
    fill(workspace)
    return discover(workspace.root, os.environ)


@contextlib.contextmanager
def used(repo: Repo) -> Iterator[Workspace]:
    collected = collect(repo, ScopeRequest())
    try:
        with scratch(repo, collected, contextlib.nullcontext) as workspace:
            yield workspace
    finally:
        collected.close()


def left(repo: Repo) -> list[str]:
    folder = repo.common_dir / "selfreview" / "workspaces"
    return sorted(path.name for path in folder.iterdir()) if folder.is_dir() else []


def test_it_is_there_as_long_as_it_is_used_and_private(repo: Repo) -> None:
    before = tree_of(repo.root)
    with used(repo) as workspace:
        root = workspace.root
        assert root.name == repo.root.name
        assert root.parent.stat().st_mode & 0o077 == 0
        assert (root / "new.py").read_bytes() == b"n = 1\n"
        assert not (root / "ignored").exists()
        assert len(left(repo)) == 2
        assert sweep(repo) == 0  # in use
        assert root.is_dir()
    assert not root.parent.exists()
    assert left(repo) == []
    assert tree_of(repo.root) == before


def test_an_error_inside_leaves_nothing(repo: Repo) -> None:
    roots: list[Path] = []

    def fail() -> None:
        with used(repo) as workspace:
            roots.append(workspace.root)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    assert not roots[0].parent.exists()
    assert left(repo) == []


def test_what_a_killed_process_left_is_swept_up(repo: Repo) -> None:
    done = subprocess.run([sys.executable, "-c", LEAVE, str(repo.root)], capture_output=True, check=False)
    assert done.returncode == 9, done
    root = Path(done.stdout.decode().strip())
    assert root.is_dir()
    assert sweep(repo) == 1
    assert not root.parent.exists()
    assert left(repo) == []


def test_a_record_of_something_else_removes_nothing_else(repo: Repo, tmp_path: Path) -> None:
    precious = tmp_path / "precious-ab12cd34"
    precious.mkdir()
    records = repo.common_dir / "selfreview" / "workspaces"
    records.mkdir(parents=True)
    (records / "ab12cd34.json").write_bytes(to_json(Record(folder=str(precious))))
    (records / "cut.json").write_bytes(b'{"fold')
    assert sweep(repo) == 2
    assert precious.is_dir()
    assert left(repo) == []


def test_what_cannot_be_swept_keeps_nobody_from_a_workspace(repo: Repo) -> None:
    records = repo.common_dir / "selfreview" / "workspaces"
    records.mkdir(parents=True)
    (records / "aa.json").mkdir()  # reading it fails, and so does removing it
    (records / "bb.lock").mkdir()
    with used(repo) as workspace:
        assert (workspace.root / "new.py").is_file()
    assert left(repo)[0] == "aa.json"


@pytest.mark.long
def test_a_workspace_with_folders_without_end_is_removed_and_swept(repo: Repo) -> None:
    with used(repo) as workspace:
        dig(workspace.root, 3000)
        folder = workspace.root.parent
    assert not folder.exists()
    done = subprocess.run([sys.executable, "-c", LEAVE, str(repo.root)], capture_output=True, check=False)
    root = Path(done.stdout.decode().strip())
    dig(root, 3000)
    with used(repo):
        assert not root.parent.exists()
    assert left(repo) == []
