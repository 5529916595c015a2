"""Check whether a program escaped from the workspace: into the person's repository, or through what is shared."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from selfreview.errors import FixError
from selfreview.git.workspace import Workspace
from selfreview.git.workspace_make import look_of
from selfreview.loop.guard.surroundings import Surroundings, surroundings
from selfreview.model.wire import display_path


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
