"""Take back what fixers and checks wrote to files that git ignores: no patch holds them, and they are of one tree."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable

from selfreview.git.entry import Entry
from selfreview.git.removal import Look
from selfreview.git.safeopen import native
from selfreview.git.workspace import Workspace
from selfreview.git.workspace_make import look_of
from selfreview.model.wire import display_path

_CACHES = frozenset(
    {"__pycache__", ".cache", ".hypothesis", ".mypy_cache", ".pytest_cache", ".ruff_cache", ".vite", ".vite-temp"}
)
"""Cache folders, whose files are made again when missing, so that none is restored."""
_MOST_KEPT = 16 * 1024 * 1024
"""Bytes of files that can be put back; beyond, what is changed is only removed."""
_MOST_NAMED = 3


class Ignored:
    """Remembers the ignored files of a workspace before something runs there: checks and the setup may have made some.

    Args:
        workspace: The workspace.
        spares: Says of a path that it is to be left as it is. Where it is given, what was changed and cannot be put
            back is left, too, and not removed: of a fixer nothing may stay, a check is the project's own.

    Raises:
        GitError: If git fails.
    """

    def __init__(self, workspace: Workspace, spares: Callable[[str], bool] | None = None) -> None:
        self._workspace = workspace
        self._spares = spares
        self._before = self._looks()
        self._copies = self._copied()

    def settle(self) -> str:
        """Remove what is new or was changed, and put back what is known; name what could not be put back, or nothing.

        Raises:
            GitError: If something cannot be removed.
        """
        now = self._looks()
        changed = [path for path, look in now.items() if self._before.get(path) != look]
        stays = self._before.keys() - self._copies.keys() if self._spares is not None else ()
        self._workspace.forget(path for path in changed if path not in stays or _is_cache(path))
        gone = [path for path in self._before.keys() - now.keys() if not self._is_there(path)]
        lost = [path for path in (*changed, *gone) if path in self._before and not self._put_back(path)]
        return _lost(sorted(path for path in lost if not _is_cache(path)), removed=self._spares is None)

    def _looks(self) -> dict[str, Look | bytes]:
        """Return the metadata of the files; a repository counts as a whole."""
        looks: dict[str, Look | bytes] = {}
        for path in self._workspace.ignored():
            if self._spares is not None and self._spares(path):
                continue
            target = native(self._workspace.root, path.rstrip("/"))
            try:
                looks[path] = look_of(target) if path.endswith("/") else Look.of(target.lstat())
            except OSError:  # gone meanwhile: something that the fixer started may go on
                continue
        return looks

    def _copied(self) -> dict[str, Entry]:
        """Return the contents of the small files, as many as there is room for."""
        files = [(look.size, path) for path, look in self._before.items() if isinstance(look, Look)]
        copies, room = {}, _MOST_KEPT
        for size, path in sorted(files):
            room -= 0 if _is_cache(path) else size
            if room < 0:
                break
            if not _is_cache(path) and (entry := self._read(path)) is not None:
                copies[path] = entry
        return copies

    def _read(self, path: str) -> Entry | None:
        try:
            return self._workspace.read(path)
        except OSError:  # nobody may read it, or it is gone: where it is changed, it is named
            return None

    def _put_back(self, path: str) -> bool:
        if path not in self._copies:
            return False
        try:
            self._workspace.write({path: self._copies[path]})
        except OSError:  # something of the change stands in its way by now; what is not put back is named
            return False
        return True

    def _is_there(self, path: str) -> bool:
        return os.path.lexists(native(self._workspace.root, path.rstrip("/")))


def _is_cache(path: str) -> bool:
    return not _CACHES.isdisjoint(path.split("/"))


def _lost(paths: Iterable[str], *, removed: bool) -> str:
    names = [display_path(path) for path in paths]
    if not names:
        return ""
    more = f" and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else ""
    what = ", ".join(names[:_MOST_NAMED]) + more
    if not removed:
        return f"An earlier run changed {what}, which git ignores, and that could not be put back."
    return f"It changed {what}, which git ignores; that was removed, and a check that needs it fails in this run."
