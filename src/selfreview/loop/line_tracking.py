"""Tracking of lines: where those of one tree of a workspace ended up in another, rewritten ones too."""

from __future__ import annotations

from collections.abc import Sequence

from selfreview.api.context import SourceText
from selfreview.git.workspace import Workspace
from selfreview.loop.line_map import LineMap
from selfreview.model.change import LineRange
from selfreview.model.issue import Issue, Side


class Landing:
    """Follows issues through an edit.

    Args:
        workspace: The workspace.
        old, new: Its tree before and after.
    """

    def __init__(self, workspace: Workspace, old: str, new: str) -> None:
        self._workspace = workspace
        self._trees = old, new
        self._maps: dict[str, LineMap] = {}

    def __call__(self, issue: Issue) -> LineRange | None:
        """Return the lines that an issue of the old tree would begin on now; None where there are none."""
        if issue.side is Side.OLD or issue.line_start == 0:
            return None
        if issue.file not in self._maps:
            old, new = (self._lines(tree, issue.file) for tree in self._trees)
            self._maps[issue.file] = LineMap(old, new)
        return self._maps[issue.file].place(issue.line_start)

    def _lines(self, tree: str, path: str) -> Sequence[str]:
        entry = self._workspace.at(tree, path)
        return () if entry is None else SourceText.from_bytes(entry.data).lines
