"""Attribution of new issues to the fixer whose edits brought them."""

from __future__ import annotations

from collections.abc import Sequence

from selfreview.api import Issue, Side
from selfreview.api.context import SourceText
from selfreview.git.entry import Entry
from selfreview.loop.line_map import LineMap
from selfreview.loop.stages import Stage
from selfreview.model.wire import display_path


def blame(stages: Sequence[Stage], new: Sequence[Issue]) -> dict[Stage, list[str]]:
    """Return the stages that brought issues, each with what it brought, as sentences.

    An issue belongs to the last that wrote one of its lines, else to the last that edited its file.

    Args:
        stages: In order, all of them in the workspace.
        new: Issues of the workspace as it is, which were not there before the stages.
    """
    found: dict[Stage, list[str]] = {}
    for issue in new:
        there = [stage for stage in stages if issue.file in stage.edits]
        if there:
            wrote = [stage for stage in there if _wrote(stage, there[-1], issue)]
            why = f"{display_path(issue.file)}:{issue.line_start}: new since this edit: {issue.description}"
            found.setdefault((wrote or there)[-1], []).append(why)
    return found


def _wrote(stage: Stage, last: Stage, issue: Issue) -> bool:
    """Return whether a stage wrote a line of an issue, whose lines are those after the last stage."""
    if issue.line_start == 0 or issue.side is Side.OLD:
        return False
    edit = stage.edits[issue.file]
    old, new = _lines(edit.old), _lines(edit.new)
    then = LineMap(_lines(last.edits[issue.file].new), new)
    lines = [then.line(number) for number in range(issue.line_start, issue.line_end + 1)]
    before = LineMap(new, old)
    return any(before.line(line) is None for line in lines if line is not None)


def _lines(entry: Entry | None) -> Sequence[str]:
    return () if entry is None else SourceText.from_bytes(entry.data).lines
