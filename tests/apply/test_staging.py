"""Staging what is applied: the index is old or new at any moment, and goes back with the tree."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

import pytest

from selfreview.apply.patches import replace_durably
from selfreview.errors import ApplyError
from selfreview.git.worktree_files import Entry
from tests.refine.lab import AT

from .cutting import Killed, unclosed
from .scene import Scene, expected


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "fsync", lambda _descriptor: None)  # it is the order of steps that is tested, not the disk


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


def test_a_lock_of_git_takes_all_of_it_back(scene: Scene) -> None:
    lock = scene.person.root / ".git" / "index.lock"
    lock.write_bytes(b"")
    with pytest.raises(ApplyError, match="locked by another process"):
        scene.applier.apply(scene.patch, staged=True, at=AT)
    assert lock.exists()
    lock.unlink()
    assert scene.tree == scene.before


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


@unclosed
def test_what_was_staged_is_taken_back_where_a_file_was_edited_since(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Killed between the index and the end: the index is that of before, also of the file that was edited."""
    index = scene.person.git("ls-files", "--stage")

    def die(path: Path, _data: bytes) -> None:
        raise Killed(path)

    with monkeypatch.context() as patched:
        begun: list[Path] = []
        write = replace_durably
        patched.setattr(
            "selfreview.apply.applier.replace_durably",
            lambda path, data: die(path, data) if begun else (begun.append(path), write(path, data)),
        )
        with pytest.raises(Killed):
            scene.applier.apply(scene.patch, staged=True, at=AT)
    assert scene.person.git("ls-files", "--stage") != index
    scene.person.write("staged.py", "mine\n")
    scene.person.write("tool.sh", "mine, too\n")
    scene.person.git("add", "tool.sh")
    done = scene.applier.recover()
    assert done is not None
    assert (sorted(done.skipped), done.completed) == (["staged.py", "tool.sh"], False)
    held = dict(line.split("\t")[::-1] for line in scene.person.git("ls-files", "--stage").split("\n"))
    before = dict(line.split("\t")[::-1] for line in index.split("\n"))
    assert scene.person.git("show", ":tool.sh") == "mine, too"
    assert {**held, "tool.sh": ""} == {**before, "tool.sh": ""}
    assert scene.applier.applied() is None


def test_what_the_index_holds_of_a_folder_is_not_lost_to_a_file(scene: Scene) -> None:
    scene.person.write("spot", "1\n")
    scene.person.git("add", "spot")
    scene.person.write("spot", "2\n")
    two, three = Entry("100644", b"2\n"), Entry("100644", b"3\n")
    patch = scene.store.keep({"spot": (two, None), "spot/in.txt": (None, three)}, b"", at=AT, iteration=1)
    applier = scene.applier
    applier.apply(patch, staged=True, at=AT)
    assert scene.person.git("show", ":spot") == "1"
    assert applier.unstaged == {
        "spot": "changes of yours that were not staged would be staged with it",
        "spot/in.txt": "something else is in its place in the index",
    }
    assert (scene.person.root / "spot/in.txt").read_bytes() == b"3\n"


def test_why_a_file_is_not_staged_is_true(scene: Scene) -> None:
    applier = scene.applier
    applier.apply(scene.patch, staged=True, at=AT)
    other = "changes of yours that were not staged would be staged with it"
    assert applier.unstaged == {
        **dict.fromkeys(("both.py", "crlf.txt", "edited.py"), other),
        **dict.fromkeys(("new.py", "new.sh"), "untracked: git add stages it"),
    }


def test_a_file_in_conflict_is_not_staged(scene: Scene) -> None:
    blob = scene.person.git("rev-parse", "HEAD:staged.py")
    lines = [f"0 {'0' * 40}\tstaged.py", *(f"100644 {blob} {number}\tstaged.py" for number in (1, 2, 3))]
    scene.person.git("update-index", "--index-info", stdin="\n".join(lines).encode())
    applier = scene.applier
    applier.apply(scene.patch, staged=True, at=AT)
    assert applier.unstaged["staged.py"] == "in conflict in the index"


@pytest.mark.parametrize("amended", [False, True], ids=["commit", "amend"])
def test_undo_leaves_the_index_alone_where_it_was_committed_since(scene: Scene, amended: bool) -> None:
    scene.applier.apply(scene.patch, staged=True, at=AT)
    scene.person.git("commit", "--quiet", "--message=refined", *(["--amend"] if amended else []))
    index = scene.person.git("ls-files", "--stage")
    applier = scene.applier
    applier.undo(AT)
    assert scene.tree == scene.before
    assert scene.person.git("ls-files", "--stage") == index
    assert sorted(applier.committed) == ["folder/fresh.py", "kept.txt", "staged.py", "tool.sh"]
    assert applier.unstaged == {}


def test_undo_puts_the_index_back_where_something_else_was_committed(scene: Scene) -> None:
    """What is committed of one file is no reason to leave another in the index; nor is what was committed before."""
    index = scene.person.git("ls-files", "--stage", "kept.txt", "staged.py", "folder/fresh.py")
    scene.applier.apply(scene.patch, staged=True, at=AT)
    scene.person.git("commit", "--quiet", "--message=part", "--only", "tool.sh")
    applier = scene.applier
    applier.undo(AT)
    assert scene.person.git("ls-files", "--stage", "kept.txt", "staged.py", "folder/fresh.py") == index
    assert applier.committed == ["tool.sh"]


def test_what_an_apply_brought_back_to_the_commit_goes_back_in_the_index(scene: Scene) -> None:
    """The index is as committed then, and nothing was committed since."""
    one, two = Entry("100644", b"s = 1\n"), Entry("100644", b"s = 2\n")
    patch = scene.store.keep({"staged.py": (two, one)}, b"", at=AT, iteration=1)
    scene.applier.apply(patch, staged=True, at=AT)
    assert scene.person.git("diff", "--cached", "--name-only", "staged.py") == ""
    scene.person.git("commit", "--quiet", "--message=other", "--only", "both.py")
    applier = scene.applier
    applier.undo(AT)
    assert scene.person.git("show", ":staged.py") == "s = 2"
    assert (applier.committed, applier.unstaged) == ([], {})


def test_undo_says_what_of_the_index_it_left_alone(scene: Scene) -> None:
    scene.applier.apply(scene.patch, staged=True, at=AT)
    (scene.person.root / "staged.py").write_bytes(b"mine\n")
    scene.person.git("add", "staged.py")
    (scene.person.root / "staged.py").write_bytes(b"s = 20\n")
    applier = scene.applier
    applier.undo(AT)
    assert scene.person.git("show", ":staged.py") == "mine"
    assert applier.unstaged == {"staged.py": "it holds something else by now"}


@pytest.mark.skipif(sys.platform == "win32", reason="links")
def test_an_index_that_is_a_link_stays_one(scene: Scene) -> None:
    index = scene.person.root / ".git" / "index"
    index.rename(index.with_name("real"))
    index.symlink_to("real")
    scene.applier.apply(scene.patch, staged=True, at=AT)
    assert index.is_symlink()
    assert scene.person.git("show", ":staged.py") == "s = 20"
    lock = index.with_name("real.lock")
    lock.touch()
    with pytest.raises(ApplyError, match="locked by another process"):
        scene.applier.undo(AT)
    lock.unlink()
    scene.applier.undo(AT)
    assert index.is_symlink()
    assert scene.person.git("show", ":staged.py") == "s = 2"


@pytest.mark.parametrize("flag", ["--assume-unchanged", "--skip-worktree"])
def test_what_git_does_not_look_at_is_not_staged_and_named(scene: Scene, flag: str) -> None:
    scene.person.git("update-index", flag, "staged.py")
    held = scene.person.git("ls-files", "--stage", "staged.py")
    applier = scene.applier
    applier.apply(scene.patch, staged=True, at=AT)
    assert "--skip-worktree" in applier.unstaged["staged.py"]
    assert scene.person.git("ls-files", "--stage", "staged.py") == held
    applier.undo(AT)
    assert (scene.tree, scene.person.git("ls-files", "--stage", "staged.py")) == (scene.before, held)
