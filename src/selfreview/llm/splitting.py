"""Splitting of a view that is too large: at its pieces, then at blank lines, then at any line."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence

from selfreview.llm.outline import Definition
from selfreview.llm.pieces import heading_at
from selfreview.llm.tokens import estimate
from selfreview.llm.view import FileView, Line, Piece, render_line, shown_path


def cost(view: FileView) -> int:
    """Return the tokens of a view: the sum over its lines, which is never less than that of the whole text."""
    return _head_cost(view) + sum(_piece_cost(piece) for piece in view.pieces)


def _head_cost(view: FileView) -> int:
    return estimate(f"## File: {shown_path(view.file.path)} ({view.about})\n")


def _heading_cost(piece: Piece) -> int:
    return estimate(f"\n@@ {piece.heading or ''}\n")


def _line_cost(line: Line) -> int:
    return estimate(render_line(line, mixed_ends=True) + "\n")


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


def _end(lines: Sequence[Line], costs: Sequence[int], start: int, room: int) -> int:
    """Return the end of a part: after the last blank line of its second half, else at the last line that fits."""
    end, used = start, 0
    while end < len(lines) and (end == start or used + costs[end] <= room):
        used += costs[end]
        end += 1
    if end == len(lines):
        return end
    middle = (start + end) // 2
    return next((at for at in range(end, middle, -1) if not lines[at - 1].text.strip()), end)
