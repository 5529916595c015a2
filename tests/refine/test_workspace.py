"""Whatever a fixer leaves in the workspace, git can read it afterwards, or all of it is taken back."""

from __future__ import annotations

import os
import socket
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from selfreview.errors import GitError
from selfreview.refine.leftovers import Normaliser
from tests.conftest import Workspace as Person
from tests.git.test_removal import dig
from tests.refine.lab import fill, tree_of, workspace_of

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="FIFOs, sockets and modes")


def _fifo(name: str) -> Callable[[Path], None]:
    def make(root: Path) -> None:
        path = root / name
        path.parent.mkdir(exist_ok=True)
        path.unlink(missing_ok=True)
        os.mkfifo(path)

    return make


def _socket(root: Path) -> None:
    folder = os.open(root, os.O_RDONLY)
    try:
        with socket.socket(socket.AF_UNIX) as made:
            made.bind(f"/proc/self/fd/{folder}/left" if sys.platform == "linux" else str(root / "left"))
    finally:
        os.close(folder)


def _deep(name: str) -> Callable[[Path], None]:
    def make(root: Path) -> None:
        (root / name).mkdir(exist_ok=True)
        dig(root / name, 1500)

    return make


def _large(name: str) -> Callable[[Path], None]:
    def make(root: Path) -> None:
        with (root / name).open("ab") as stream:
            stream.truncate(3 << 40)  # more than any disk here has: a hole, which git would fill

    return make


def _repository_without_a_commit(root: Path) -> None:
    Person(root).git("init", "--quiet", "inner")


@pytest.mark.parametrize(
    ("deed", "said"),
    [
        (_fifo(".gitignore"), ".gitignore: Leave no FIFO"),
        (_fifo("d/.gitignore"), "d/.gitignore: Leave no FIFO"),
        (_fifo(".gitattributes"), ".gitattributes: Leave no FIFO"),
        (_fifo("kept.txt"), "kept.txt: Leave no FIFO"),
        (_fifo("with\nline"), "(special-file)"),
        (_deep("new"), "deepd…: Leave no folders in each other that deep"),
        (_large("huge.bin"), "huge.bin: Leave no file of more than one megabyte behind"),
        (_large("kept.txt"), "kept.txt: Leave no file of more than one megabyte behind"),
        (_large("binary.bin"), "binary.bin: Leave no file of more than one megabyte behind"),
        (_socket, "left: Leave no FIFO"),
        (_repository_without_a_commit, "Leave a tree that git can read: git add failed"),
    ],
)
def test_what_git_cannot_read_is_taken_back_with_all_else(
    workspace: Person, tmp_path: Path, deed: Callable[[Path], None], said: str
) -> None:
    fill(workspace)
    with workspace_of(workspace, tmp_path) as (_, scratch):
        before = tree_of(scratch.root)
        aftermath = Normaliser(scratch)
        deed(scratch.root)
        (scratch.root / "edited.py").write_text("a = 4\n")
        (scratch.root / "more.py").write_text("m = 1\n")
        reasons = aftermath.normalise()
        assert len(reasons) == 1
        assert said in reasons[0]
        assert tree_of(scratch.root) == before
        assert scratch.tree() == scratch.start


def test_a_lock_and_modes_cost_nothing(workspace: Person, tmp_path: Path) -> None:
    fill(workspace)
    with workspace_of(workspace, tmp_path) as (_, scratch):
        aftermath = Normaliser(scratch)
        (scratch.repo.git_dir / "index.lock").touch()
        (scratch.root / "edited.py").write_text("a = 4\n")
        (scratch.root / "edited.py").chmod(0o200)
        (scratch.root / "folder" / "deep").chmod(0)
        (scratch.root / "folder").chmod(0o500)
        assert aftermath.normalise() == []
        assert (scratch.root / "edited.py").stat().st_mode & 0o700 == 0o600
        assert (scratch.root / "folder" / "deep").stat().st_mode & 0o700 == 0o700
        assert scratch.changed(scratch.start, scratch.tree()) == ["edited.py"]


def test_a_socket_where_git_ignores_it_is_no_reason_to_reject(workspace: Person, tmp_path: Path) -> None:
    fill(workspace)
    with workspace_of(workspace, tmp_path) as (_, scratch):
        aftermath = Normaliser(scratch)
        _fifo("ignored/daemon")(scratch.root)
        (scratch.root / "edited.py").write_text("a = 4\n")
        assert aftermath.normalise() == []
        assert not (scratch.root / "ignored" / "daemon").exists()
        assert (scratch.root / "edited.py").read_text() == "a = 4\n"


def test_depth_and_size_where_git_ignores_them_are_no_reason_to_reject(workspace: Person, tmp_path: Path) -> None:
    fill(workspace)
    with workspace_of(workspace, tmp_path) as (_, scratch):
        aftermath = Normaliser(scratch)
        _deep("ignored")(scratch.root)
        _large("ignored/huge.bin")(scratch.root)
        (scratch.root / "edited.py").write_text("a = 4\n")
        assert aftermath.normalise() == []
        scratch.forget(scratch.ignored())
        assert not (scratch.root / "ignored" / "huge.bin").exists()
        assert scratch.changed(scratch.start, scratch.tree()) == ["edited.py"]


def test_a_file_that_was_large_before_may_be_edited(workspace: Person, tmp_path: Path) -> None:
    fill(workspace)
    workspace.write("new.py", b"n = 1\n" * 200_000)
    with workspace_of(workspace, tmp_path) as (_, scratch):
        aftermath = Normaliser(scratch)
        (scratch.root / "new.py").write_bytes(b"n = 2\n" * 200_001)
        assert aftermath.normalise() == []
        assert scratch.changed(scratch.start, scratch.tree()) == ["new.py"]


def test_a_workspace_that_cannot_be_read_is_an_error_for_a_person(
    workspace: Person, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError("no")

    monkeypatch.setattr("selfreview.refine.leftovers.clear", refuse)
    with workspace_of(workspace, tmp_path) as (_, scratch), pytest.raises(GitError, match="cannot be read: no"):
        Normaliser(scratch)
