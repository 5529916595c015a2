"""The digest of a person's git folder changes with what must not change, and with nothing else."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from selfreview.guard.surroundings import surroundings


def git(root: Path, *arguments: str) -> str:
    return subprocess.run(["git", *arguments], cwd=root, check=True, capture_output=True, text=True).stdout.strip()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    git(tmp_path, "init", "-q", "-b", "main")
    git(tmp_path, "commit", "-q", "--allow-empty", "-m", "a")
    git(tmp_path, "branch", "other")
    return tmp_path / ".git"


def append(name: str) -> Callable[[Path], object]:
    def act(folder: Path) -> None:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes((path.read_bytes() if path.exists() else b"") + b"\n# x\n")

    return act


CHANGES: dict[str, Callable[[Path], object]] = {
    "a hook": append("hooks/pre-commit"),
    "settings": append("config"),
    "settings of the worktree": append("config.worktree"),
    "what is excluded": append("info/exclude"),
    "attributes": append("info/attributes"),
    "borrowed objects": append("objects/info/alternates"),
    "a submodule's hook": append("modules/lib/hooks/post-checkout"),
    "a hook of a submodule in a folder": append("modules/libs/deep/lib/hooks/post-checkout"),
    "settings of a submodule in a folder": append("modules/libs/lib/config"),
    "a submodule of a submodule": append("modules/a/b/modules/c/d/hooks/pre-push"),
    "a submodule called objects": append("modules/objects/hooks/pre-push"),
    "attributes of a submodule": append("modules/libs/lib/info/attributes"),
    "a linked worktree's settings": append("worktrees/w/config.worktree"),
    "a new branch": lambda folder: git(folder.parent, "branch", "new"),
    "a branch that is gone": lambda folder: git(folder.parent, "branch", "-D", "other"),
    "a commit": lambda folder: git(folder.parent, "commit", "-q", "--allow-empty", "-m", "b"),
    "another branch": lambda folder: git(folder.parent, "symbolic-ref", "HEAD", "refs/heads/other"),
    "a tag": lambda folder: git(folder.parent, "tag", "v1"),
}

MOVED = {"a new branch", "a branch that is gone", "a commit", "another branch", "a tag"}
"""What a person does while they work."""


@pytest.mark.parametrize("what", CHANGES)
def test_changes_with(folder: Path, what: str) -> None:
    before = surroundings(folder)

    CHANGES[what](folder)

    after = surroundings(folder)
    assert after != before
    assert (after.settings == before.settings) is (what in MOVED)
    assert (after.references == before.references) is (what not in MOVED)


@pytest.mark.skipif(os.name == "nt", reason="modes and links are those of POSIX")
def test_changes_with_the_mode_of_a_hook_and_a_link_in_its_place(folder: Path) -> None:
    hook = folder / "hooks" / "pre-push"
    hook.parent.mkdir(exist_ok=True)
    hook.write_bytes(b"#!/bin/sh\n")
    hook.chmod(0o644)
    seen = [surroundings(folder)]
    hook.chmod(0o755)
    seen.append(surroundings(folder))
    hook.rename(folder / "elsewhere")
    hook.symlink_to(folder / "elsewhere")
    seen.append(surroundings(folder))
    (folder / "elsewhere").write_bytes(b"#!/bin/sh\nevil\n")

    assert len({*seen, surroundings(folder)}) == 4


@pytest.mark.parametrize(
    "act",
    [
        lambda folder: git(folder.parent, "pack-refs", "--all"),
        lambda folder: git(folder.parent, "update-ref", "refs/remotes/origin/main", "HEAD"),
        lambda folder: git(folder.parent, "gc", "-q"),
        lambda folder: git(folder.parent, "read-tree", "HEAD"),
    ],
    ids=["packing", "fetching", "tidying", "another index"],
)  # fmt: skip
def test_stays_the_same_when_git_only_tidies_or_looks_at_a_remote(folder: Path, act: Callable[[Path], object]) -> None:
    before = surroundings(folder)

    act(folder)

    assert surroundings(folder) == before


def test_stays_the_same_when_git_looks_at_the_remote_of_a_submodule(folder: Path) -> None:
    git(folder.parent, "init", "-q", "--bare", str(folder / "modules" / "lib"))
    before = surroundings(folder)

    git(folder / "modules" / "lib", "symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/main")

    assert surroundings(folder) == before


def test_a_folder_that_is_not_there_has_a_digest(tmp_path: Path) -> None:
    assert surroundings(tmp_path / "none") == surroundings(tmp_path / "nothing")
