"""Where workspaces lie: whatever cut a run off, the next one leaves nothing of it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from selfreview.git.collect import collect
from selfreview.git.repo import Repo, discover
from selfreview.git.scope import Request
from selfreview.loop import scratch as module
from selfreview.loop.scratch import scratch, sweep
from tests.conftest import Workspace as Person


@pytest.fixture
def repo(workspace: Person, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repo:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    workspace.write("a.txt", "a\n")
    return discover(workspace.root, os.environ)


def left(repo: Repo, tmp_path: Path) -> list[Path]:
    records, places = repo.common_dir / "selfreview" / "workspaces", tmp_path / "cache" / "selfreview" / "workspaces"
    return [path for folder in (records, places) if folder.is_dir() for path in folder.iterdir()]


@pytest.mark.parametrize("where", ["to_json", "make_workspace"])
def test_an_interruption_while_it_is_made_leaves_nothing(
    repo: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, where: str
) -> None:
    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(module, where, stop)
    collected = collect(repo, Request())
    with pytest.raises(KeyboardInterrupt), scratch(repo, collected):
        pass
    collected.close()
    assert left(repo, tmp_path) == []


def test_a_lock_without_a_record_is_swept(repo: Repo, tmp_path: Path) -> None:
    """Its process was killed between the two."""
    records = repo.common_dir / "selfreview" / "workspaces"
    records.mkdir(parents=True)
    (records / "0123abcd.lock").write_bytes(b"")
    sweep(repo)
    assert left(repo, tmp_path) == []


def test_a_workspace_in_use_is_not_swept(repo: Repo, tmp_path: Path) -> None:
    collected = collect(repo, Request())
    with scratch(repo, collected) as made:
        there = left(repo, tmp_path)
        assert len(there) == 3
        assert sweep(repo) == 0
        assert left(repo, tmp_path) == there
        assert made.read("a.txt") is not None
    collected.close()
    assert left(repo, tmp_path) == []
