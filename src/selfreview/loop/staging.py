"""Stage the files of an applied patch, so that the index is wholly old or wholly new whenever the process ends.

The new index is finished beside the old one, becomes ``index.lock`` by a hard link, which fails where git has a lock,
and then takes the place of the index. A lock that a killed process left is the same file as ours, so it is told from
git's.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import shutil
from collections.abc import Sequence
from pathlib import Path

from selfreview.errors import ApplyError
from selfreview.git.entry import Entry
from selfreview.git.objects import read_blobs
from selfreview.git.repo import Repo
from selfreview.model.change import path_bytes

_HALF = "index.new."


def stage(repo: Repo, folder: Path, files: Sequence[tuple[str, Entry | None]]) -> list[str]:
    """Stage files as they are in the working tree, where the index holds what they were before.

    Args:
        repo: The person's repository.
        folder: A folder of our own on the same disk as the index.
        files: By path, what the file was before; one whose staged content is something else is left alone.

    Returns:
        The paths of those that were left alone.

    Raises:
        ApplyError: If another process holds the index.
        GitError: If git fails.
    """
    index = repo.index_file
    for left in _halves(folder):
        left.unlink(missing_ok=True)
    # A name that is new each time: git locks what it writes, and a git that was killed leaves that lock, too.
    half = folder / f"{_HALF}{secrets.token_hex(4)}"
    shutil.copy2(index, half) if index.exists() else None
    git = repo.git.with_env(GIT_INDEX_FILE=str(half))
    names = [path for path, old in files if _is_staged(repo, path, old)]
    lock = index.with_name(index.name + ".lock")
    before = _stamp(index)
    if names:
        paths = b"".join(path_bytes(name) + b"\0" for name in names)
        git.run(["update-index", "-z", "--add", "--remove", "--stdin"], stdin=paths)
    try:
        os.link(half, lock)
    except FileExistsError:
        raise ApplyError("git's index is locked by another process", hint="try again when it is done") from None
    if _stamp(index) == before:
        lock.replace(index)
        half.unlink(missing_ok=True)
        return [path for path, _ in files if path not in names]
    lock.unlink()
    half.unlink(missing_ok=True)
    raise ApplyError("the index was changed meanwhile")


def clear_index_lock(repo: Repo, folder: Path) -> None:
    """Remove the lock that a killed process of ours left, and no other."""
    lock = repo.index_file.with_name(repo.index_file.name + ".lock")
    for half in _halves(folder):
        with contextlib.suppress(FileNotFoundError):
            if lock.samefile(half):
                lock.unlink()
        half.unlink(missing_ok=True)


def _halves(folder: Path) -> list[Path]:
    return list(folder.glob(f"{_HALF}*"))


def _is_staged(repo: Repo, path: str, old: Entry | None) -> bool:
    """Whether the index holds for a path what the working tree held before."""
    line = repo.git.run(["ls-files", "-z", "--stage", "--", path_bytes(path)])
    if not line or old is None:
        return not line and old is None
    mode, oid = line.split(b" ")[:2]
    if mode.decode() != old.mode:
        return False
    if read_blobs(repo.git, [oid.decode()]).get(oid.decode()) == old.data:
        return True
    # Line ends or a filter: git says whether what was on disk is what it had stored.
    stored = repo.git.run([b"hash-object", b"--path=" + path_bytes(path), b"--stdin"], stdin=old.data)
    return stored.strip() == oid


def _stamp(index: Path) -> tuple[int, int, int] | None:
    try:
        status = index.stat()
    except FileNotFoundError:
        return None
    return (status.st_ino, status.st_size, status.st_mtime_ns)
