"""Applying and undoing: each file old or new at any moment, the set completed or taken back, nothing of theirs lost."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from selfreview.errors import ApplyError
from selfreview.git.entry import Entry
from selfreview.git.repo import Repo, discover
from selfreview.loop import apply, journal, patches, placing, staging
from selfreview.loop.apply import Applier
from selfreview.loop.patches import Patch, PatchStore
from tests.conftest import Workspace as Person

from .lab import AT, fill, keep, tree_of, workspace_of

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
        return Applier(self.repo, self.store)

    @property
    def tree(self) -> dict[str, tuple[int, bytes]]:
        return tree_of(self.person.root)

    def status(self) -> str:
        return self.person.git("status", "--porcelain=v1")


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "fsync", lambda _descriptor: None)  # it is the order of steps that is tested, not the disk


@pytest.fixture
def scene(workspace: Person, tmp_path: Path) -> Scene:
    fill(workspace)
    with workspace_of(workspace, tmp_path) as (repo, scratch):
        store, patch = keep(repo, scratch, EDITS)
    return Scene(workspace, repo, store, patch)


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


def test_apply_and_undo(scene: Scene) -> None:
    index = (scene.person.root / ".git" / "index").read_bytes()
    scene.applier.apply(scene.patch, staged=False, at=AT)
    assert scene.tree == expected(scene)
    scene.applier.undo(AT)
    assert scene.tree == scene.before
    assert (scene.person.root / ".git" / "index").read_bytes() == index
    with pytest.raises(ApplyError, match="nothing was applied"):
        scene.applier.undo(AT)


def test_staging_takes_what_was_staged_before_and_nothing_else(scene: Scene) -> None:
    before = scene.status()
    scene.applier.apply(scene.patch, staged=True, at=AT)
    assert scene.tree == expected(scene)
    assert scene.person.git("show", ":staged.py") == "s = 20"
    assert scene.person.git("show", ":both.py") == "p = 2\nq = 2"  # it held something else than the tree
    assert "kept.txt" not in scene.person.git("ls-files").split("\n")
    assert "folder/fresh.py" in scene.person.git("ls-files").split("\n")
    scene.applier.undo(AT)
    assert scene.tree == scene.before
    assert scene.person.git("show", ":staged.py") == "s = 2"
    assert scene.status() == before


@pytest.mark.parametrize("path", ["edited.py", "new.py", "crlf.txt"])
def test_a_file_that_was_edited_since_stops_all_of_it(scene: Scene, path: str) -> None:
    scene.person.write(path, "mine\n")
    mine = scene.tree
    with pytest.raises(ApplyError, match=f"{path} is not what it was when it was reviewed; nothing was changed"):
        scene.applier.apply(scene.patch, staged=False, at=AT)
    assert scene.tree == mine


@pytest.mark.parametrize("path", ["edited.py", "folder/fresh.py"])
def test_an_undo_does_not_overwrite_later_work(scene: Scene, path: str) -> None:
    scene.applier.apply(scene.patch, staged=False, at=AT)
    scene.person.write(path, "mine\n")
    mine = scene.tree
    with pytest.raises(ApplyError, match="is not what it was when it was applied") as caught:
        scene.applier.undo(AT)
    assert "git apply --3way --reverse" in str(caught.value.hint)
    assert scene.tree == mine


def test_a_new_file_does_not_take_the_place_of_one_that_appeared(scene: Scene) -> None:
    scene.person.write("folder/fresh.py", "mine\n")
    with pytest.raises(ApplyError, match=r"folder/fresh\.py is not what it was"):
        scene.applier.apply(scene.patch, staged=False, at=AT)


def test_a_folder_that_became_a_link_is_not_followed(scene: Scene, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    shutil.copytree(scene.person.root / "folder", outside)
    shutil.rmtree(scene.person.root / "folder")
    (scene.person.root / "folder").symlink_to(outside)
    with pytest.raises(ApplyError):
        scene.applier.apply(scene.patch, staged=False, at=AT)
    assert not (outside / "fresh.py").exists()


def test_a_file_that_cannot_be_written_takes_all_of_it_back(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    make = placing._make

    def fail(path: Path, entry: Entry, permissions: int | None) -> None:
        if entry.data.startswith(b"n = 10"):
            raise OSError("no space left")
        make(path, entry, permissions)

    monkeypatch.setattr(placing, "_make", fail)
    with pytest.raises(ApplyError, match=r"no space left.*nothing was changed"):
        scene.applier.apply(scene.patch, staged=True, at=AT)
    assert scene.tree == scene.before
    assert not scene.applier.interrupted


def test_a_lock_of_git_takes_all_of_it_back(scene: Scene) -> None:
    lock = scene.person.root / ".git" / "index.lock"
    lock.write_bytes(b"")
    with pytest.raises(ApplyError, match="locked by another process"):
        scene.applier.apply(scene.patch, staged=True, at=AT)
    assert lock.exists()
    lock.unlink()
    assert scene.tree == scene.before


class Killed(BaseException):
    """Stands for a process that is gone: no handler of ours catches it."""


_TRACED = {module.__file__ for module in (apply, journal, patches, placing, staging)}


class Killer:
    """Ends what runs at the n-th line of the modules that write."""

    def __init__(self, line: int) -> None:
        self.left = line

    def __call__(self, frame: FrameType, event: str, arg: Any) -> Any:
        if frame.f_code.co_filename not in _TRACED:
            return None
        if event == "line":
            self.left -= 1
            if self.left == 0:
                raise Killed
        return self


def killed_at(line: int, work: Any) -> bool:
    """Run something until a line; return whether it was cut off there."""
    before = sys.gettrace()
    sys.settrace(Killer(line))
    try:
        work()
    except Killed:
        return True
    finally:
        sys.settrace(before)
    return False


def copies(scene: Scene, tmp_path: Path) -> Iterator[Scene]:
    """Return the scene again and again, each in a fresh copy."""
    number = 0
    while True:
        number += 1
        root = tmp_path / f"copy{number}"
        shutil.copytree(scene.person.root, root, symlinks=True)
        repo = discover(root, os.environ)
        store = PatchStore(repo.common_dir / "selfreview" / "patches")
        yield Scene(Person(root), repo, store, store.get(scene.patch.id))
        shutil.rmtree(root)


def assert_old_or_new(tree: dict[str, tuple[int, bytes]], old: dict[str, Any], new: dict[str, Any]) -> None:
    for path in {*old, *new}:
        assert tree.get(path) in (old.get(path), new.get(path)), path


# A process that is killed closes its files; this one only drops them.
unclosed = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning", "ignore::ResourceWarning")


@unclosed
@pytest.mark.parametrize(("staged", "stride"), [(False, 31), (True, 61)], ids=["tree", "index"])
@pytest.mark.parametrize("undo", [False, True], ids=["apply", "undo"])
def test_cut_off_at_any_line(scene: Scene, tmp_path: Path, *, staged: bool, stride: int, undo: bool) -> None:
    """The tree is whole, and the next command brings the set to its end."""
    new = expected(scene)
    if undo:
        scene.applier.apply(scene.patch, staged=staged, at=AT)
    begin, end = (new, scene.before) if undo else (scene.before, new)
    cut = 0
    for copy in copies(scene, tmp_path):

        def work(copy: Scene = copy) -> None:
            copy.applier.undo(AT) if undo else copy.applier.apply(copy.patch, staged=staged, at=AT)

        was_cut = killed_at(1 + cut * stride, work)
        assert_old_or_new(copy.tree, begin, end)
        recovered = copy.applier.recover()
        assert copy.tree in (begin, end)
        assert copy.tree == end if recovered or not was_cut else True
        assert not copy.applier.interrupted
        assert not (copy.person.root / ".git" / "index.lock").exists()
        copy.person.git("status")  # the index can be read
        if not was_cut:
            break
        cut += 1
    assert cut > 5


@unclosed
def test_cut_off_and_edited_meanwhile(scene: Scene, tmp_path: Path) -> None:
    """What the person wrote stays, and the rest of the set is taken back."""
    cut = 0
    met = 0
    for copy in copies(scene, tmp_path):
        if not killed_at(1 + cut * 41, lambda copy=copy: copy.applier.apply(copy.patch, staged=False, at=AT)):
            break
        cut += 1
        copy.person.write("new.py", "mine\n")
        done = copy.applier.recover()
        if done is None:
            continue
        met += 1
        assert done.left == ("new.py",)
        assert not done.completed
        assert copy.tree == {**scene.before, "new.py": (scene.before["new.py"][0], b"mine\n")}
    assert met > 1


def test_a_git_that_was_killed_with_us_does_not_lock_us_out(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    """What it was writing stays locked, whatever its name was."""
    link = os.link

    def die(source: Path, target: Path, **rest: Any) -> None:
        if target.name == "index.lock":
            source.with_name(f"{source.name}.lock").write_bytes(b"")
            raise Killed
        link(source, target, **rest)

    with monkeypatch.context() as patched:
        patched.setattr(os, "link", die)
        with pytest.raises(Killed):
            scene.applier.apply(scene.patch, staged=True, at=AT)
    recovered = scene.applier.recover()
    assert recovered is not None
    assert recovered.completed
    assert scene.tree == expected(scene)
    assert not list((scene.repo.git_dir / "selfreview").glob("index.*"))
