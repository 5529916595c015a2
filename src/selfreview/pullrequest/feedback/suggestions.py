"""Suggestion blocks: code of a reviewer that replaces the lines that a comment stands on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from selfreview.model.feedback import FeedbackItem, Spot
from selfreview.pullrequest.feedback.markdown import blocks
from selfreview.refine.tracking import LineMap

_INFO = "suggestion"


class Suggestion(NamedTuple):
    """Suggested replacement of lines.

    Attributes:
        item: Id of the comment.
        path: The file.
        old: The lines that it was made for, without line ends.
        new: The lines that take their place; none deletes them.
        line: Where the lines were, from 1.
        before: All lines of the file that it was made for, without line ends; None where that is gone.
    """

    item: str
    path: str
    old: tuple[bytes, ...]
    new: tuple[bytes, ...]
    line: int
    before: tuple[bytes, ...] | None = None


class Put(NamedTuple):
    """Place in a file where suggested lines go.

    Attributes:
        start: The first line that is replaced, from 0.
        length: How many are replaced.
        lines: What takes their place, with line ends.
        moved: Whether they are elsewhere than when it was written.
    """

    start: int
    length: int
    lines: tuple[bytes, ...]
    moved: bool


def block_of(item: FeedbackItem) -> tuple[str, ...] | None:
    """Return the lines of a comment's suggestion, or None where it has none, or several: then it is no plain edit."""
    found = [block for block in blocks(item.body) if block.language == _INFO]
    return found[0].lines if len(found) == 1 else None


def meant(spot: Spot, *, first_seen: bool = False) -> tuple[int, int, str] | None:
    """Return the first and the last line that a comment stands on, and the commit that they count in.

    None: it is about a removed line, or a file, or the forge does not say.

    Args:
        spot: Where it stands.
        first_seen: Whether those that it was written for are wanted before those of today.
    """
    if spot.old_side or spot.whole_file:
        return None
    places = (
        (spot.line, spot.start_line, spot.commit),
        (spot.original_line, spot.original_start_line, spot.original_commit),
    )
    for last, first, commit in reversed(places) if first_seen else places:
        if last is not None and commit is not None:
            return (first if first is not None else last, last, commit)
    return None


def split(data: bytes) -> list[bytes]:
    """Return the lines of a file with their line ends, split at line feeds alone."""
    lines = data.split(b"\n")
    return [*(line + b"\n" for line in lines[:-1]), *([lines[-1]] if lines[-1] else [])]


def from_hunk(hunk: str, count: int) -> tuple[bytes, ...] | None:
    """Return the last lines of the new side of a diff hunk, or None where it does not hold as many."""
    lines = [line[1:] for line in hunk.split("\n")[1:] if line[:1] in ("+", " ")]
    return tuple(line.encode("utf-8", "surrogatepass") for line in lines[-count:]) if 0 < count <= len(lines) else None


def place(suggestion: Suggestion, data: bytes) -> Put | None:
    """Return where a suggestion belongs in a file, or None where its lines are nowhere, or in several places.

    Where the lines that it was made for stand now, as far as the difference of both files tells; else the one other
    place that has them, if they stood at one place only. Line ends are those of the lines that go, and a file without
    one at its end stays so.
    """
    lines = split(data)
    bare = [_bare(line) for line in lines]
    old = [_bare(line) for line in suggestion.old]
    start = _start(suggestion, old, bare) if old else None
    if start is None:
        return None
    gone = lines[start : start + len(old)]
    end = b"\r\n" if gone[0].endswith(b"\r\n") else b"\n" if gone[0].endswith(b"\n") else _end_of(lines)
    new = [line + end for line in suggestion.new]
    if new and not gone[-1].endswith(b"\n"):
        new[-1] = suggestion.new[-1]
    return Put(start, len(old), tuple(new), start != suggestion.line - 1)


def _start(suggestion: Suggestion, old: list[bytes], now: list[bytes]) -> int | None:
    """Return where lines stand now, from 0. Equal text at the old number may be another function's."""
    if suggestion.before is not None:
        there = _stands(suggestion.before, now, suggestion.line, len(old))
        if there is not None and (there == suggestion.line - 1 or len(_places(old, now)) == 1):
            return there
        if len(_places(old, suggestion.before)) != 1:
            return None
    found = _places(old, now)
    return found[0] if len(found) == 1 else None


def _stands(before: Sequence[bytes], now: Sequence[bytes], line: int, length: int) -> int | None:
    """Return where lines of one file stand in another, from 0, one below the other; None where they do not."""
    moved = _line_map(before, now)
    there = [moved.line(number) if number <= len(before) else None for number in range(line, line + length)]
    first = there[0]
    return first - 1 if first is not None and there == list(range(first, first + length)) else None


def _line_map(before: Sequence[bytes], now: Sequence[bytes]) -> LineMap:
    return LineMap(*([line.decode("utf-8", "surrogateescape") for line in lines] for lines in (before, now)))


def _places(old: Sequence[bytes], lines: Sequence[bytes]) -> list[int]:
    """Return where lines occur, from 0."""
    return [at for at in range(len(lines) - len(old) + 1) if list(lines[at : at + len(old)]) == list(old)]


def in_place(suggestion: Suggestion, data: bytes) -> tuple[int, int] | None:
    """Return the lines of a file in which a suggestion stands already, the first from 1; None where it does not.

    The lines around are looked for, not its own, which may stand elsewhere by accident: what is between them now is
    what came of the lines that it was made for. Where its neighbours were edited as well, they have to be as many as
    they were, and it has to stand where it would among them.
    """
    if suggestion.before is None:
        return None
    now, new = ([_bare(line) for line in lines] for lines in (split(data), suggestion.new))
    moved = _line_map(suggestion.before, now)
    first, after, count = suggestion.line, suggestion.line + len(suggestion.old), len(suggestion.before)
    above = next((number for number in range(first - 1, 0, -1) if moved.line(number) is not None), 0)
    below = next((number for number in range(after, count + 1) if moved.line(number) is not None), count + 1)
    start = (moved.line(above) or 0) if above else 0
    end = (moved.line(below) or 0) - 1 if below <= count else len(now)
    own = start + first - above - 1
    as_many = end - start == (first - above - 1) + len(new) + (below - after)
    is_there = as_many and now[own : own + len(new)] == new
    alone = (above, below) == (first - 1, after)
    return (own + 1, own + len(new)) if is_there and (new or alone) else None


def put(data: bytes, where: Put) -> bytes:
    """Return a file with a suggestion in it."""
    lines = split(data)
    kept = lines[: where.start], lines[where.start + where.length :]
    joined = b"".join((*kept[0], *where.lines, *kept[1]))
    ends_without = bool(lines) and not lines[-1].endswith(b"\n")
    if not where.lines and ends_without and not kept[1] and joined.endswith(b"\n"):
        return joined.removesuffix(b"\n").removesuffix(b"\r")  # the last line is gone, and the file had no end of one
    return joined


def overlapping(places: Mapping[str, tuple[str, Put]]) -> set[str]:
    """Return the ids of those that are for lines that another is for too, and not the same as that."""
    clashing = set()
    entries = list(places.items())
    for index, (one, (path, at)) in enumerate(entries):
        for other, (same, there) in entries[index + 1 :]:
            apart = at.start + at.length <= there.start or there.start + there.length <= at.start
            if path == same and not apart and at != there:
                clashing |= {one, other}
    return clashing


def _bare(line: bytes) -> bytes:
    return line.removesuffix(b"\n").removesuffix(b"\r")


def _end_of(lines: list[bytes]) -> bytes:
    return b"\r\n" if lines and lines[0].endswith(b"\r\n") else b"\n"
