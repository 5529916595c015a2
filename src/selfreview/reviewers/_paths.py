"""Folders of files, and paths in a tool's output."""

from __future__ import annotations

import os
import posixpath
from collections.abc import Iterable
from pathlib import Path

from selfreview.api import ChangedFile
from selfreview.model.wire import display_path


def folders_above(paths: Iterable[str]) -> list[str]:
    """Return every folder above some paths, sorted; the top level is the empty string."""
    found = {""}
    for path in paths:
        folder = posixpath.dirname(path)
        while folder not in found:
            found.add(folder)
            folder = posixpath.dirname(folder)
    return sorted(found)


class PathReader:
    """Turns the paths that a tool prints into paths of the tree under review.

    Args:
        root: The folder that stands for the top level.
        files: The files the tool was given; a name that is not UTF-8 is recognised by how tools print it.
        base: Folder that relative paths count from, relative to ``root``.
    """

    def __init__(self, root: Path, files: Iterable[ChangedFile] = (), *, base: str = "") -> None:
        self._roots = tuple({f"{given}".replace(os.sep, "/").rstrip("/") for given in (root, root.resolve())})
        self._base = base
        self._known: dict[str, str] = {}
        ambiguous = set()
        for file in files:
            for shown in {file.path, display_path(file.path)}:
                if self._known.setdefault(shown, file.path) != file.path:
                    ambiguous.add(shown)
        for shown in ambiguous:
            del self._known[shown]

    def __call__(self, printed: str) -> str | None:
        """Return the repository-relative path, or None for one outside of the tree."""
        path = self._place(printed)
        if path not in self._known and "\\" in printed:
            slashed = self._place(printed.replace("\\", "/"))
            if os.sep == "\\" or slashed in self._known:
                path = slashed
        return path if path is None else self._known.get(path, path)

    def _place(self, printed: str) -> str | None:
        for root in self._roots:
            if printed.startswith(root + "/"):
                path = posixpath.normpath(printed[len(root) + 1 :])
                break
        else:
            if printed.startswith("/"):
                return None
            path = posixpath.normpath(posixpath.join(self._base, printed))
            # A drive, unless the repository has a folder of that name, which only Windows rules out.
            if printed[1:2] == ":" and printed[2:3] in ("/", "\\") and path not in self._known:
                return None
        return None if path in ("", ".", "..") or path.startswith("../") else path
