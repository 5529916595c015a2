"""A person's repository with a patch that waits."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from selfreview.apply.applier import Applier
from selfreview.apply.patches import Patch, PatchStore
from selfreview.cli.terminal import uninterrupted
from selfreview.git.repo import Repo, discover
from selfreview.git.worktree_files import Entry
from tests.conftest import Workspace as Person
from tests.refine.lab import fill, keep, tree_of, workspace_of

EDITS: dict[str, Entry | None] = {
    "edited.py": Entry("100644", b"a = 10\nb = 3\n"),
    "staged.py": Entry("100644", b"s = 20\n"),
    "both.py": Entry("100644", b"p = 20\nq = 3\n"),
    "crlf.txt": Entry("100644", b"one\r\ntwo!\r\n"),
    "kept.txt": None,
    "new.py": Entry("100644", b"n = 10\n"),
    "folder/fresh.py": Entry("100755", b"#!/usr/bin/env python\n"),
    "tool.sh": Entry("100644", b"#!/bin/sh\n"),
    "new.sh": Entry("100755", b"#!/bin/sh\nexec true\n"),
}


class Scene:
    """A person's repository, and a patch that was kept for it."""

    def __init__(self, person: Person, repo: Repo, store: PatchStore, patch: Patch) -> None:
        self.person = person
        self.repo = repo
        self.store = store
        self.patch = patch
        self.before = tree_of(person.root)

    @property
    def applier(self) -> Applier:
        return Applier(self.repo, self.store, uninterrupted)

    @property
    def tree(self) -> dict[str, tuple[int, bytes]]:
        return tree_of(self.person.root)

    def status(self) -> str:
        return self.person.git("status", "--porcelain=v1")


def copied(scene: Scene, root: Path) -> Scene:
    """Return a copy of a scene in another folder."""
    shutil.copytree(scene.person.root, root, symlinks=True)
    repo = discover(root, os.environ)
    store = PatchStore(repo.common_dir / "selfreview" / "patches")
    return Scene(Person(root), repo, store, store.get(scene.patch.id))


def make_scene(person: Person, tmp_path: Path) -> Scene:
    """Fill a repository, and keep a patch for it."""
    fill(person)
    with workspace_of(person, tmp_path) as (repo, scratch):
        store, patch = keep(repo, scratch, EDITS)
    return Scene(person, repo, store, patch)


def expected(scene: Scene) -> dict[str, tuple[int, bytes]]:
    """Return the tree after the patch: modes of files that stay are theirs but for what may be run."""
    after = dict(scene.before)
    for path, entry in EDITS.items():
        if entry is None:
            del after[path]
            continue
        mode = after[path][0] if path in after else 0o100644
        bits = mode | (mode & 0o444) >> 2 if entry.mode == "100755" else mode & ~0o111
        after[path] = (bits, entry.data)
    return after
