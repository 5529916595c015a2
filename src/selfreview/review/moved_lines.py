"""Lines that a change only moves: blocks that it removes in one place and adds in another, whatever their indentation.

White space at both ends of a line does not count, and so neither do line ends. Every removed line stands for one added
line. Git's ``--color-moved=blocks`` is the model, also of how many letters make a block one that was not met by chance.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from selfreview.model.change import Change, ChangedFile, FileStatus, LineRange
from selfreview.model.issue import Side
from selfreview.model.wire import display_path
from selfreview.review.anchor import TextOf

_LETTERS = 20
"""Letters and digits that a block holds which was found in another place by more than chance, as in git."""
_CANDIDATES = 64
"""Places at most that are tried for one block: a line that stands in more is no sign of any."""
_REGULAR = "100"
"""Beginning of the modes of regular files."""


class Origin(NamedTuple):
    """The place of a line before the change: a file of the change, and the number on its old side."""

    file: ChangedFile
    line: int

    def __str__(self) -> str:
        return f"{display_path(self.file.path_at_base)}:{self.line}"


class _Line(NamedTuple):
    """A line that the change adds or removes, without white space around it."""

    file: ChangedFile
    number: int
    text: str


def moved_lines(change: Change, text_of: TextOf) -> dict[tuple[str, int], Origin]:
    """Return where the lines came from that a change only moves, by their path and number.

    Args:
        change: The change.
        text_of: Returns a file's text on one side.
    """
    files = [file for file in change.reviewable if not file.binary]
    removed = _lines([file for file in files if _loses(file)], Side.OLD, text_of)
    if not removed:
        return {}
    blocks = _Blocks(_lines(files, Side.NEW, text_of), removed)
    # Within a file even one line is the one that stood there; but what is surely a block is not cut up for that.
    for same_file, letters in ((True, _LETTERS), (False, _LETTERS), (True, 1)):
        blocks.match(letters, same_file=same_file)
    return blocks.origins()


def _loses(file: ChangedFile) -> bool:
    """Return whether what a file removes is gone from there: the source of a copy keeps its lines."""
    return file.status in (FileStatus.MODIFIED, FileStatus.RENAMED, FileStatus.DELETED) and file.old_mode.startswith(
        _REGULAR
    )


def _lines(files: Iterable[ChangedFile], side: Side, text_of: TextOf) -> list[_Line | None]:
    """Return the changed lines of one side, with None between those that do not follow one another."""
    found: list[_Line | None] = []
    for file in files:
        ranges: Sequence[LineRange] = file.removed if side is Side.OLD else file.added
        text = text_of(file, side) if ranges else None
        if text is None:
            continue
        for first, last in ranges:
            found += (_Line(file, number, text.line(number).strip()) for number in range(first, last + 1))
            found.append(None)
    return found


class _Blocks:
    """Blocks of added lines that are blocks of removed ones."""

    def __init__(self, added: Sequence[_Line | None], removed: Sequence[_Line | None]) -> None:
        self._added, self._removed = added, removed
        self._origin: dict[int, int] = {}
        self._taken: set[int] = set()

    def origins(self) -> dict[tuple[str, int], Origin]:
        """Return what was matched."""
        pairs = ((self._added[at], self._removed[origin]) for at, origin in self._origin.items())
        return {(new.file.path, new.number): Origin(old.file, old.number) for new, old in pairs if new and old}

    def match(self, letters: int, *, same_file: bool) -> None:
        """Match the longest block that begins at each added line and holds enough letters."""
        places: dict[tuple[str, str], list[int]] = defaultdict(list)
        for index, line in enumerate(self._removed):
            if line is not None and index not in self._taken:
                places[line.file.path_at_base if same_file else "", line.text].append(index)
        at = 0
        while at < len(self._added):
            line = self._added[at]
            size = 0
            if line is not None and at not in self._origin and _letters(line.text):
                found = places.get((line.file.path_at_base if same_file else "", line.text), ())
                free = [index for index in found if index not in self._taken][:_CANDIDATES]
                size, origin = max(((self._size(at, index), -index) for index in free), default=(0, 0))
                block = range(size)
                if sum(_letters(self._text(at + step)) for step in block) < letters:
                    size = 0
                self._origin.update((at + step, step - origin) for step in range(size))
                self._taken.update(step - origin for step in range(size))
            at += size or 1

    def _size(self, at: int, origin: int) -> int:
        """Return how many lines from two places on are the same and free."""
        size = 0
        while at + size < len(self._added) and origin + size < len(self._removed):
            new, old = self._added[at + size], self._removed[origin + size]
            same = new is not None and old is not None and new.text == old.text
            if not same or at + size in self._origin or origin + size in self._taken:
                break
            size += 1
        return size

    def _text(self, at: int) -> str:
        line = self._added[at]
        return "" if line is None else line.text


def _letters(text: str) -> int:
    return sum(map(str.isalnum, text))
