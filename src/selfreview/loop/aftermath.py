"""Make the workspace readable after a fixer, whatever that left there."""

from __future__ import annotations

from selfreview.errors import GitError
from selfreview.git.workspace import Workspace
from selfreview.loop.guard.specialfile import special_files
from selfreview.loop.leftovers import Leftovers
from selfreview.model.wire import display_path


class Aftermath:
    """Remembers a workspace before a fixer.

    Args:
        workspace: The workspace.

    Attributes:
        tree: What is in it.
    """

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._leftovers = Leftovers(workspace)
        self.tree = self._leftovers.tree

    def settle(self) -> list[str]:
        """See that git can read what the fixer left; where it cannot, take all of it back and return why.

        Raises:
            FixError: If it cannot be taken back.
            GitError: If git fails even then.
        """
        special = self._workspace.unblock()
        try:
            visible = sorted({*special} - self._workspace.are_ignored(special))
            if not visible:
                self._workspace.tree()
                return []
            reasons = [f"{display_path(r.path)}: {r.reason} ({r.rule})" for r in special_files(visible)]
        except GitError as error:
            reasons = [f"Leave a tree that git can read: {error.message} (unreadable)"]
        self._leftovers.take_back()
        return reasons
