"""Stages of a refinement: the edits of each fixer, so that those of any can be reverted without the others."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Mapping, Sequence

from selfreview.errors import FixError
from selfreview.git.workspace import Workspace
from selfreview.git.worktree_files import Entry, make_room
from selfreview.guard import Edited
from selfreview.model.refinement import FixerReport


@dataclasses.dataclass(frozen=True, eq=False)
class FixerStage:
    """The edits of one fixer that the guard let pass.

    Attributes:
        report: How its part went; its files are emptied when it is reverted.
        edits: What it did, by path.
        done: Ids of the issues that no other fixer was given because of it.
    """

    report: FixerReport
    edits: Mapping[str, Edited]
    done: frozenset[str]


class FixerStages:
    """The edits that are kept in a workspace: those of earlier refinements, and the stages of this one.

    Args:
        workspace: The workspace.

    Attributes:
        judged: Its tree as it was looked at last.
    """

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._before: dict[str, Entry | None] = {}
        self._stages: list[FixerStage] = []
        self.judged = workspace.start

    @property
    def all(self) -> Sequence[FixerStage]:
        """Kept stages of this refinement, in order."""
        return tuple(self._stages)

    def begin(self) -> None:
        """Begin a refinement on top of the present state of the workspace."""
        for stage in self._stages:
            self._before.update(_after(stage))
        self._stages = []

    def resume(self, files: Mapping[str, Entry | None]) -> None:
        """Begin on top of an earlier run's edits of files, and the present state of the workspace."""
        self._before = dict(files)
        self.judged = self._workspace.tree()

    def add(self, stage: FixerStage, tree: str) -> None:
        """Keep the edits of a fixer; the workspace is at that tree."""
        self._stages.append(stage)
        self.judged = tree

    def demand(self, tree: str | None = None) -> None:
        """Refuse to continue with a workspace other than the one that was examined.

        Args:
            tree: What is in the workspace now, where that is known.

        Raises:
            FixError: If that is another: something that was started there still writes.
            GitError: If git cannot read it.
        """
        if (self._workspace.tree() if tree is None else tree) != self.judged:
            raise FixError("the workspace changed after it was looked at: something that was started there still runs")

    def was(self, path: str) -> Entry | None:
        """Return the entry at a path after the last kept edit, or at the beginning."""
        for stage in reversed(self._stages):
            if path in stage.edits:
                return stage.edits[path].new
        return self._before[path] if path in self._before else self._workspace.at(self._workspace.start, path)

    def show(self, stages: Collection[FixerStage]) -> None:
        """Reset the workspace to these stages alone, without anything else written there; they must need no others.

        Raises:
            FixError: If it is not so afterwards.
        """
        paths = {path for stage in (*self._stages, *stages) for path in stage.edits}
        paths.update(self._workspace.changed(self.judged, self._workspace.tree()))
        self._stages = [*stages]
        self._write({path: self.was(path) for path in paths})

    def replace(self, files: Mapping[str, Entry | None]) -> str:
        """Write files to the workspace, and return its tree.

        Raises:
            FixError: If they are not so afterwards.
        """
        self._write(files)
        for path in files:
            self._workspace.take(self.judged, path)
        return self.judged

    def _write(self, files: Mapping[str, Entry | None]) -> None:
        try:
            for path in files:
                make_room(self._workspace.root, path)
            self._workspace.write(files)
            wrong = [path for path, entry in files.items() if _data(self._workspace.read(path)) != _data(entry)]
        except OSError as error:
            raise FixError(f"the workspace could not be restored: {error}") from error
        if wrong:
            raise FixError("the workspace could not be restored to what it was before a fixer")
        self.judged = self._workspace.tree()


def without(stages: Sequence[FixerStage], guilty: Collection[FixerStage]) -> list[FixerStage]:
    """Return the stages that are independent of some: a later one that edited the same files is not."""
    kept: list[FixerStage] = []
    gone: set[str] = set()
    for stage in stages:
        if stage in guilty or _meet(stage.edits, gone):
            gone.update(stage.edits)
        else:
            kept.append(stage)
    return kept


def _data(entry: Entry | None) -> bytes | None:
    return None if entry is None else entry.data  # not every file system keeps the mode


def _after(stage: FixerStage) -> dict[str, Entry | None]:
    return {path: edit.new for path, edit in stage.edits.items()}


def _meet(paths: Collection[str], others: Collection[str]) -> bool:
    """Return whether two sets of paths share a file, or a file of either is a folder of the other."""
    return any(a == b or a.startswith(f"{b}/") or b.startswith(f"{a}/") for a in paths for b in others)
