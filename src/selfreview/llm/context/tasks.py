"""Tasks: views of related files, split where they are too large, and packed under a token budget."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from selfreview.llm.context.excerpts import without
from selfreview.llm.context.outline import Definition
from selfreview.llm.context.view import (
    FileView,
    Piece,
    ViewLine,
    changed_definitions,
    heading_at,
    render_line,
    shown_path,
)
from selfreview.llm.transport.request import estimate_tokens

if TYPE_CHECKING:
    from selfreview.llm.context.excerpts import Reference


MAX_TOKENS = 6000
"""Default size of a task: small, since only the tasks with a changed file are asked again."""


@dataclasses.dataclass(frozen=True)
class PromptTask:
    """Views that are reviewed together.

    Attributes:
        name: Its number and first file, for a person (``"2/3 src/app.py"``).
        views: Whole files or parts of files, those that belong together side by side.
        references: Unchanged code that helps to judge them.
    """

    name: str
    views: tuple[FileView, ...]
    references: tuple[Reference, ...] = ()


def pack(
    views: Iterable[FileView], references: Mapping[str, Sequence[Reference]], max_tokens: int = MAX_TOKENS
) -> list[PromptTask]:
    """Pack views into tasks.

    Args:
        views: One for each file, in any order.
        references: What helps to judge a file, by its path.
        max_tokens: Most tokens of a task's views by :func:`cost`; only a single line that is larger by
            itself makes a larger task. References come on top, at most half as much.

    Returns:
        Tasks of files that belong together; the same for any order of the views.
    """
    by_path = {view.file.path: view for view in views}
    parts = [part for path in together(by_path, references) for part in split(by_path[path], max_tokens)]
    groups: list[list[FileView]] = []
    used = 0
    for part in parts:
        size = cost(part)
        if groups and used + size <= max_tokens:
            groups[-1].append(part)
            used += size
        else:
            groups.append([part])
            used = size
    return [
        _task(group, references, f"{number}/{len(groups)}", max_tokens // 2) for number, group in enumerate(groups, 1)
    ]


def _task(
    group: list[FileView], references: Mapping[str, Sequence[Reference]], name: str, max_tokens: int
) -> PromptTask:
    paths = dict.fromkeys(view.file.path for view in group)
    shown: dict[str, set[str]] = {}
    numbered: dict[str, dict[int, str]] = {}
    for view in group:
        texts = (line.text.strip() for piece in view.pieces for line in piece.lines if line.mark != "-")
        shown.setdefault(view.file.path, set()).update(texts)
        lines = (line for piece in view.pieces for line in piece.lines)
        numbered.setdefault(view.file.path, {}).update({n: text for n, _, text in lines if n is not None})
    chosen = dict.fromkeys(
        left
        for path in paths
        for reference in references.get(path, ())
        if not shown.get(reference.path, set()).issuperset(map(str.strip, reference.text.split("\n")))
        and (left := without(reference, numbered.get(reference.path, {})))
    )
    return PromptTask(f"{name} {group[0].file.path}", tuple(group), tuple(_fitting(chosen, max_tokens)))


def _fitting(references: Iterable[Reference], max_tokens: int) -> Iterator[Reference]:
    """Yield references while there is room, those of the first file first."""
    for reference in references:
        size = estimate_tokens(f"{reference.path} {reference.why}\n{reference.text}\n")
        if size <= max_tokens:
            max_tokens -= size
            yield reference


def overview(views: Sequence[FileView], references: Mapping[str, Sequence[Reference]], max_tokens: int) -> str:
    """Return the signatures that a change adds, edits or removes, and their users, to look at the change as a whole.

    Args:
        views: The changed files.
        references: Callers and the like, by changed file.
        max_tokens: Most tokens; what there is no room for is counted at the end.

    Returns:
        Text, or the empty string where no signature changed.
    """
    lines: list[str] = []
    for view in sorted(views, key=lambda v: v.file.path):
        own = []
        for item in changed_definitions(view):
            if item.signature_changed:
                place = f"{item.after.line_start:>5} " if item.after else "      "
                own += [f"      - {item.before.signature}"] if item.before else []
                own += [f"{place}+ {item.after.signature}"] if item.after else []
        if own:
            about = f" ({view.about})" if view.about else ""
            users = [r for r in references.get(view.file.path, ()) if r.is_use]
            lines += [f"## File: {shown_path(view.file.path)}{about}", *own]
            lines += [f"{shown_path(r.path)}, lines {r.line_start}-{r.line_end}, {r.why}:\n{r.text}" for r in users]
    kept, room = [], max_tokens
    for line in lines:
        size = estimate_tokens(line + "\n")
        if size <= room:
            room -= size
            kept.append(line)
    if len(kept) < len(lines):
        kept.append(f"[{len(lines) - len(kept)} more left out for want of room]")
    return "\n".join(kept)


def cost(view: FileView) -> int:
    """Return the tokens of a view: the sum over its lines, which is never less than that of the whole text."""
    return _head_cost(view) + sum(_piece_cost(piece) for piece in view.pieces)


def _head_cost(view: FileView) -> int:
    return estimate_tokens(f"## File: {shown_path(view.file.path)} ({view.about})\n")


def _heading_cost(piece: Piece) -> int:
    return estimate_tokens(f"\n@@ {piece.heading or ''}\n")


def _line_cost(line: ViewLine) -> int:
    return estimate_tokens(render_line(line, mixed_ends=True) + "\n")


def _piece_cost(piece: Piece) -> int:
    return _heading_cost(piece) + sum(map(_line_cost, piece.lines))


def split(view: FileView, max_tokens: int) -> list[FileView]:
    """Return a view in parts of at most ``max_tokens`` by :func:`cost`, each as large as that allows.

    Only a part of one line may be larger. Parts without a changed line are left out.
    """
    if cost(view) <= max_tokens:
        return [view]
    room = max_tokens - _head_cost(view)
    parts: list[list[Piece]] = []
    used = 0
    for piece in view.pieces:
        for cut in _cut(piece, room, view.definitions):
            size = _piece_cost(cut)
            if parts and used + size <= room:
                parts[-1].append(cut)
                used += size
            else:
                parts.append([cut])
                used = size
    return [dataclasses.replace(view, pieces=tuple(part)) for part in parts]


def _cut(piece: Piece, room: int, definitions: Sequence[Definition]) -> Iterator[Piece]:
    """Cut a piece that is too large; the heading of each part names the definitions around it."""
    if _piece_cost(piece) <= room:
        yield piece
        return
    costs = [_line_cost(line) for line in piece.lines]
    start = 0
    while start < len(piece.lines):
        heading = piece.heading if start == 0 else _heading(piece, start, room, definitions)
        end = _end(piece.lines, costs, start, room - _heading_cost(Piece((), heading)))
        lines = piece.lines[start:end]
        if any(line.mark != " " for line in lines):
            yield Piece(lines, heading)
        start = end


def _heading(piece: Piece, start: int, room: int, definitions: Sequence[Definition]) -> str | None:
    """Return the heading of a part, unless that would take too much of its room."""
    number = next((line.number for line in piece.lines[start:] if line.number is not None), None)
    heading = piece.heading if number is None else heading_at(definitions, number) or piece.heading
    return heading if _heading_cost(Piece((), heading)) * 4 <= room else None


def _end(lines: Sequence[ViewLine], costs: Sequence[int], start: int, room: int) -> int:
    """Return the end of a part: after the last blank line of its second half, else at the last line that fits."""
    end, used = start, 0
    while end < len(lines) and (end == start or used + costs[end] <= room):
        used += costs[end]
        end += 1
    if end == len(lines):
        return end
    middle = (start + end) // 2
    return next((at for at in range(end, middle, -1) if not lines[at - 1].text.strip()), end)


_RECENT = 4
"""Number of preceding files that a file is compared with."""
_TEST = re.compile(r"^test_|_(test|tests|spec)$|[.-](test|spec)$|(Test|Tests|Spec)$")


def together(paths: Iterable[str], references: Mapping[str, Sequence[Reference]]) -> list[str]:
    """Order paths so that related files are adjacent; the same for any order given."""
    left = sorted(paths)
    linked = {path: {reference.path for reference in references.get(path, ())} for path in left}
    subjects = {path: _subject(path) for path in left}
    folders = {path: path.rpartition("/")[0] for path in left}

    def closeness(path: str, recent: Sequence[str]) -> int:
        best = 0
        for other in recent:
            if other in linked[path] or path in linked[other] or subjects[path] == subjects[other]:
                return 2
            best = max(best, int(folders[path] == folders[other]))
        return best

    ordered: list[str] = []
    while left:
        recent = ordered[-_RECENT:]
        ordered.append(max(left, key=lambda path: closeness(path, recent)))  # the first of equals
        left.remove(ordered[-1])
    return ordered


def _subject(path: str) -> str:
    """Return ``app`` for ``src/app.py``, ``tests/test_app.py`` and ``AppTest.java``."""
    stem = path.rpartition("/")[2].rpartition(".")[0]
    return _TEST.sub("", stem).lstrip("_").lower() or path
