"""Changes that fixers, checks and setup leave behind, in a workspace and around it: detected, and reverted."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from selfreview.errors import FixError, GitError
from selfreview.git.make_workspace import look_of
from selfreview.git.removal import Look, clear, remove_folder
from selfreview.git.workspace import Workspace
from selfreview.git.worktree_files import Entry, is_beyond_link, native
from selfreview.guard.content import LARGEST, special_files
from selfreview.guard.surroundings import Surroundings, surroundings
from selfreview.model.change import path_from_bytes
from selfreview.model.wire import display_path
from selfreview.text.layout import listing

_CACHES = frozenset(
    {"__pycache__", ".cache", ".hypothesis", ".mypy_cache", ".pytest_cache", ".ruff_cache", ".vite", ".vite-temp"}
)
"""Cache folders, whose files are made again when missing, so that none is restored."""
_MAX_KEPT = 16 * 1024 * 1024
"""Bytes of files that can be put back; beyond, what is changed is only removed."""
_MAX_NAMED = 3


class Ignored:
    """Remembers the ignored files of a workspace before something runs there: checks and the setup may have made some.

    Args:
        workspace: The workspace.
        spares: Returns whether a path is to be left as it is. Where it is given, what was changed and cannot be put
            back is left, too, and not removed: of a fixer nothing may stay, a check is the project's own.

    Raises:
        GitError: If git fails.
    """

    def __init__(self, workspace: Workspace, spares: Callable[[str], bool] | None = None) -> None:
        self._workspace = workspace
        self._spares = spares
        self._before = self._looks()
        self._copies = self._copied()

    def restore(self) -> str:
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
        copies, room = {}, _MAX_KEPT
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
    what = listing(map(display_path, paths), _MAX_NAMED)
    if not what:
        return ""
    if not removed:
        return f"An earlier run changed {what}, which git ignores, and that could not be put back."
    return f"It changed {what}, which git ignores; that was removed, and a check that needs it fails in this run."


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
            raise FixError("the workspace could not be restored to what it was before something ran there")
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
            raise FixError(f"what a check changed cannot be restored: {error}") from error
        return sorted(files)

    def _make_room(self, path: str) -> None:
        """Remove a folder in place of a former file: git, which tracks the file, does not."""
        root = self._workspace.root
        target = native(root, path)
        if target.is_dir() and not target.is_symlink() and not is_beyond_link(root, path) and not remove_folder(target):
            raise OSError(f"{target} cannot be removed")

    def _was(self, path: str) -> Entry | None:
        return self._edited[path] if path in self._edited else self._workspace.at(self._workspace.start, path)


class Around(NamedTuple):
    """Snapshot of a workspace's surroundings: the person's repository, and what is shared."""

    repository: Sequence[Surroundings]
    shared: Mapping[str, bytes]


class EscapeCheck:
    """Detects changes around a workspace.

    Args:
        folders: Git folders of the person's repository.
        workspace: The workspace.
    """

    def __init__(self, folders: Sequence[Path], workspace: Workspace) -> None:
        self._folders = folders
        self._workspace = workspace

    def snapshot(self) -> Around:
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

        Who changed it is not known: a person may work on, and a program that runs as the person can do the same.
        """
        now = self.snapshot()
        pairs = list(zip(before.repository, now.repository, strict=True))
        changes: list[tuple[str, str]] = []
        if any(was.settings != is_now.settings for was, is_now in pairs):
            what = "hooks or settings of your repository changed while it ran, outside of the workspace"
            look = "look at .git/config, .git/hooks and .git/info before you use git here again"
            changes.append((what, f"if that was not you, {look}"))
        if any(was.references != is_now.references for was, is_now in pairs):
            what = "a branch or a tag of your repository moved while it ran, so what it wrote is not kept"
            again = "if that was you, with a commit for example, run it again; if not, git reflog shows what moved"
            changes.append((what, again))
        changed = [name for name, look in before.shared.items() if now.shared.get(name) != look]
        if changed:
            names = ", ".join(map(display_path, changed))
            what = f"something in {names} changed while it ran, which workspace.share lets it reach in your own tree"
            changes.append((what, f"if that was not you, make {names} anew; undo cannot take it back"))
        return ("; ".join(what for what, _ in changes), "; ".join(hint for _, hint in changes)) if changes else None


_DEEP = "Leave no folders in each other that deep; paths have to be short enough for every system."
_LARGE = "Leave no file of more than one megabyte behind; a fix needs none."
_MAX_SHOWN = 80


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

    def normalise(self) -> list[str]:
        """Check that git can read the fixer's files; where it cannot, take all of them back and return why.

        Raises:
            FixError: If it cannot be restored.
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
    return path if len(path) <= _MAX_SHOWN else f"{path[:_MAX_SHOWN]}…"
