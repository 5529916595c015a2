"""Of a working tree that is removed, nothing is lost that stands in no commit, also where git looks away from it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from selfreview.app.pr.worktrees import remove_trees, tree_of
from selfreview.git.repo import Repo, discover
from tests.conftest import Workspace


@pytest.fixture
def repo(workspace: Workspace) -> Repo:
    workspace.write(".gitignore", ".env\nnode_modules/\n__pycache__/\n.a_cache/\nlinked\n")
    workspace.git("add", ".gitignore")
    workspace.git("commit", "--quiet", "-m", "Ignore some files")
    workspace.git("branch", "topic")
    return discover(workspace.root, os.environ)


@pytest.fixture
def tree(repo: Repo) -> Path:
    return tree_of(repo, "origin", "topic", recreate=True)


def write(tree: Path, name: str) -> None:
    (tree / name).parent.mkdir(parents=True, exist_ok=True)
    (tree / name).write_text("mine")


def removed(repo: Repo) -> str | None:
    ((branch, _, why),) = remove_trees(repo, lambda _: True)
    assert branch == "topic"
    return why


@pytest.mark.parametrize("name", [".env", "node_modules/mine/a.js", "new.py"])
def test_what_is_in_no_commit_stays(repo: Repo, tree: Path, name: str) -> None:
    repo.git.run(["config", "status.showUntrackedFiles", "no"])  # git itself goes by that as it removes
    write(tree, name)
    why = removed(repo)
    assert why is not None
    assert why.startswith(f"{name.partition('/')[0]}")
    assert "would be lost with it" in why
    assert (tree / name).read_text() == "mine"


def test_of_several_the_first_is_named(repo: Repo, tree: Path) -> None:
    for name in (".env", "node_modules/a", "__pycache__/a.pyc"):
        write(tree, name)
    assert (removed(repo) or "").startswith(".env and 1 more would be lost")


def test_what_cannot_be_read_stays(repo: Repo, tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tree, "node_modules/a")

    def refuse(_path: Path) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "iterdir", refuse)
    assert removed(repo) == "it cannot be read: Permission denied"
    assert (tree / "node_modules/a").exists()


def test_links_and_caches_are_made_again(repo: Repo, tree: Path, tmp_path: Path) -> None:
    for name in ("__pycache__/a.pyc", ".a_cache/CACHEDIR.TAG", ".a_cache/deep/file"):
        write(tree, name)
    write(tmp_path, "theirs/a.js")
    (tree / "linked").symlink_to(tmp_path / "theirs")
    (tree / "node_modules").mkdir()
    (tree / "node_modules" / "a").symlink_to(tmp_path / "theirs")
    assert removed(repo) is None
    assert not tree.exists()
    assert (tmp_path / "theirs/a.js").exists()
