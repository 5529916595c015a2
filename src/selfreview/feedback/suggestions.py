"""Suggestion blocks: code of a reviewer that replaces the lines that a comment stands on."""

from __future__ import annotations

from typing import NamedTuple

from selfreview.feedback.fences import blocks
from selfreview.model.feedback import FeedbackItem, Spot

_INFO = "suggestion"


class Suggestion(NamedTuple):
    """What to put in the place of which lines.

    Attributes:
        item: Id of the comment.
        path: The file.
        old: The lines that it was made for, without line ends.
        new: The lines that take their place; none deletes them.
        line: Where the lines were, from 1.
    """

    item: str
    path: str
    old: tuple[bytes, ...]
    new: tuple[bytes, ...]
    line: int


class Put(NamedTuple):
    """Where lines are put.

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


def has_block(item: FeedbackItem) -> bool:
    """Whether a comment holds any suggestion."""
    return any(block.language == _INFO for block in blocks(item.body))


def meant(spot: Spot) -> tuple[int, int, str] | None:
    """Return the first and the last line that a comment stands on, and the commit that they count in.

    None: it is about a removed line, or a file, or the forge does not say.
    """
    if spot.old_side or spot.whole_file:
        return None
    for last, first, commit in (
        (spot.line, spot.start_line, spot.commit),
        (spot.original_line, spot.original_start_line, spot.original_commit),
    ):
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

    Where they were, if they still are there; else the one other place that has them. Line ends are those of the lines
    that go, and a file without one at its end stays so.
    """
    lines = split(data)
    bare = [_bare(line) for line in lines]
    old = [_bare(line) for line in suggestion.old]
    if not old:
        return None
    start = suggestion.line - 1
    if bare[start : start + len(old)] != old or start < 0:
        found = [at for at in range(len(bare) - len(old) + 1) if bare[at : at + len(old)] == old]
        if len(found) != 1:
            return None
        start = found[0]
    gone = lines[start : start + len(old)]
    end = b"\r\n" if gone[0].endswith(b"\r\n") else b"\n" if gone[0].endswith(b"\n") else _end_of(lines)
    new = [line + end for line in suggestion.new]
    if new and not gone[-1].endswith(b"\n"):
        new[-1] = suggestion.new[-1]
    return Put(start, len(old), tuple(new), start != suggestion.line - 1)


def put(data: bytes, where: Put) -> bytes:
    """Return a file with a suggestion in it."""
    lines = split(data)
    kept = lines[: where.start], lines[where.start + where.length :]
    joined = b"".join((*kept[0], *where.lines, *kept[1]))
    ends_without = bool(lines) and not lines[-1].endswith(b"\n")
    if not where.lines and ends_without and not kept[1] and joined.endswith(b"\n"):
        return joined.removesuffix(b"\n").removesuffix(b"\r")  # the last line is gone, and the file had no end of one
    return joined


def overlapping(suggestions: list[Suggestion]) -> set[str]:
    """Return the ids of those that are for lines that another is for too."""
    clashing = set()
    for index, one in enumerate(suggestions):
        for other in suggestions[index + 1 :]:
            apart = one.line + len(one.old) <= other.line or other.line + len(other.old) <= one.line
            if one.path == other.path and not apart:
                clashing |= {one.item, other.item}
    return clashing


def _bare(line: bytes) -> bytes:
    return line.removesuffix(b"\n").removesuffix(b"\r")


def _end_of(lines: list[bytes]) -> bytes:
    return b"\r\n" if lines and lines[0].endswith(b"\r\n") else b"\n"
