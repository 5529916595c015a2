"""A repository with every kind of file, and a workspace of it."""

from __future__ import annotations

import atexit
import contextlib
import functools
import hashlib
import os
import shutil
import stat
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

from selfreview.apply.patches import Patch, PatchStore
from selfreview.git.collect_change import collect
from selfreview.git.make_workspace import make_workspace
from selfreview.git.removal import remove_folder
from selfreview.git.repo import Repo, discover
from selfreview.git.scope import ScopeRequest
from selfreview.git.workspace import Workspace
from selfreview.git.worktree_files import Entry, read_file
from tests.conftest import Workspace as Person

AT = "2026-11-28T06:00:00Z"


def fill(person: Person) -> None:
    """Bring a repository into a state with everything in it that can be lost, made once and copied then."""
    made = _filled() / _digest(person.root)
    if not made.exists():
        _fill(person)
        shutil.copytree(person.root, made, symlinks=True)
        return
    shutil.rmtree(person.root)
    shutil.copytree(made, person.root, symlinks=True)
    subprocess.run(["git", "update-index", "-q", "--refresh"], cwd=person.root, check=False)  # of files of its own


@functools.cache
def _filled() -> Path:
    folder = tempfile.mkdtemp()
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return Path(folder)


def _digest(root: Path) -> str:
    """Return a digest of what a repository is filled on top of."""
    git = root / ".git"
    refs = [(path.name, path.read_bytes()) for path in sorted(git.glob("refs/*/*"))]
    state = [sorted(tree_of(root).items()), refs, (git / "HEAD").read_bytes(), (git / "config").read_bytes()]
    return hashlib.sha256(repr(state).encode()).hexdigest()


def _fill(person: Person) -> None:
    person.commit(
        "files",
        **{
            "kept.txt": "kept\n",
            "edited.py": "a = 1\nb = 2\n",
            "staged.py": "s = 1\n",
            "both.py": "p = 1\nq = 2\n",
            "crlf.txt": b"one\r\ntwo\r\n",
            "gone.txt": "gone\n",
            "folder/deep/name with space.txt": "x\n",
            "tool.sh": "#!/bin/sh\n",
            ".gitignore": "ignored/\n*.log\n",
            "binary.bin": bytes(range(256)),
        },
    )
    person.root.joinpath("tool.sh").chmod(0o755)
    person.git("add", "tool.sh")
    person.git("commit", "--quiet", "--message", "executable")
    person.write("edited.py", "a = 1\nb = 3\n")
    person.write("staged.py", "s = 2\n")
    person.write("both.py", "p = 2\nq = 2\n")
    person.git("add", "staged.py", "both.py")
    person.write("both.py", "p = 2\nq = 3\n")
    person.write("crlf.txt", b"one\r\nTWO\r\n")
    person.root.joinpath("gone.txt").unlink()
    person.write("new.py", "n = 1\n")
    person.write("ignored/cache.bin", b"\0\1")
    person.write("debug.log", "log\n")
    person.root.joinpath("link").symlink_to("kept.txt")
    person.root.joinpath("new.sh").write_bytes(b"#!/bin/sh\n")
    person.root.joinpath("new.sh").chmod(0o750)
    person.write("binary.bin", bytes(reversed(range(256))))


def tree_of(root: Path) -> dict[str, tuple[int, bytes]]:
    """Return every file of a tree but git's own, with its mode and its bytes."""
    found = {}
    for folder, folders, files in os.walk(root):
        if ".git" in folders:
            folders.remove(".git")
        for name in files:
            path = Path(folder, name)
            status = path.lstat()
            data = os.fsencode(path.readlink()) if stat.S_ISLNK(status.st_mode) else path.read_bytes()
            found[path.relative_to(root).as_posix()] = (status.st_mode, data)
    return found


@contextlib.contextmanager
def workspace_of(
    person: Person, tmp_path: Path, request: ScopeRequest | None = None
) -> Iterator[tuple[Repo, Workspace]]:
    """Make a workspace of what is under review."""
    repo = discover(person.root, os.environ)
    collected = collect(repo, request or ScopeRequest())
    root = tmp_path / "scratch" / "repo"
    root.mkdir(parents=True)
    try:
        yield repo, make_workspace(repo, collected, root)
    finally:
        collected.close()
        assert remove_folder(root)


def keep(repo: Repo, workspace: Workspace, files: dict[str, Entry | None]) -> tuple[PatchStore, Patch]:
    """Edit a workspace, and keep that as a patch."""
    workspace.write(files)
    tree = workspace.tree()
    paths = workspace.changed(workspace.start, tree)
    patches = PatchStore(repo.common_dir / "selfreview" / "patches")
    both = {path: (workspace.original(path, repo), workspace.read(path)) for path in paths}
    return patches, patches.keep(both, workspace.diff(workspace.start, tree), at=AT, iteration=1)


def entry(root: Path, path: str) -> Entry | None:
    return read_file(root, path)
