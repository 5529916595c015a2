"""Lines that a change only moves: blocks that it removes in one place and adds in another, whatever their indentation.

Spaces and tabs at both ends of a line do not count, nor do line ends; other white space may be no margin. Every removed
line stands for one added line. Git's ``--color-moved=blocks`` is the model, also of how many letters make a block one
that was not met by chance.
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
_MOST_PLACES = 8
"""Places at most where a line was that a block is looked for by; what is in more is no sign of any."""
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


def shown(line: str) -> str:
    """Return a line without its margin and its line end."""
    return line.rstrip(" \t\r").lstrip(" \t")


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
            found += (_Line(file, number, shown(text.line(number))) for number in range(first, last + 1))
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
        """Match the longest block around each added line that holds enough letters."""
        places: dict[tuple[str, str], list[int]] = defaultdict(list)
        for index, line in enumerate(self._removed):
            if line is not None and index not in self._taken:
                places[_key(line, same_file)].append(index)
        at = 0
        while at < len(self._added):
            line = self._added[at]
            found = places.get(_key(line, same_file), ()) if line is not None and _letters(line.text) else ()
            blocks = [self._around(at, index) for index in found] if len(found) <= _MOST_PLACES else []
            size, new, old = max(blocks, default=(0, 0, 0), key=lambda block: block[0])
            if sum(_letters(self._text(new + step)) for step in range(size)) >= letters:
                self._origin.update((new + step, old + step) for step in range(size))
                self._taken.update(range(old, old + size))
            at = max(at + 1, new + size if at in self._origin else 0)

    def _around(self, at: int, index: int) -> tuple[int, int, int]:
        """Return the size of the block around two places that are the same and free, and where it begins in both."""
        before, after = 0, 0
        while self._is_same(at + after, index + after):
            after += 1
        while after and self._is_same(at - before - 1, index - before - 1):
            before += 1
        return before + after, at - before, index - before

    def _is_same(self, at: int, index: int) -> bool:
        if not (0 <= at < len(self._added) and 0 <= index < len(self._removed)):
            return False
        new, old = self._added[at], self._removed[index]
        same = new is not None and old is not None and new.text == old.text
        return same and at not in self._origin and index not in self._taken

    def _text(self, at: int) -> str:
        line = self._added[at]
        return "" if line is None else line.text


def _key(line: _Line, same_file: bool) -> tuple[str, str]:
    return line.file.path_at_base if same_file else "", line.text


def _letters(text: str) -> int:
    return sum(map(str.isalnum, text))
