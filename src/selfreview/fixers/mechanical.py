"""Fixers that only make the edits which a reviewer's issues carry, and change nothing else."""

from __future__ import annotations

import dataclasses
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from selfreview.api import (
    ConfigView,
    Edit,
    Fix,
    FixAnswer,
    FixContext,
    Fixer,
    FixOutcome,
    FixRequest,
    Issue,
    Registry,
    Side,
    hookimpl,
)
from selfreview.errors import FixError
from selfreview.git.worktree_files import LINK, Entry, read_file, write_file
from selfreview.model.wire import display_path

MADE = "the suggested edit was applied"
"""The message for an issue whose own edit was made."""


class EditFixer:
    """Fixer, and the plugin that registers it, for the edits of one reviewer's issues; they are known to be right.

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

    @hookimpl
    def selfreview_register_fixers(self, registry: Registry[Fixer]) -> None:
        """Register the fixer."""
        registry.add(self)


ruff = EditFixer("ruff")
ruff.__doc__ = "Ruff's safe edits, as a fixer."
rules = EditFixer("rules")
rules.__doc__ = "The edits that rules of the embedded pack, and of the repository's own, bring with them, as a fixer."


def _fix_file(context: FixContext, path: str, issues: list[Issue]) -> dict[str, FixAnswer]:
    entry = read_file(context.root, path)
    if entry is None or entry.mode == LINK:
        return {issue.id: _left(issue.id, "there is no such file") for issue in issues}

    edited = keep(path, entry, issues, context)
    if edited.data != entry.data:
        write_file(context.root, path, Entry(entry.mode, edited.data))
    done = {id_: FixAnswer(issue=id_, outcome=FixOutcome.ADDRESSED, why=MADE) for id_ in edited.done}
    return done | {id_: _left(id_, why) for id_, why in edited.left.items()}


def _left(issue: str, why: str) -> FixAnswer:
    return FixAnswer(issue=issue, outcome=FixOutcome.NOT_ADDRESSED, why=why)


_BOM = b"\xef\xbb\xbf"
_FAR = 20
"""Lines; further away from its issue an edit may only insert, such as an import at the top."""


@dataclasses.dataclass(frozen=True)
class Edited:
    """The result of applying edits to a file.

    Attributes:
        data: The file's bytes.
        done: Ids of the issues whose edits are in it.
        left: Why the edits of others are not, by id.
    """

    data: bytes
    done: Sequence[str]
    left: Mapping[str, str]


class _Span(NamedTuple):
    """A replacement of what lies between two offsets of the text."""

    start: int
    end: int
    text: str

    @property
    def inserts(self) -> bool:
        return self.start == self.end

    def clashes(self, other: _Span) -> bool:
        """Return whether the two edits conflict in whatever order; side by side they do not."""
        if self.inserts and other.inserts:
            return self.start == other.start
        return self.start < other.end and other.start < self.end


def apply(data: bytes, issues: Sequence[Issue]) -> Edited:
    """Apply edits.

    All edits of an issue are made, or none: of issues whose edits overlap the worst wins, and of equals the first. The
    same edit of two issues is made once. Line breaks of a replacement become those of the lines around it.

    Args:
        data: The file.
        issues: Issues of this file, with the lines that it has now.
    """
    text = _Text(data)
    made: list[_Span] = []
    done: list[str] = []
    left: dict[str, str] = {}
    for issue in sorted(issues, key=lambda issue: -issue.severity.rank):  # sorted() keeps the order of equals
        spans = _spans(text, issue)
        if isinstance(spans, str):
            left[issue.id] = spans
        elif any(span != other and span.clashes(other) for span in spans for other in made):
            left[issue.id] = "its edit overlaps that of another issue"
        else:
            done.append(issue.id)
            made += [span for span in spans if span not in made]
    return Edited(text.replaced(made), done, left)


def _spans(text: _Text, issue: Issue) -> list[_Span] | str:
    """Return an issue's edits as offsets, or why they cannot be made."""
    if not issue.edits:
        return "its suggested edit does not match the code any more"
    spans: list[_Span] = []
    for edit in issue.edits:
        span = text.span(edit)
        if span is None:
            return "its edit is not one of this file"
        if not span.inserts and _distance(edit, issue) > _FAR:
            return f"its edit changes lines that are more than {_FAR} lines away"
        if any(span.clashes(other) for other in spans):
            return "its edits overlap each other"
        spans.append(span)
    return spans


def _distance(edit: Edit, issue: Issue) -> int:
    return max(issue.line_start - edit.line_end, edit.line_start - issue.line_end, 0)


class _Text:
    """A file's text with the places of its lines; lines end at line feeds only, columns count code points."""

    def __init__(self, data: bytes) -> None:
        self._mark = _BOM if data.startswith(_BOM) else b""
        self._text = data[len(self._mark) :].decode("utf-8", "surrogateescape")
        self._starts = [0]
        self._starts += [place + 1 for place, char in enumerate(self._text) if char == "\n"]

    def span(self, edit: Edit) -> _Span | None:
        """Return an edit as offsets; None where there is no such place, or what it writes cannot be encoded."""
        start, end = self._offset(edit.line_start, edit.column_start), self._offset(edit.line_end, edit.column_end)
        if start is None or end is None or start > end:
            return None
        plain = edit.replacement.replace("\r\n", "\n")
        try:
            plain.encode("utf-8", "surrogateescape")
        except UnicodeEncodeError:
            return None
        return _Span(start, end, plain.replace("\n", self._line_break(edit.line_start)))

    def replaced(self, spans: Sequence[_Span]) -> bytes:
        """Return the file's bytes with spans replaced, from the bottom up; none of them clash."""
        pieces: list[str] = []
        rest = len(self._text)
        for start, end, text in sorted(spans, reverse=True):
            pieces += (self._text[end:rest], text)
            rest = start
        pieces.append(self._text[:rest])
        # Piece by piece: what was escaped on both sides of a cut must not be taken for one character.
        return self._mark + b"".join(piece.encode("utf-8", "surrogateescape") for piece in reversed(pieces))

    def _offset(self, line: int, column: int) -> int | None:
        if (line, column) == (len(self._starts) + 1, 0) and self._starts[-1] < len(self._text):
            return len(self._text)  # behind a last line that has no line break
        if not 0 < line <= len(self._starts) or column < 0:
            return None
        end = self._starts[line] - 1 if line < len(self._starts) else len(self._text)
        offset = self._starts[line - 1] + column
        return offset if offset <= end else None

    def _line_break(self, line: int) -> str:
        """Return how a line ends, or the one before where it is the last and does not."""
        for following in (line, line - 1):
            if 0 < following < len(self._starts):
                return "\r\n" if self._text.endswith("\r\n", 0, self._starts[following]) else "\n"
        return "\n"


MAX_TRIES = 40
"""Maximum number of guard runs for one file; issues that are not sorted out by then are left."""


def keep(path: str, entry: Entry, issues: Sequence[Issue], context: FixContext) -> Edited:
    """Apply the edits of as many issues as the guard accepts.

    Args:
        path: The file's path.
        entry: The file.
        issues: Issues of this file, with the lines that it has now.
        context: Says what the guard measures edits against.

    Raises:
        ToolError: If the library that finds secrets is broken or fails.
    """

    from selfreview.guard import Bounds, examine
    from selfreview.guard import Edited as EditedFile

    def objection(tried: Sequence[Issue]) -> str | None:
        data = apply(entry.data, tried).data
        if data == entry.data:
            return None
        edits = [EditedFile(path, entry, Entry(entry.mode, data))]
        rejections = examine(edits, Bounds(change=context.change, issues=tried, config=context.config))
        return "; ".join(f"{each.reason} ({each.rule})" for each in rejections) or None

    search = _Search(objection)
    edited = apply(entry.data, search.extend([], list(issues)))
    return Edited(edited.data, edited.done, {**edited.left, **search.left})


class _Search:
    """Splits a list of issues in halves until those that the guard accepts are found."""

    def __init__(self, objection: Callable[[Sequence[Issue]], str | None]) -> None:
        self._objection = objection
        self._tries = 0
        self.left: dict[str, str] = {}

    def extend(self, kept: list[Issue], more: list[Issue]) -> list[Issue]:
        """Return the kept issues, and those of others that can be kept with them."""
        if not more:
            return kept
        self._tries += 1
        why = self._objection([*kept, *more])
        if why is None:
            return [*kept, *more]
        if len(more) == 1 or self._tries >= MAX_TRIES:
            self.left |= {issue.id: f"its edit cannot be kept: {why}" for issue in more}
            return kept
        half = len(more) // 2
        return self.extend(self.extend(kept, more[:half]), more[half:])
