"""Clear a tree of our own of what git would wait for, or stumble over."""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Iterator
from pathlib import Path

from selfreview.model.change import path_from_bytes

_OWN = 0o700
_READ = 0o400


def remove_special(root: Path) -> list[str]:
    """Remove FIFOs, sockets and devices, and make readable what is not; ``.git`` at the top is left alone.

    Git opens a FIFO that is called ``.gitignore`` or stands for a file that it knows, and waits for ever.

    Args:
        root: Top level of a tree of one's own.

    Returns:
        The paths that were removed.

    Raises:
        OSError: If one cannot be removed.
    """
    removed = []
    for entry in _walk(root, mend=True):
        with contextlib.suppress(FileNotFoundError):
            mode = entry.stat(follow_symlinks=False).st_mode
            if stat.S_ISREG(mode):
                if not mode & _READ:
                    Path(entry.path).chmod(stat.S_IMODE(mode) | _READ)
            elif not stat.S_ISLNK(mode):
                Path(entry.path).unlink()
                removed.append(path_from_bytes(os.fsencode(Path(entry.path).relative_to(root).as_posix())))
    return sorted(removed)


def has_special(root: Path) -> bool:
    """Whether there is a FIFO, a socket or a device in a tree, ``.git`` at the top aside.

    Raises:
        OSError: If a folder cannot be read.
    """
    return any(not (entry.is_file(follow_symlinks=False) or entry.is_symlink()) for entry in _walk(root, mend=False))


def _walk(root: Path, *, mend: bool) -> Iterator[os.DirEntry[str]]:
    """Yield all that is no folder; where asked to, let us into folders that may not be entered."""
    folders = [root]
    while folders:
        folder = folders.pop()
        try:
            if mend and (mode := folder.lstat().st_mode) & _OWN != _OWN:
                folder.chmod(stat.S_IMODE(mode) | _OWN)
            with os.scandir(folder) as entries:
                found = list(entries)
        except FileNotFoundError:
            continue
        for entry in found:
            if not entry.is_dir(follow_symlinks=False):
                yield entry
            elif folder != root or entry.name != ".git":
                folders.append(Path(entry.path))
