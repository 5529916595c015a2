"""The workspace after a fixer: made readable, and checked for what escaped from it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from selfreview.errors import FixError, GitError
from selfreview.git.removal import clear
from selfreview.git.workspace import Workspace
from selfreview.git.workspace_make import look_of
from selfreview.guard.fileformat import LARGEST, special_files
from selfreview.guard.surroundings import Surroundings, surroundings
from selfreview.model.wire import display_path
from selfreview.refine.leftovers import Leftovers


class Around(NamedTuple):
    """Snapshot of a workspace's surroundings: the person's repository, and what is shared."""

    repository: Sequence[Surroundings]
    shared: Mapping[str, bytes]


class Reach:
    """Checks the surroundings of a workspace.

    Args:
        folders: Git folders of the person's repository.
        workspace: The workspace.
    """

    def __init__(self, folders: Sequence[Path], workspace: Workspace) -> None:
        self._folders = folders
        self._workspace = workspace

    def look(self) -> Around:
        """Return a snapshot of the surroundings.

        Raises:
            FixError: If the person's repository cannot be read.
        """
        shared = {name: look_of(folder) for name, folder in self._workspace.shared.items()}
        try:
            return Around([surroundings(folder) for folder in self._folders], shared)
        except OSError as error:
            raise FixError(f"what fixers do to your repository cannot be watched: {error}") from error

    def since(self, before: Around) -> tuple[str, str] | None:
        """Return the changes since a snapshot, and advice, the worst first; None where nothing changed.

        Who changed it cannot be told: a person may work on, and a program that runs as the person can do the same.
        """
        now = self.look()
        pairs = list(zip(before.repository, now.repository, strict=True))
        told: list[tuple[str, str]] = []
        if any(was.settings != is_now.settings for was, is_now in pairs):
            what = "hooks or settings of your repository changed while it ran, outside of the workspace"
            look = "look at .git/config, .git/hooks and .git/info before you use git here again"
            told.append((what, f"if that was not you, {look}"))
        if any(was.references != is_now.references for was, is_now in pairs):
            what = "a branch or a tag of your repository moved while it ran, so what it wrote is not kept"
            again = "if that was you, with a commit for example, run it again; if not, git reflog shows what moved"
            told.append((what, again))
        changed = [name for name, look in before.shared.items() if now.shared.get(name) != look]
        if changed:
            names = ", ".join(map(display_path, changed))
            what = f"something in {names} changed while it ran, which workspace.share lets it reach in your own tree"
            told.append((what, f"if that was not you, make {names} anew; undo cannot take it back"))
        return ("; ".join(what for what, _ in told), "; ".join(hint for _, hint in told)) if told else None


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
