"""Files of a working tree as they are on disk: read and written without following a link or opening a device."""

from __future__ import annotations

import contextlib
import os
import shutil
import stat
from pathlib import Path
from typing import BinaryIO, NamedTuple

from selfreview.git.removal import remove_folder
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


LINK = "120000"
PLAIN = "100644"
EXECUTABLE = "100755"
_PIECE = 1024 * 1024
"""The content as bytes."""


class Entry(NamedTuple):
    """A file.

    Attributes:
        mode: As git writes it: ``100644``, ``100755``, or ``120000`` for a symbolic link.
        data: Its bytes, or the target of the link.
    """

    mode: str
    data: bytes

    @property
    def lines(self) -> tuple[str, ...]:
        """Its lines, as reviewers are given them."""
        from selfreview.api.context import SourceText

        return SourceText.from_bytes(self.data).lines


def read_file(root: Path, path: str) -> Entry | None:
    """Return what is at a path of a tree; None where there is nothing that git would track.

    Raises:
        OSError: If a file is there and cannot be read.
    """
    data = read_entry(root, path)
    if data is None:
        return None
    return Entry(_mode(native(root, path).lstat().st_mode), data)


def mode_at(root: Path, path: str) -> str | None:
    """Return the mode of what is at a path of a tree, as git writes it; None as for :func:`read_file`."""
    try:
        mode = native(root, path).lstat().st_mode
    except (FileNotFoundError, NotADirectoryError, ValueError):
        return None
    known = stat.S_ISREG(mode) or stat.S_ISLNK(mode)
    return _mode(mode) if known and not is_beyond_link(root, path) else None


def copy_file(source: Path, root: Path, path: str) -> str | None:
    """Copy a file of one tree into another, piece by piece, in place of whatever is there.

    Args:
        source: Top level of the tree that it is in.
        root: Top level of a tree of one's own.
        path: Its path in both.

    Returns:
        Its mode; None where there is nothing that git would track, and nothing is done then.

    Raises:
        OSError: If it cannot be read or written, or the way there leads through a link.
        ValueError: If the path would leave the tree.
    """
    mode = mode_at(source, path)
    if mode is None or mode == LINK:
        entry = read_file(source, path)
        if entry is not None:
            write_file(root, path, entry)
        return None if entry is None else entry.mode
    with open_unfollowed(native(source, path)) as stream:
        if not stat.S_ISREG(os.fstat(stream.fileno()).st_mode):
            return None
        write_file(root, path, Entry(mode, b""))
        with native(root, path).open("wb") as copy:
            shutil.copyfileobj(stream, copy, _PIECE)
    return mode


def _mode(status: int) -> str:
    if stat.S_ISLNK(status):
        return LINK
    return EXECUTABLE if status & stat.S_IXUSR and os.name != "nt" else PLAIN


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
    """Remove a folder and its parents, up to the root, as long as they are empty: git knows no empty folders."""
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
    if target.is_dir() and not target.is_symlink() and not remove_folder(target):
        raise OSError(f"{target} cannot be removed")


def _refuse_links(root: Path, target: Path) -> None:
    folder = target.parent
    while folder != root:
        if folder.is_symlink():
            raise OSError(f"{folder} is a symbolic link")
        folder = folder.parent


def look_at(root: Path, path: str) -> tuple[int, ...]:
    """Return a file's mode, size, times and number, which change with it; nothing where there is no such file."""
    try:
        found = native(root, path).lstat()
    except OSError:
        return ()
    return found.st_mode, found.st_size, found.st_mtime_ns, found.st_ctime_ns, found.st_ino
