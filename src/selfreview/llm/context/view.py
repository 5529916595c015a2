"""View of a changed file for a model: numbered hunks with their surroundings, and the definitions that changed."""

from __future__ import annotations

import bisect
import dataclasses
import functools
import itertools
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Literal, NamedTuple

from selfreview.api.context import Hunk, ReviewContext, SourceText
from selfreview.llm.context.outline import Definition, enclosing, outline
from selfreview.model.change import ChangedFile, FileStatus, LineRange, merge_ranges
from selfreview.model.issue import Side
from selfreview.model.wire import display_path
from selfreview.text.escape import visible


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
    labels = {
        FileStatus.ADDED: "new file",
        FileStatus.DELETED: "deleted file",
        FileStatus.RENAMED: f"renamed from {shown_path(file.path_at_base)}",
        FileStatus.COPIED: f"copied from {shown_path(file.path_at_base)}",
        FileStatus.TYPE_CHANGED: "its type changed",
    }
    facts = [labels[file.status]] if file.status in labels else []
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


def render_line(line: ViewLine, *, mixed_ends: bool = False) -> str:
    """Return a line with its number and mark.

    Args:
        line: What to show.
        mixed_ends: Whether some lines around end in a carriage return and some do not, so that each must be seen.
    """
    text = line.text.removesuffix("\r")
    end = "\\r" if mixed_ends and text != line.text else ""
    number = "" if line.number is None else str(line.number)
    return f"{number:>5} {line.mark} {_shown(text)}{end}".rstrip(" ")


_MIN_AROUND = 3
"""Lines of context around every hunk."""
_BLANK = 1
"""Lines of context around a hunk that changes only blank lines and the ends of lines."""
_PLAIN = 8
"""Lines of context where the structure of a file is not known, or a hunk is in no function."""
_LONG = 15
"""Lines of context in a function that is too long to show."""
_WHOLE = 120
"""Maximum lines of a function that is shown from its first to its last."""


class ViewLine(NamedTuple):
    """Line of a piece.

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
    """Piece of a file: consecutive lines that are shown.

    Attributes:
        lines: At least one line, in order.
        heading: The signatures of what encloses the first line and the first change and begins above, or None.
    """

    lines: tuple[ViewLine, ...]
    heading: str | None = None


class _Marked(NamedTuple):
    """Added lines by number, removed ones by the number of the new line above, the hunks' extents, and those of hunks
    that change only blank lines and the ends of lines."""

    added: set[int]
    removed: dict[int, list[ViewLine]]
    extents: list[LineRange]
    blank: list[LineRange]


def pieces_of_hunks(hunks: Iterable[Hunk]) -> Iterator[Piece]:
    """Show hunks as they are."""
    for hunk in hunks:
        if hunk.lines:
            yield Piece(tuple(ViewLine(line.new_line, line.kind, line.text) for line in hunk.lines))


def pieces_of_text(hunks: Iterable[Hunk], text: SourceText, definitions: Sequence[Definition]) -> Iterator[Piece]:
    """Show hunks with what encloses them; pieces that touch are joined.

    Args:
        hunks: What changed.
        text: The whole new side.
        definitions: Its outline; empty where it is not known.
    """
    marked = _mark(hunks)
    count = len(text.lines)
    wide = [_widened(extent, count, definitions) for extent in marked.extents]
    narrow = [LineRange(max(first - _BLANK, 1), min(last + _BLANK, count)) for first, last in marked.blank]
    for shown in merge_ranges([*wide, *narrow]):
        lines = list(marked.removed.get(0, ())) if shown.first == 1 else []
        for number in range(shown.first, shown.last + 1):
            lines.append(ViewLine(number, "+" if number in marked.added else " ", text.line(number)))
            lines += marked.removed.get(number, ())
        if lines:
            yield Piece(tuple(lines), heading_at(definitions, shown.first, _changed(lines)))


def _mark(hunks: Iterable[Hunk]) -> _Marked:
    marked = _Marked(set(), {}, [], [])
    for hunk in hunks:
        numbers = [line.new_line for line in hunk.lines if line.new_line is not None]
        above = numbers[0] - 1 if numbers else hunk.new_start
        extents = marked.blank if _is_blank(hunk) else marked.extents
        extents.append(LineRange(numbers[0], numbers[-1]) if numbers else LineRange(above, above + 1))
        for line in hunk.lines:
            if line.new_line is None:
                marked.removed.setdefault(above, []).append(ViewLine(None, "-", line.text))
                continue
            above = line.new_line
            if line.kind == "+":
                marked.added.add(above)
    return marked


def _is_blank(hunk: Hunk) -> bool:
    """Return whether a hunk changes only blank lines and the ends of lines; white space before code can matter."""
    before, after = (
        [text for line in hunk.lines if line.kind != mark and (text := line.text.rstrip())] for mark in "+-"
    )
    return before == after


def _widened(extent: LineRange, count: int, definitions: Sequence[Definition]) -> LineRange:
    """Return the lines to show for a hunk of a file of ``count`` lines."""
    first, last = extent
    starts, ends = [first - _MIN_AROUND], [last + _MIN_AROUND]
    for edge in extent:
        functions = [item for item in enclosing(definitions, edge) if item.kind == "function"]
        fitting = [item for item in functions if item.line_end - item.line_start < _WHOLE]
        if fitting:
            starts.append(fitting[0].line_start)
            ends.append(fitting[0].line_end)
        else:
            around = _LONG if functions else _PLAIN
            starts.append(first - around if edge == first else first)
            ends.append(last + around if edge == last else last)
    return LineRange(max(min(starts), 1), min(max(ends), count))


def _changed(lines: Sequence[ViewLine]) -> int | None:
    """Return the number of the first changed line; of a removed line that of the next line still there."""
    rest = itertools.dropwhile(lambda line: line.mark == " ", lines)
    return next((line.number for line in rest if line.number is not None), None)


def heading_at(definitions: Sequence[Definition], first: int, changed: int | None = None) -> str | None:
    """Return the signatures of the definitions around a piece that begins at a line, outermost first, or None.

    Args:
        definitions: The outline of the file.
        first: The first line of the piece.
        changed: A line that must stand in it too: what ends before the change is no heading of it.
    """
    around = (item for item in enclosing(definitions, first) if item.line_start < first)
    return " > ".join(item.signature for item in around if changed is None or changed in item) or None


class ChangedDefinition(NamedTuple):
    """Definition before and after a change; None where there is none."""

    name: str
    before: Definition | None
    after: Definition | None

    @property
    def signature_changed(self) -> bool:
        """Return whether callers see a difference."""
        return self.before is None or self.after is None or self.before.signature != self.after.signature


def changed_definitions(view: FileView) -> list[ChangedDefinition]:
    """Return the functions that a change touches, and the types and constants whose signature it changes, in order."""
    before, after = _qualified(view.before), _qualified(view.definitions)
    spots = sorted(_spots(view))
    result = []
    for key, definition in after.items():
        item = ChangedDefinition(definition.name, before.get(key), definition)
        nearest = bisect.bisect_left(spots, definition.line_start)
        touched = nearest < len(spots) and spots[nearest] <= definition.line_end
        if touched and (definition.kind == "function" or item.signature_changed):
            result.append(item)
    result += [ChangedDefinition(old.name, old, None) for key, old in before.items() if key not in after]
    return result


def _qualified(definitions: Sequence[Definition]) -> dict[tuple[str, ...], Definition]:
    """Return definitions by their names and those around them; overloads are numbered."""
    found: dict[tuple[str, ...], Definition] = {}
    around: list[Definition] = []
    for item in definitions:
        while around and around[-1].line_end < item.line_start:
            around.pop()
        key = (*(outer.name for outer in around), item.name)
        number = 1
        while key in found:
            number += 1
            key = (*key[: len(around)], item.name, str(number))
        found[key] = item
        around.append(item)
    return found


def _spots(view: FileView) -> Iterator[float]:
    """Return where something changed: added lines, and for removed ones a place between two lines."""
    for piece in view.pieces:
        above = next((line.number for line in piece.lines if line.number is not None), 1) - 1
        for line in piece.lines:
            if line.number is not None:
                above = line.number
            if line.mark == "+":
                yield above
            elif line.mark == "-":
                yield above + 0.5
