"""Read files of a working tree that may be anything: never follow a link, never open a FIFO or a device."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import BinaryIO

from selfreview.model.change import path_bytes


def is_safe_path(path: str) -> bool:
    """Return whether a path from a diff stays inside its tree: relative, with no ``..``, and no ``.git`` anywhere."""
    if not path or "\0" in path or path.startswith("/"):
        return False
    parts = path.split("/")
    if os.name == "nt" and ("\\" in path or ":" in path):
        return False
    return all(part not in ("", ".", "..") and part.lower() != ".git" for part in parts)


def native(root: Path, path: str) -> Path:
    """Return the place of a path of the change on disk.

    Raises:
        ValueError: If it would leave the tree.
    """
    if not is_safe_path(path):
        raise ValueError(f"unsafe path {path!r}")
    return root / os.fsdecode(path_bytes(path)) if os.name != "nt" else root / path


def read_entry(root: Path, path: str, *, limit: int | None = None) -> bytes | None:
    """Read what git would see at a path: a regular file's bytes, or a link's target.

    Args:
        root: Top level of the working tree.
        path: Path below it.
        limit: Read at most this many bytes.

    Returns:
        The bytes, or None where there is nothing that git would track.

    Raises:
        OSError: If a regular file is there and cannot be read.
    """
    try:
        target = native(root, path)
    except ValueError:
        return None
    if is_beyond_link(root, path):
        return None
    try:
        mode = target.lstat().st_mode
    except (FileNotFoundError, NotADirectoryError):
        return None
    if stat.S_ISLNK(mode):
        return os.fsencode(target.readlink())
    if not stat.S_ISREG(mode):
        return None
    with open_unfollowed(target) as stream:
        if not stat.S_ISREG(os.fstat(stream.fileno()).st_mode):
            return None
        return stream.read() if limit is None else stream.read(limit)


def open_unfollowed(target: Path) -> BinaryIO:
    """Open a file for reading, no link, and without waiting: the entry may have been replaced since it was looked at.

    Raises:
        OSError: If it cannot be opened.
    """
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    return os.fdopen(os.open(target, flags), "rb")


def is_special(root: Path, path: str) -> bool:
    """Return whether a path is there but is no file, link or folder (a FIFO, a socket, a device)."""
    try:
        mode = native(root, path).lstat().st_mode
    except (OSError, ValueError):
        return False
    return not (stat.S_ISREG(mode) or stat.S_ISLNK(mode) or stat.S_ISDIR(mode))


def is_link(root: Path, path: str) -> bool:
    """Return whether there is a symbolic link at a path."""
    try:
        return native(root, path).is_symlink()
    except ValueError:
        return False


def is_beyond_link(root: Path, path: str) -> bool:
    """Return whether a parent folder of a path is a link; git treats everything behind one as absent."""
    folder = native(root, path).parent
    while folder not in (root, folder.parent):
        if folder.is_symlink():
            return True
        folder = folder.parent
    return False
