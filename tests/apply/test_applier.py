"""Applying and undoing: each file old or new at any moment, the set completed or taken back, nothing of theirs lost."""

from __future__ import annotations

import _thread
import os
import shlex
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from selfreview.apply import file_swap
from selfreview.apply.applier import Applier
from selfreview.apply.patches import replace_durably
from selfreview.cli.terminal import uninterrupted
from selfreview.errors import ApplyError, Interrupted
from selfreview.git.repo import discover
from selfreview.git.worktree_files import Entry
from tests.conftest import Workspace as Person
from tests.refine.lab import AT, keep, tree_of, workspace_of

from .cutting import killed_at, unclosed
from .scene import Scene, copied, expected


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "fsync", lambda _descriptor: None)  # it is the order of steps that is tested, not the disk


def test_apply_and_undo(scene: Scene) -> None:
    index = (scene.person.root / ".git" / "index").read_bytes()
    scene.applier.apply(scene.patch, staged=False, at=AT)
    assert scene.tree == expected(scene)
    scene.applier.undo(AT)
    assert scene.tree == scene.before
    assert (scene.person.root / ".git" / "index").read_bytes() == index
    with pytest.raises(ApplyError, match="there is nothing to undo"):
        scene.applier.undo(AT)


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
    assert "git apply --reverse --reject" in str(caught.value.hint)
    assert scene.tree == mine


def test_what_an_undo_that_is_refused_hints_at_takes_back_what_still_fits(scene: Scene) -> None:
    """None of it is committed."""
    scene.applier.apply(scene.patch, staged=False, at=AT)
    scene.person.write("folder/fresh.py", "mine\n")
    with pytest.raises(ApplyError) as caught:
        scene.applier.undo(AT)
    command = str(caught.value.hint).partition(": ")[2]
    ran = subprocess.run(shlex.split(command), cwd=scene.person.root, capture_output=True, text=True, check=False)
    tree = scene.tree
    assert tree["both.py"] == scene.before["both.py"], ran.stderr
    assert tree["edited.py"] == scene.before["edited.py"]
    assert tree["folder/fresh.py"][1] == b"mine\n"


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


def test_an_interrupt_as_it_begins_leaves_no_journal(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    write = replace_durably

    def interrupted(path: Path, data: bytes) -> None:
        write(path, data)
        _thread.interrupt_main()

    monkeypatch.setattr("selfreview.apply.applier.replace_durably", interrupted)
    with pytest.raises(Interrupted):
        scene.applier.apply(scene.patch, staged=False, at=AT)
    assert not scene.applier.interrupted
    assert scene.tree == expected(scene)


def test_a_file_that_cannot_be_written_takes_all_of_it_back(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    make = file_swap._make

    def fail(path: Path, entry: Entry, permissions: int | None) -> None:
        if entry.data.startswith(b"n = 10"):
            raise OSError("no space left")
        make(path, entry, permissions)

    monkeypatch.setattr(file_swap, "_make", fail)
    with pytest.raises(ApplyError, match=r"no space left.*nothing was changed"):
        scene.applier.apply(scene.patch, staged=True, at=AT)
    assert scene.tree == scene.before
    assert not scene.applier.interrupted


@pytest.mark.parametrize("step", ["write", "rename"])
def test_what_could_not_be_finished_is_not_left_in_the_tree(
    scene: Scene, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    make, place = file_swap._make, file_swap._place_new

    def half_of_it(path: Path, entry: Entry, permissions: int | None) -> None:
        if path.parent.name == "folder":
            path.write_bytes(entry.data[:1])
            raise OSError("file too large")
        make(path, entry, permissions)

    def stays(half: Path, target: Path) -> None:
        if target.parent.name == "folder":
            raise OSError("it cannot be renamed")
        place(half, target)

    def everything() -> list[Path]:
        return sorted(path for path in scene.person.root.rglob("*") if ".git" not in path.parts)

    monkeypatch.setattr(file_swap, *(("_make", half_of_it) if step == "write" else ("_place_new", stays)))
    before = everything()
    with pytest.raises(ApplyError, match="nothing was changed"):
        scene.applier.apply(scene.patch, staged=False, at=AT)
    assert everything() == before


def test_where_it_cannot_be_taken_back_either_the_next_command_does(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    make, full = file_swap._make, False

    def fail(path: Path, entry: Entry, permissions: int | None) -> None:
        nonlocal full
        full = full or entry.data.startswith(b"n = 10")
        if full:
            raise OSError("no space left")
        make(path, entry, permissions)

    monkeypatch.setattr(file_swap, "_make", fail)
    with pytest.raises(ApplyError, match=r"no space left, nor can it be taken back now: .*no space left") as caught:
        scene.applier.apply(scene.patch, staged=True, at=AT)
    assert caught.value.hint is not None
    assert scene.applier.interrupted
    with pytest.raises(ApplyError, match=r"the interrupted apply or undo cannot be completed: .*no space left"):
        scene.applier.recover()
    monkeypatch.setattr(file_swap, "_make", make)
    hidden = scene.patch.folder.rename(scene.patch.folder.with_name("elsewhere"))
    with pytest.raises(ApplyError, match="which is not kept any more"):
        scene.applier.recover()
    hidden.rename(scene.patch.folder)
    done = scene.applier.recover()
    assert done is not None
    assert done.completed
    assert scene.tree == expected(scene)
    scene.applier.undo(AT)
    assert scene.tree == scene.before


def copies(scene: Scene, tmp_path: Path) -> Iterator[Scene]:
    """Return the scene again and again, each in a fresh copy."""
    number = 0
    while True:
        number += 1
        made = copied(scene, tmp_path / f"copy{number}")
        yield made
        shutil.rmtree(made.person.root)


def assert_old_or_new(tree: dict[str, tuple[int, bytes]], old: dict[str, Any], new: dict[str, Any]) -> None:
    for path in {*old, *new}:
        assert tree.get(path) in (old.get(path), new.get(path)), path


@unclosed
@pytest.mark.parametrize(("staged", "stride"), [(False, 211), (True, 331)], ids=["tree", "index"])
@pytest.mark.parametrize("undo", [False, True], ids=["apply", "undo"])
def test_cut_off_at_any_line(
    scene: Scene, tmp_path: Path, request: pytest.FixtureRequest, *, staged: bool, stride: int, undo: bool
) -> None:
    """The tree is whole, and the next command brings the set to its end."""
    stride = stride // 6 if request.config.getoption("--long") else stride
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


@pytest.mark.long
@unclosed
def test_cut_off_and_edited_meanwhile(scene: Scene, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    """What the person wrote stays, and the rest of the set is taken back."""
    stride = 19 if request.config.getoption("--long") else 83
    cut = 0
    met = 0
    for copy in copies(scene, tmp_path):
        if not killed_at(1 + cut * stride, lambda copy=copy: copy.applier.apply(copy.patch, staged=False, at=AT)):
            break
        cut += 1
        copy.person.write("new.py", "mine\n")
        done = copy.applier.recover()
        if done is None:
            continue
        if done.completed:  # all was done but for the end of the journal: theirs is later work
            assert copy.tree == {**expected(scene), "new.py": (scene.before["new.py"][0], b"mine\n")}
            continue
        met += 1
        assert done.skipped == ("new.py",)
        assert copy.tree == {**scene.before, "new.py": (scene.before["new.py"][0], b"mine\n")}
    assert met > 1


def test_a_folder_that_holds_something_of_the_persons_does_not_make_room(scene: Scene) -> None:
    scene.person.write("spot/file.txt", "1\n")
    scene.person.write("spot/ignored.log", "theirs\n")
    one, two = Entry("100644", b"1\n"), Entry("100644", b"2\n")
    patch = scene.store.keep({"spot": (None, two), "spot/file.txt": (one, None)}, b"", at=AT, iteration=1)
    before = scene.tree
    with pytest.raises(ApplyError, match="spot is not what it was when it was reviewed; nothing was changed"):
        scene.applier.apply(patch, staged=False, at=AT)
    assert scene.tree == before
    (scene.person.root / "spot/ignored.log").unlink()
    scene.applier.apply(patch, staged=False, at=AT)
    assert (scene.person.root / "spot").read_bytes() == b"2\n"


@pytest.mark.parametrize("name", ["core.autocrlf=true", "core.fileMode=false"])
def test_a_file_outside_of_the_change_that_git_sees_as_unchanged(workspace: Person, tmp_path: Path, name: str) -> None:
    """Its line ends or its mode are not those that git would write."""
    workspace.git("switch", "--quiet", "main")
    workspace.commit("tool", **{"tool.sh": b"#!/bin/sh\n"})
    workspace.git("update-index", "--chmod=+x", "tool.sh")
    workspace.git("commit", "--quiet", "--message", "executable")
    workspace.git("reset", "--quiet", "--hard")
    workspace.git("switch", "--quiet", "work")
    workspace.git("reset", "--quiet", "--hard", "main")
    workspace.git("config", *name.split("="))
    if name == "core.fileMode=false":
        (workspace.root / "tool.sh").chmod(0o644)
    workspace.write("new.py", "n = 1\n")
    before = tree_of(workspace.root)
    with workspace_of(workspace, tmp_path) as (repo, scratch):
        store, patch = keep(repo, scratch, {"tool.sh": Entry("100755", b"#!/bin/sh\nexec true\n")})
    applier = Applier(repo, store, uninterrupted)
    applier.apply(patch, staged=False, at=AT)
    after = tree_of(workspace.root)
    assert after["tool.sh"] == (before["tool.sh"][0], b"#!/bin/sh\nexec true\n")
    applier.undo(AT)
    assert tree_of(workspace.root) == before
    (workspace.root / "tool.sh").write_bytes(b"#!/bin/sh\nmine\n")
    with pytest.raises(ApplyError, match="is not what it was when it was reviewed"):
        applier.apply(patch, staged=False, at=AT)


def test_a_folder_of_gits_that_cannot_be_written_is_no_crash(scene: Scene) -> None:
    folder = scene.person.root / ".git" / "selfreview"
    (folder / "apply.lock").mkdir(parents=True)
    (folder / "journal.json").write_text("{}")
    with pytest.raises(ApplyError, match="git's folder cannot be written"):
        scene.applier.recover()


def test_an_undo_is_of_the_tree_in_which_it_was_applied(scene: Scene, tmp_path: Path) -> None:
    """One git directory may have several, by ``GIT_WORK_TREE``."""
    scene.applier.apply(scene.patch, staged=False, at=AT)
    other = tmp_path / "elsewhere"
    shutil.copytree(scene.person.root, other, symlinks=True, ignore=shutil.ignore_patterns(".git"))
    before = tree_of(other)
    environ = {**os.environ, "GIT_DIR": str(scene.person.root / ".git"), "GIT_WORK_TREE": str(other)}
    applier = Applier(discover(other, environ), scene.store, uninterrupted)
    with pytest.raises(ApplyError, match="in the working tree of this repository"):
        applier.undo(AT)
    assert tree_of(other) == before
    last = scene.person.root / ".git" / "selfreview" / "applied.json"
    last.rename(last.with_name("journal.json"))
    assert applier.recover() is None
    assert tree_of(other) == before
