"""A changed file as a model sees it: numbered pieces of the new side, removed lines at their place."""

from __future__ import annotations

import dataclasses
import functools
import re
from collections.abc import Iterator
from typing import Literal, NamedTuple

from selfreview.api.context import Hunk, ReviewContext, SourceText
from selfreview.model.change import ChangedFile, FileStatus, LineRange, merge_ranges
from selfreview.model.wire import display_path
from selfreview.text.escape import visible

_AROUND = 8
"""Lines of context where the structure of a file is not known."""


class Line(NamedTuple):
    """One line of a piece.

    Attributes:
        number: 1-based on the new side, None for a removed line.
        mark: ``"+"``, ``"-"`` or ``" "``.
        text: The exact line without its line feed; bytes that are not UTF-8 stand as surrogates.
    """

    number: int | None
    mark: Literal["+", "-", " "]
    text: str


@dataclasses.dataclass(frozen=True)
class Piece:
    """Lines that stand together.

    Attributes:
        lines: At least one line, in order.
        heading: The signature of what encloses the first line and begins above it, or None.
    """

    lines: tuple[Line, ...]
    heading: str | None = None


@dataclasses.dataclass(frozen=True)
class FileView:
    """What of a changed file is shown.

    Attributes:
        file: The file.
        pieces: Its parts in order; none where only its name, mode or binary content changed.
        about: What happened to the file beyond its lines (``"new file"``), or the empty string.
    """

    file: ChangedFile
    pieces: tuple[Piece, ...]
    about: str = ""

    @functools.cached_property
    def added(self) -> frozenset[int]:
        """The new-side numbers of all lines that are shown as added."""
        return frozenset(
            line.number for piece in self.pieces for line in piece.lines if line.mark == "+" and line.number is not None
        )


def view_of(file: ChangedFile, context: ReviewContext) -> FileView:
    """Show every changed line of a file with what encloses it."""
    hunks = context.hunks(file)
    text = None if file.status is FileStatus.DELETED else context.text(file)
    whole = text if text is not None and not _is_partial(file, hunks, text, context) else None
    pieces = _from_text(hunks, whole) if whole is not None else _from_hunks(hunks)
    return FileView(file, tuple(pieces), _about(file))


def _is_partial(file: ChangedFile, hunks: tuple[Hunk, ...], text: SourceText, context: ReviewContext) -> bool:
    """Whether only the lines of hunks are known: of a bare patch nothing else stands in the text."""
    if context.change.scope.mode != "diff" or file.status is FileStatus.ADDED:
        return False
    known = {line.new_line for hunk in hunks for line in hunk.lines}
    return not any(line for number, line in enumerate(text.lines, 1) if number not in known)


def _from_hunks(hunks: tuple[Hunk, ...]) -> Iterator[Piece]:
    for hunk in hunks:
        if hunk.lines:
            yield Piece(tuple(Line(line.new_line, line.kind, line.text) for line in hunk.lines))


def _from_text(hunks: tuple[Hunk, ...], text: SourceText) -> Iterator[Piece]:
    """Cut the pieces around the hunks from the whole text."""
    added: set[int] = set()
    removed: dict[int, list[Line]] = {}  # by the number of the new line above
    wanted = []
    for hunk in hunks:
        above = hunk.new_start - 1 if any(line.new_line for line in hunk.lines) else hunk.new_start
        first = last = None
        for line in hunk.lines:
            if line.new_line is None:
                removed.setdefault(above, []).append(Line(None, "-", line.text))
                continue
            above = line.new_line
            if line.kind == "+":
                added.add(line.new_line)
            first, last = first or line.new_line, line.new_line
        extent = LineRange(first or above, last or above + 1)
        wanted.append(_widened(extent, text))
    for shown in merge_ranges(wanted):
        lines = list(removed.get(shown.first - 1, ()) if shown.first == 1 else ())
        for number in range(shown.first, shown.last + 1):
            lines.append(Line(number, "+" if number in added else " ", text.line(number)))
            lines += removed.get(number, ())
        if lines:
            yield Piece(tuple(lines))


def _widened(extent: LineRange, text: SourceText) -> LineRange:
    return LineRange(max(extent.first - _AROUND, 1), min(extent.last + _AROUND, len(text.lines)))


def _about(file: ChangedFile) -> str:
    said = {
        FileStatus.ADDED: "new file",
        FileStatus.DELETED: "deleted file",
        FileStatus.RENAMED: f"renamed from {shown_path(file.path_at_base)}",
        FileStatus.COPIED: f"copied from {shown_path(file.path_at_base)}",
        FileStatus.TYPE_CHANGED: "its type changed",
    }
    facts = [said[file.status]] if file.status in said else []
    if file.binary:
        facts.append("binary")
    if file.is_submodule:
        facts.append("submodule")
    if file.is_symlink:
        facts.append("symbolic link")
    if file.old_mode != file.new_mode and "000000" not in (file.old_mode, file.new_mode):
        facts.append(f"mode {file.old_mode} to {file.new_mode}")
    return ", ".join(facts)


def shown_path(path: str) -> str:
    """Return a path as a model is shown it, on one line; what it answers with."""
    return visible(display_path(path))


_BYTE = re.compile("[\ud800-\udfff]")


def _shown(text: str) -> str:
    """Show what cannot be encoded as UTF-8 as escapes."""
    return _BYTE.sub(lambda match: f"\\x{ord(match[0]) & 0xFF:02x}", text)


def render(view: FileView) -> str:
    """Return a view as text: a line with the path, then the pieces, each line with its number and mark."""
    path = shown_path(view.file.path)
    parts = [f"## File: {path} ({view.about})" if view.about else f"## File: {path}"]
    # Carriage returns are shown only where they can be what changed.
    ends = {line.text.endswith("\r") for piece in view.pieces for line in piece.lines}
    for piece in view.pieces:
        parts.append("")
        parts.append(f"@@ {_shown(piece.heading)}" if piece.heading else "@@")
        parts += [render_line(line, mixed_ends=len(ends) > 1) for line in piece.lines]
    return "\n".join(parts) + "\n"


def render_line(line: Line, *, mixed_ends: bool = False) -> str:
    """Return a line with its number and mark.

    Args:
        line: What to show.
        mixed_ends: Whether some lines around end in a carriage return and some do not, so that each must be seen.
    """
    text = line.text.removesuffix("\r")
    end = "\\r" if mixed_ends and text != line.text else ""
    number = "" if line.number is None else str(line.number)
    return f"{number:>5} {line.mark} {_shown(text)}{end}".rstrip(" ")
