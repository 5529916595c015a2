"""The base of fixers that only make the edits which a reviewer's issues carry."""

from __future__ import annotations

from collections import defaultdict

from selfreview.api import ConfigView, Fix, FixAnswer, FixContext, FixOutcome, FixRequest, Issue, Side
from selfreview.errors import FixError
from selfreview.git.worktree_files import LINK, Entry, read_file, write_file
from selfreview.model.wire import display_path

MADE = "the suggested edit was applied"
"""The message for an issue whose own edit was made."""


class EditFixer:
    """Makes the edits of one reviewer's issues; they are known to be right.

    Args:
        reviewer: Its name, which is the fixer's, too.
    """

    is_mechanical = True

    def __init__(self, reviewer: str) -> None:
        self.name = reviewer

    def takes(self, issue: Issue, config: ConfigView) -> bool:  # noqa: ARG002 - protocol
        """Take what that reviewer found and has an edit for."""
        return issue.reviewer == self.name and issue.side is Side.NEW and bool(issue.edits)

    def fix(self, request: FixRequest, context: FixContext) -> Fix:
        """Make the edits, but for those that the guard would reject: it would take back the others with them.

        Raises:
            FixError: If a file cannot be read or written.
            ToolError: If the library that finds secrets is broken or fails.
        """
        by_file: dict[str, list[Issue]] = defaultdict(list)
        for issue in request.issues:
            by_file[issue.file].append(issue)
        answers: dict[str, FixAnswer] = {}
        for path, issues in by_file.items():
            try:
                answers |= _fix_file(context, path, issues)
            except OSError as error:
                raise FixError(f"{display_path(path)} cannot be edited: {error.strerror or error}") from error
        return Fix(answers=[answers[issue.id] for issue in request.issues])


def _fix_file(context: FixContext, path: str, issues: list[Issue]) -> dict[str, FixAnswer]:
    entry = read_file(context.root, path)
    if entry is None or entry.mode == LINK:
        return {issue.id: _left(issue.id, "there is no such file") for issue in issues}
    from selfreview.fixers.edits import keep

    edited = keep(path, entry, issues, context)
    if edited.data != entry.data:
        write_file(context.root, path, Entry(entry.mode, edited.data))
    done = {id_: FixAnswer(issue=id_, outcome=FixOutcome.ADDRESSED, why=MADE) for id_ in edited.done}
    return done | {id_: _left(id_, why) for id_, why in edited.left.items()}


def _left(issue: str, why: str) -> FixAnswer:
    return FixAnswer(issue=issue, outcome=FixOutcome.NOT_ADDRESSED, why=why)
