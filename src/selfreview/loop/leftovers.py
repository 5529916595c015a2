"""Keep what checks and their setup leave behind out of the patch."""

from __future__ import annotations

import re
from collections.abc import Mapping

from selfreview.errors import FixError
from selfreview.git.entry import Entry
from selfreview.git.removal import remove_folder
from selfreview.git.safeopen import is_beyond_link, native
from selfreview.git.workspace import Workspace
from selfreview.model.change import path_from_bytes

_CLEAN = ["clean", "--quiet", "--force", "--force", "-d"]  # twice: repositories that tests made, too
_SPECIAL = re.compile(rb"[*?\[\]\\ ]")


class Leftovers:
    """Remembers a workspace, to take back what is written to it: new files that git does not ignore, and edits.

    What is ignored stays, such as caches and build output: the next check may use it.

    Args:
        workspace: The workspace, before anything runs in it.

    Attributes:
        tree: What is in it then.
    """

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self.tree = workspace.tree()
        # Others are as git writes them, or as they were brought; what was edited since may be neither.
        self._edited = {path: workspace.read(path) for path in workspace.changed(workspace.start, self.tree)}

    def take_back(self) -> list[str]:
        """Remove new files and restore those that were there; return which of these were changed.

        Raises:
            FixError: If the workspace is not what it was afterwards.
            GitError: If git fails.
        """
        git = self._workspace.repo.git
        self._workspace.unblock()
        git.run(["read-tree", "--reset", self.tree])  # whatever was added or committed meanwhile
        git.run(_CLEAN)
        changed = self._restore()
        if changed:
            git.run(_CLEAN)  # an edited .gitignore hid some until now
        if self._workspace.tree() != self.tree:
            raise FixError("the workspace could not be taken back to what it was before something ran there")
        return changed

    def hide(self) -> None:
        """Keep new files, as ones that git ignores from now on, and restore those that were there.

        Raises:
            FixError: If the workspace is not what it was for git afterwards.
            GitError: If git fails.
        """
        git = self._workspace.repo.git
        self._workspace.unblock()
        git.run(["read-tree", "--reset", self.tree])
        self._restore()
        new = git.run(["ls-files", "--others", "--exclude-standard", "--directory", "-z"]).split(b"\0")[:-1]
        exclude = self._workspace.repo.git_dir / "info" / "exclude"
        exclude.parent.mkdir(parents=True, exist_ok=True)
        with exclude.open("ab") as stream:
            stream.writelines(b"\n/" + _SPECIAL.sub(rb"\\\g<0>", name).replace(b"\n", b"?") + b"\n" for name in new)
        if self._workspace.tree() != self.tree:
            raise FixError("what the setup of the workspace wrote cannot be kept apart from the change")

    def _restore(self) -> list[str]:
        git = self._workspace.repo.git
        git.call(["update-index", "-q", "--refresh"])  # its status says that something differs: that is asked next
        names = git.run(["diff-files", "--name-only", "--ignore-submodules=all", "-z"]).split(b"\0")[:-1]
        files: Mapping[str, Entry | None] = {path: self._was(path) for path in map(path_from_bytes, names)}
        try:
            for path in files:
                self._make_room(path)
            self._workspace.write(files)
        except OSError as error:
            raise FixError(f"what a check changed cannot be taken back: {error}") from error
        return sorted(files)

    def _make_room(self, path: str) -> None:
        """Remove a folder in place of a former file: git, which tracks the file, does not."""
        root = self._workspace.root
        target = native(root, path)
        if target.is_dir() and not target.is_symlink() and not is_beyond_link(root, path) and not remove_folder(target):
            raise OSError(f"{target} cannot be removed")

    def _was(self, path: str) -> Entry | None:
        return self._edited[path] if path in self._edited else self._workspace.at(self._workspace.start, path)
