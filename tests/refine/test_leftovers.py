"""Changes that a fixer leaves in a workspace and around it."""

from __future__ import annotations

import os
import socket
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from selfreview.errors import GitError
from selfreview.git.repo import Repo
from selfreview.git.workspace import Workspace
from selfreview.proc import Runner
from selfreview.refine.check_runner import Checker
from selfreview.refine.leftovers import Around, EscapeCheck, Normaliser
from selfreview.testing.context import MemoryConfig
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


TAKEN_BACK: list[tuple[Callable[[Path], None], str]] = [
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
]


@pytest.mark.long
def test_what_git_cannot_read_is_taken_back_with_all_else(workspace: Person, tmp_path: Path) -> None:
    fill(workspace)
    with workspace_of(workspace, tmp_path) as (_, scratch):
        before = tree_of(scratch.root)
        for deed, said in TAKEN_BACK:
            aftermath = Normaliser(scratch)
            deed(scratch.root)
            (scratch.root / "edited.py").write_text("a = 4\n")
            (scratch.root / "more.py").write_text("m = 1\n")
            reasons = aftermath.normalise()
            assert len(reasons) == 1, said
            assert said in reasons[0]
            assert tree_of(scratch.root) == before, said
            assert scratch.tree() == scratch.start, said


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


@pytest.mark.long
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


pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="links")


def _with_times(path: Path, text: str) -> None:
    status = path.stat()
    path.write_text(text)
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))


class Lab:
    """A workspace that shares a folder."""

    def __init__(self, person: Person, repo: Repo, workspace: Workspace) -> None:
        self.person, self.workspace = person, workspace
        table = {"workspace": {"share": ["modules", "nowhere"]}}
        assert Checker(workspace, person.root, MemoryConfig(table), Runner()).prepare() is None
        self.check = EscapeCheck([repo.git_dir], workspace)
        self.before: Around = self.check.snapshot()

    def said(self) -> str:
        found = self.check.since(self.before)
        return "" if found is None else " | ".join(found)


@pytest.fixture
def lab(workspace: Person, tmp_path: Path) -> Iterator[Lab]:
    workspace.commit("ignore", **{".gitignore": "modules/\n"})
    workspace.write("modules/lib/index.js", "1\n")
    workspace.write("modules/.cache/x", "1\n")
    workspace.write("modules/lib/.cache/x", "1\n")
    (workspace.root / "modules/lib/__pycache__").mkdir()
    with workspace_of(workspace, tmp_path) as (repo, scratch):
        yield Lab(workspace, repo, scratch)


def test_work_in_the_workspace_and_in_the_tree_is_nothing(lab: Lab) -> None:
    Person(lab.workspace.root).commit("inside", **{"a.py": "a = 1\n"})
    lab.person.write("a.py", "a = 2\n")
    assert lab.said() == ""


def test_a_commit_of_the_person_is_told_from_a_hook_and_with_it(lab: Lab) -> None:
    lab.person.commit("meanwhile", **{"a.py": "a = 1\n"})
    assert "a branch or a tag of your repository moved" in lab.said()
    assert "hooks" not in lab.said()
    lab.person.write(".git/hooks/pre-commit", "#!/bin/sh\n")
    assert lab.said().startswith("hooks or settings of your repository changed")
    assert "; a branch or a tag of your repository moved" in lab.said()


@pytest.mark.parametrize(
    "deed",
    [
        lambda root: (root / "modules/lib/index.js").write_text("2\n"),
        lambda root: (root / "modules/lib/more.js").write_text("1\n"),
        lambda root: (root / "modules/lib/index.js").unlink(),
        lambda root: (root / "modules/lib/index.js").chmod(0o755),
        lambda root: (root / "modules/lib/.cache/x").write_text("2\n"),
        lambda root: (root / "modules/lib/__pycache__/a.pyc").write_text("1\n"),
        lambda root: _with_times(root / "modules/lib/index.js", "2\n"),
    ],
    ids=["edited", "new", "gone", "mode", "cache", "code in a cache", "times set back"],
)
def test_what_is_written_through_a_link_is_seen(lab: Lab, deed: Callable[[Path], object]) -> None:
    os.utime(lab.person.root / "modules/lib/index.js", (1, 1))
    lab.before = lab.check.snapshot()
    deed(lab.workspace.root)
    assert "something in modules changed while it ran" in lab.said()


def test_a_cache_of_the_workspace_alone_is_no_matter(lab: Lab) -> None:
    assert not (lab.workspace.root / "modules/.cache").exists()
    Person(lab.workspace.root).write("modules/.cache/y", "1\n")
    Person(lab.workspace.root).write("modules/__pycache__/y.pyc", "1\n")
    assert lab.said() == ""
