"""Make the workspace readable after a fixer, whatever that wrote there."""

from __future__ import annotations

from selfreview.errors import GitError
from selfreview.git.removal import clear
from selfreview.git.workspace import Workspace
from selfreview.loop.guard.largefile import LARGEST
from selfreview.loop.guard.specialfile import special_files
from selfreview.loop.leftovers import Leftovers
from selfreview.model.wire import display_path

_DEEP = "Leave no folders in each other that deep; paths have to be short enough for every system."
_LARGE = "Leave no file of more than one megabyte behind; a fix needs none."
_MOST_SHOWN = 80


class Normaliser:
    """Remembers a workspace before a fixer.

    Args:
        workspace: The workspace.

    Attributes:
        tree: What is in it.

    Raises:
        GitError: If it cannot be read.
    """

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._leftovers = Leftovers(workspace)
        try:
            self._large = clear(workspace.root, LARGEST).large
        except OSError as error:
            raise GitError(f"the workspace cannot be read: {error}") from error
        self.tree = self._leftovers.tree

    def settle(self) -> list[str]:
        """Check that git can read the fixer's files; where it cannot, take all of them back and return why.

        Raises:
            FixError: If it cannot be taken back.
            GitError: If git fails even then.
        """
        try:
            reasons = self._unreadable()
            if not reasons:
                self._workspace.tree()
                return []
        except GitError as error:
            reasons = [f"Leave a tree that git can read: {error.message} (unreadable)"]
        self._leftovers.take_back()
        return reasons

    def _unreadable(self) -> list[str]:
        """Return the paths that git should not be asked to read, and does not ignore."""
        try:
            found = clear(self._workspace.root, LARGEST)
        except OSError as error:
            raise GitError(f"the workspace cannot be read: {error}") from error
        special = sorted({*found.special, *self._workspace.unblock()})
        large = [path for path, look in found.large.items() if path not in self._large
                 or look.size > 2 * self._large[path].size]  # fmt: skip
        ignored = self._workspace.are_ignored([*special, *found.deep, *large])
        return [
            *(_reason(r.path, r.reason, r.rule) for r in special_files(p for p in special if p not in ignored)),
            *(_reason(_shortened(path), _DEEP, "deep-folder") for path in sorted(found.deep) if path not in ignored),
            # Git would copy it among its objects before the guard could look at it.
            *(_reason(path, _LARGE, "large-file") for path in sorted(large) if path not in ignored),
        ]


def _reason(path: str, reason: str, rule: str) -> str:
    return f"{display_path(path)}: {reason} ({rule})"


def _shortened(path: str) -> str:
    return path if len(path) <= _MOST_SHOWN else f"{path[:_MOST_SHOWN]}…"
