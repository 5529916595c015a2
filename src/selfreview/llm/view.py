"""View of a changed file for a model: numbered pieces of the new side, removed lines at their place."""

from __future__ import annotations

import dataclasses
import functools
import re

from selfreview.api.context import Hunk, ReviewContext, SourceText
from selfreview.llm.outline import Definition, outline
from selfreview.llm.pieces import Line, Piece, pieces_of_hunks, pieces_of_text
from selfreview.model.change import ChangedFile, FileStatus
from selfreview.model.issue import Side
from selfreview.model.wire import display_path
from selfreview.text.escape import visible

__all__ = ["FileView", "Line", "Piece", "render", "render_line", "shown_path", "view_of"]


@dataclasses.dataclass(frozen=True)
class FileView:
    """Changed file as a model sees it.

    Attributes:
        file: The file.
        pieces: Its parts in order; none where only its name, mode or binary content changed.
        about: What happened to the file beyond its lines (``"new file"``), or the empty string.
        definitions: The outline of its new side, where that is known.
        before: The same of its old side.
    """

    file: ChangedFile
    pieces: tuple[Piece, ...]
    about: str = ""
    definitions: tuple[Definition, ...] = ()
    before: tuple[Definition, ...] = ()

    @functools.cached_property
    def added(self) -> frozenset[int]:
        """Numbers, on the new side, of all lines that are shown as added."""
        return frozenset(
            line.number for piece in self.pieces for line in piece.lines if line.mark == "+" and line.number is not None
        )


def view_of(file: ChangedFile, context: ReviewContext) -> FileView:
    """Show every changed line of a file with the definitions around it."""
    hunks = context.hunks(file)
    text = None if file.status is FileStatus.DELETED else context.text(file)
    if text is None or _is_partial(file, hunks, text, context):
        before = _before(file, context) if file.status is FileStatus.DELETED else ()
        return FileView(file, tuple(pieces_of_hunks(hunks)), _about(file), before=before)
    definitions = outline(file.path, text.text)
    return FileView(
        file, tuple(pieces_of_text(hunks, text, definitions)), _about(file), definitions, _before(file, context)
    )


def submodules(context: ReviewContext) -> tuple[str, ...]:
    """Return a line for each submodule that a change adds, moves to another commit or removes."""
    return tuple(
        f"## Submodule: {shown_path(file.path)} ({_moves(context.hunks(file))}; what changed in it is not shown)"
        for file in context.change.files
        if file.is_submodule and file.spans
    )


def _moves(hunks: tuple[Hunk, ...]) -> str:
    """Return the commits that a submodule moves between; ids in full length would be taken for secrets."""
    lines = (line for hunk in hunks for line in hunk.lines)
    found: dict[str, str] = {
        line.kind: m[1] for line in lines if (m := re.match(r"Subproject commit ([0-9a-f]{12})", line.text))
    }
    return f"from commit {found.get('-', 'none')} to {found.get('+', 'none')}"


def _before(file: ChangedFile, context: ReviewContext) -> tuple[Definition, ...]:
    text = None if file.status is FileStatus.ADDED else context.text(file, Side.OLD)
    return () if text is None else outline(file.path_at_base, text.text)


def _is_partial(file: ChangedFile, hunks: tuple[Hunk, ...], text: SourceText, context: ReviewContext) -> bool:
    """Return whether only the lines of hunks are known: of a bare patch nothing else is in the text."""
    if context.change.scope.mode != "diff" or file.status is FileStatus.ADDED:
        return False
    known = {line.new_line for hunk in hunks for line in hunk.lines}
    return not any(line for number, line in enumerate(text.lines, 1) if number not in known)


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
    """Return a path as a model is shown it, on one line, and as it answers with it."""
    return visible(display_path(path))


_BYTE = re.compile("[\ud800-\udfff]")


def _shown(text: str) -> str:
    """Return a text with what cannot be encoded as UTF-8 as escapes."""
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
