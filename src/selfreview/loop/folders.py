"""Folders that a patch removes with their last file, or makes room for a file by: put back as they were."""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Iterable, Mapping
from pathlib import Path

from selfreview.git.safeopen import is_beyond_link, native
from selfreview.model.change import path_bytes, path_from_bytes


def recorded(root: Path, names: Iterable[str]) -> list[tuple[bytes, int]]:
    """Return the folders that may go when files are placed, the upper ones first.

    Args:
        root: Top level of the working tree.
        names: Paths of the files.

    Returns:
        Path and permissions of those above a file, and of those in the place of one, with what is in them.
    """
    found: dict[str, int] = {}
    for name in names:
        parts = name.split("/")
        waiting = ["/".join(parts[:count]) for count in range(1, len(parts) + 1)]
        while waiting:
            path = waiting.pop()
            target = native(root, path)
            if path in found or is_beyond_link(root, path) or target.is_symlink() or not target.is_dir():
                continue
            found[path] = stat.S_IMODE(target.stat().st_mode)
            if path == name or path.startswith(f"{name}/"):
                with contextlib.suppress(OSError):  # one that cannot be read makes no room for a file
                    waiting += [f"{path}/{path_from_bytes(os.fsencode(below.name))}" for below in target.iterdir()]
    return [(path_bytes(path), found[path]) for path in sorted(found)]


class Folders:
    """Makes folders as they were.

    Args:
        root: Top level of the working tree.
        known: What :func:`recorded` returned.
    """

    def __init__(self, root: Path, known: Iterable[tuple[bytes, int]]) -> None:
        self._root = root
        self._known: Mapping[str, int] = {path_from_bytes(path): bits for path, bits in known}

    def make_above(self, path: str) -> None:
        """Make the folders above a file that are not there, each with the permissions that it had.

        Raises:
            OSError: If one cannot be made.
        """
        parts = path.split("/")
        for count in range(1, len(parts)):
            self._make("/".join(parts[:count]))

    def put_back(self) -> None:
        """Restore all folders that were removed; where something else is in their place by now, that stays.

        Raises:
            OSError: If one cannot be made.
        """
        for path in self._known:
            if not is_beyond_link(self._root, path):
                try:
                    self._make(path)
                except (FileExistsError, NotADirectoryError):
                    continue

    def _make(self, path: str) -> None:
        target = native(self._root, path)
        if target.is_dir():
            return
        bits = self._known.get(path)
        if bits is None:
            target.mkdir()
        else:
            target.mkdir(bits & 0o777)
            target.chmod(bits)
