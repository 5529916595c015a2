"""Files of a tree as they are on disk: bytes, kind and mode, read and written without following a link."""

from __future__ import annotations

import contextlib
import os
import shutil
import stat
from pathlib import Path
from typing import NamedTuple

from selfreview.git.safeopen import native, read_entry

LINK = "120000"
PLAIN = "100644"
EXECUTABLE = "100755"


class Entry(NamedTuple):
    """A file.

    Attributes:
        mode: As git writes it: ``100644``, ``100755``, or ``120000`` for a symbolic link.
        data: Its bytes, or the target of the link.
    """

    mode: str
    data: bytes


def read_file(root: Path, path: str) -> Entry | None:
    """Return what is at a path of a tree; None where there is nothing that git would track.

    Raises:
        OSError: If a file is there and cannot be read.
    """
    data = read_entry(root, path)
    if data is None:
        return None
    status = native(root, path).lstat()
    if stat.S_ISLNK(status.st_mode):
        return Entry(LINK, data)
    return Entry(EXECUTABLE if status.st_mode & stat.S_IXUSR and os.name != "nt" else PLAIN, data)


def write_file(root: Path, path: str, entry: Entry | None) -> None:
    """Put a file into a tree of one's own, in place of whatever is there; None removes it with the folders it leaves.

    Raises:
        OSError: If it cannot be written, or the way there leads through a link.
        ValueError: If the path would leave the tree.
    """
    target = native(root, path)
    _refuse_links(root, target)
    with contextlib.suppress(FileNotFoundError, NotADirectoryError):
        target.unlink()
    if entry is None:
        remove_empty_folders(root, target.parent)
        return
    target.parent.mkdir(parents=True, exist_ok=True)
    if entry.mode == LINK:
        target.symlink_to(os.fsdecode(entry.data))
        return
    target.write_bytes(entry.data)
    if entry.mode == EXECUTABLE and os.name != "nt":
        target.chmod(target.stat().st_mode | 0o111)


def remove_empty_folders(root: Path, folder: Path) -> None:
    """Remove a folder and those above it, up to the root, as long as they are empty: git knows no empty folders."""
    while folder != root and root in folder.parents:
        try:
            folder.rmdir()
        except OSError:
            return
        folder = folder.parent


def make_room(root: Path, path: str) -> None:
    """Remove what stands in the way of a file: a folder in its place, a link or a file in place of one above it."""
    target = native(root, path)
    for above in reversed([folder for folder in target.parents if root in folder.parents]):
        if above.is_symlink() or above.is_file():
            above.unlink()
    if target.is_dir() and not target.is_symlink():
        shutil.rmtree(target)


def _refuse_links(root: Path, target: Path) -> None:
    folder = target.parent
    while folder != root:
        if folder.is_symlink():
            raise OSError(f"{folder} is a symbolic link")
        folder = folder.parent
