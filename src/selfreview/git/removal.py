"""Removal of folders of our own, and of files in them that would block git or make it fail."""

from __future__ import annotations

import contextlib
import os
import secrets
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from selfreview.model.change import path_from_bytes


def remove_folder(folder: Path) -> bool:
    """Remove a folder, also where something in it was made read-only; return whether it is gone.

    Folders deep down are moved up before they are emptied, so no depth is too much: neither for the length of a path
    nor for the number of open files. Links are removed and not followed.
    """
    if os.path.islink(folder):  # noqa: PTH114 - Path.is_symlink raises where one may not look
        return False
    fresh, moved = secrets.token_hex(8), 0
    waiting = [folder]
    while waiting:
        place = waiting.pop()
        for entry in _below(place):
            with contextlib.suppress(OSError):
                if not entry.is_dir(follow_symlinks=False):
                    Path(entry.path).unlink()
                    continue
            path = Path(entry.path)
            with contextlib.suppress(OSError):  # an empty one, or a junction, goes at once
                path.rmdir()
                continue
            _open_up(path)
            if place != folder:
                target = folder / f"{fresh}.{moved}"
                moved += 1
                try:
                    path.rename(target)
                except OSError:  # another user's, such as of a container that ran here
                    continue
                path = target
            waiting.append(path)
        with contextlib.suppress(OSError):
            place.rmdir()
    with contextlib.suppress(OSError):
        folder.rmdir()
    try:
        folder.lstat()
    except (FileNotFoundError, NotADirectoryError):
        return True
    except OSError:  # who may not look does not know
        return False
    return False


def _below(place: Path) -> list[os.DirEntry[str]]:
    """Return what is in a folder; nothing where it is none, or is another user's."""
    if os.path.islink(place):  # noqa: PTH114 - as above
        return []
    _open_up(place)
    try:
        with os.scandir(place) as entries:
            return list(entries)
    except OSError:
        return []


def _open_up(place: Path) -> None:
    with contextlib.suppress(OSError):
        if not place.is_symlink():
            place.chmod(0o700)


_OWN = 0o700
_READ = 0o400
_DEEPEST = 2000
"""Maximum bytes of a path below the top level: systems take 4096 for all of it, and show nothing beyond."""


class Look(NamedTuple):
    """The file status that tells whether a file was written to, without reading it.

    A program can set the time of change back, but not that of the inode.

    Attributes:
        size: Bytes.
        changed, written: Nanoseconds: when the inode was changed, and the content.
        inode: Its number.
    """

    size: int
    changed: int
    written: int
    inode: int

    @classmethod
    def of(cls, status: os.stat_result) -> Look:
        """Return the relevant fields of a file's status."""
        return cls(status.st_size, status.st_ctime_ns, status.st_mtime_ns, status.st_ino)


class Found(NamedTuple):
    """Special, deep and large files that were found in a tree; all but the large ones are removed.

    Attributes:
        special: FIFOs, sockets and devices.
        deep: Folders at the end of paths that are too long.
        large: Files that are larger than asked for.
    """

    special: list[str]
    deep: list[str]
    large: dict[str, Look]


def remove_special(root: Path) -> list[str]:
    """Remove FIFOs, sockets, devices and folders too deep down; see :func:`clear`, which returns each kind apart."""
    found = clear(root)
    return sorted(found.special + found.deep)


def clear(root: Path, largest: int | None = None) -> Found:
    """Remove FIFOs, sockets and devices, and folders too deep down, and make readable what is not.

    Git opens a FIFO that is called ``.gitignore`` or stands for a file that it knows, and waits for ever. ``.git`` at
    the top is left alone.

    Args:
        root: Top level of a tree of one's own.
        largest: Bytes; larger files are returned.

    Raises:
        OSError: If something cannot be removed.
    """
    found = Found([], [], {})
    for entry in _walk(root, found.deep):
        with contextlib.suppress(FileNotFoundError):
            status = entry.stat(follow_symlinks=False)
            if stat.S_ISREG(status.st_mode):
                if not status.st_mode & _READ:
                    Path(entry.path).chmod(stat.S_IMODE(status.st_mode) | _READ)
                    status = entry.stat(follow_symlinks=False)
                if largest is not None and status.st_size > largest:
                    found.large[_relative(root, entry.path)] = Look.of(status)
            elif not stat.S_ISLNK(status.st_mode):
                Path(entry.path).unlink()
                found.special.append(_relative(root, entry.path))
    return found


def has_special(root: Path) -> bool:
    """Return whether there is a FIFO, a socket or a device in a tree, ``.git`` at the top aside.

    Raises:
        OSError: If a folder cannot be read.
    """
    return any(not (entry.is_file(follow_symlinks=False) or entry.is_symlink()) for entry in _walk(root, None))


def _walk(root: Path, deep: list[str] | None) -> Iterator[os.DirEntry[str]]:
    """Yield all that is no folder.

    Args:
        root: Top level.
        deep: Where given, folders are repaired: let us into those that may not be entered, remove those too deep, and
            add them here. None: folders are left as they are.
    """
    folders = [root]
    while folders:
        folder = folders.pop()
        try:
            if deep is not None and (mode := folder.lstat().st_mode) & _OWN != _OWN:
                folder.chmod(stat.S_IMODE(mode) | _OWN)
            with os.scandir(folder) as entries:
                found = list(entries)
        except FileNotFoundError:
            continue
        for entry in found:
            if not entry.is_dir(follow_symlinks=False):
                yield entry
            elif folder == root and entry.name == ".git":
                continue
            elif deep is not None and len(os.fsencode(entry.path)) - len(os.fsencode(root)) > _DEEPEST:
                if not remove_folder(Path(entry.path)):
                    raise OSError(f"a folder {_DEEPEST} bytes below {root} cannot be removed")
                deep.append(_relative(root, entry.path))
            else:
                folders.append(Path(entry.path))


def _relative(root: Path, path: str) -> str:
    return path_from_bytes(os.fsencode(Path(path).relative_to(root).as_posix()))
