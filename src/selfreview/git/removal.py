"""Removal of a folder of our own, in whatever state it is."""

from __future__ import annotations

import contextlib
import os
import secrets
from pathlib import Path


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
