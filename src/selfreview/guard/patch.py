"""Patch that the rules examine: edits by file, with their text, renames paired, compared in bounded work."""

from __future__ import annotations

import bisect
import dataclasses
import difflib
import functools
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from selfreview.git.worktree_files import LINK, Entry
from selfreview.guard.model import Bounds, Edited
from selfreview.model.change import HunkSpan
from selfreview.syntax.languages import language_of
from selfreview.syntax.testfiles import is_test

LARGEST_EXACT = 2_000_000
"""Pairs of equal lines, times lines: what :class:`difflib.SequenceMatcher` may look at in one part of two texts."""

_ROUNDS = 8
"""Rounds of splitting a part at the lines that occur only once in it."""


class Part(NamedTuple):
    """Lines ``old_first`` to before ``old_end``, from 0, that became ``new_first`` to before ``new_end``."""

    old_first: int
    old_end: int
    new_first: int
    new_end: int


def differing(old: Sequence[str], new: Sequence[str]) -> list[Part]:
    """Return the differing parts, in order.

    Small parts are compared exactly. Larger ones are first split at lines that occur once on either side; what then is
    still too large, because its lines repeat themselves, counts as replaced as a whole.
    """
    whole = _trimmed(Part(0, len(old), 0, len(new)), old, new)
    return [inner for part in _split(whole, old, new) for inner in _compared(part, old, new)]


def _split(whole: Part, old: Sequence[str], new: Sequence[str]) -> list[Part]:
    parts = [whole]
    for _ in range(_ROUNDS):
        if all(map(_is_small, *_sides(parts, old, new))):
            break
        parts = [
            inner
            for part, left, right in zip(parts, *_sides(parts, old, new), strict=True)
            for inner in ([part] if _is_small(left, right) else _between_anchors(part, old, new))
        ]
    return parts


def _sides(
    parts: Sequence[Part], old: Sequence[str], new: Sequence[str]
) -> tuple[list[Sequence[str]], list[Sequence[str]]]:
    return [old[p.old_first : p.old_end] for p in parts], [new[p.new_first : p.new_end] for p in parts]


def _is_small(left: Sequence[str], right: Sequence[str]) -> bool:
    counts = Counter(right)
    return sum(counts[line] for line in left) * min(len(left), len(right)) <= LARGEST_EXACT


def _compared(part: Part, old: Sequence[str], new: Sequence[str]) -> Iterator[Part]:
    left, right = old[part.old_first : part.old_end], new[part.new_first : part.new_end]
    if not _is_small(left, right):
        yield part
        return
    for kind, i1, i2, j1, j2 in difflib.SequenceMatcher(None, left, right, autojunk=False).get_opcodes():
        if kind != "equal":
            yield Part(part.old_first + i1, part.old_first + i2, part.new_first + j1, part.new_first + j2)


def _between_anchors(part: Part, old: Sequence[str], new: Sequence[str]) -> Iterator[Part]:
    """Yield the parts between the lines that occur once on each side, in the same order."""
    once_old = _once(old, part.old_first, part.old_end)
    once_new = _once(new, part.new_first, part.new_end)
    pairs = sorted((at, once_new[line]) for line, at in once_old.items() if line in once_new)
    at_old, at_new = part.old_first, part.new_first
    for i, j in [*_rising(pairs), (part.old_end, part.new_end)]:
        inner = _trimmed(Part(at_old, i, at_new, j), old, new)
        if inner.old_first < inner.old_end or inner.new_first < inner.new_end:
            yield inner
        at_old, at_new = i + 1, j + 1


def _once(lines: Sequence[str], first: int, end: int) -> dict[str, int]:
    counts = Counter(lines[first:end])
    return {lines[at]: at for at in range(first, end) if counts[lines[at]] == 1}


def _rising(pairs: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return a longest part of pairs in order of their first, whose second also rises."""
    ends: list[int] = []
    last: list[int] = []
    before: list[int] = []
    for number, (_, second) in enumerate(pairs):
        at = bisect.bisect_left(ends, second)
        before.append(last[at - 1] if at else -1)
        ends[at : at + 1] = [second]
        last[at : at + 1] = [number]
    found = []
    number = last[-1] if last else -1
    while number >= 0:
        found.append(pairs[number])
        number = before[number]
    return found[::-1]


def _trimmed(part: Part, old: Sequence[str], new: Sequence[str]) -> Part:
    """Return a part without the lines that its sides begin and end with alike."""
    i, i_end, j, j_end = part
    while i < i_end and j < j_end and old[i] == new[j]:
        i, j = i + 1, j + 1
    while i < i_end and j < j_end and old[i_end - 1] == new[j_end - 1]:
        i_end, j_end = i_end - 1, j_end - 1
    return Part(i, i_end, j, j_end)


_BINARY_HEAD = 8000
_SAME_FILE = 0.5
_LONGEST_COMPARED = 200_000
"""Bytes of the largest file that counts as renamed without being an exact copy."""


class Hunk(NamedTuple):
    """Lines that differ, with the number of the first on each side, from 1."""

    old_start: int
    old: Sequence[str]
    new_start: int
    new: Sequence[str]


@dataclasses.dataclass(frozen=True, eq=False)
class File:
    """One edited file.

    Attributes:
        path: Its path now; of a deleted file, the one that it had.
        old_path: Its path before.
        old, new: What it was and what it is; None where it is absent.
        spans: Where the lines differ, as git found it; None where nobody asked git.
        given_to_tests: Whether a check gives it to a test runner, whatever it is called.
    """

    path: str
    old_path: str
    old: Entry | None
    new: Entry | None
    spans: Sequence[HunkSpan] | None = None
    given_to_tests: bool = False

    @functools.cached_property
    def old_text(self) -> str:
        """The text before; empty where there was none."""
        return text_of(self.old)

    @functools.cached_property
    def new_text(self) -> str:
        """The text now; empty where there is none."""
        return text_of(self.new)

    @functools.cached_property
    def old_lines(self) -> list[str]:
        """Lines before, without their ends."""
        return self.old_text.replace("\r\n", "\n").split("\n")

    @functools.cached_property
    def new_lines(self) -> list[str]:
        """Lines now, without their ends."""
        return self.new_text.replace("\r\n", "\n").split("\n")

    @functools.cached_property
    def hunks(self) -> list[Hunk]:
        """Hunks in which the lines differ; line endings do not count, unless the hunks are git's."""
        if self.spans is not None:
            return _from_spans(self.spans, self.old_lines, self.new_lines)
        return _hunks(self.old_lines, self.new_lines)

    @functools.cached_property
    def language(self) -> str | None:
        """Programming language of the file, or None."""
        return "bats" if self.path.endswith(".bats") else language_of(self.path)

    @functools.cached_property
    def is_test(self) -> bool:
        """Return whether it is a test file, or was one."""
        return any(is_test(path) or path.endswith(".bats") for path in (self.path, self.old_path))

    @property
    def has_tests(self) -> bool:
        """Return whether a runner finds tests in it: the rules that protect tests apply to it."""
        return self.is_test or self.given_to_tests


@dataclasses.dataclass(frozen=True, eq=False)
class Patch:
    """All that a fixer changed.

    Attributes:
        edits: Path by path.
        files: File by file.
        bounds: What it is measured against.
    """

    edits: Sequence[Edited]
    files: Sequence[File]
    bounds: Bounds

    def without(self, paths: set[str]) -> Patch:
        """Return the patch without some files."""
        kept = [file for file in self.files if paths.isdisjoint((file.path, file.old_path))]
        return Patch([edit for edit in self.edits if edit.path not in paths], kept, self.bounds)


def make_patch(edits: Sequence[Edited], bounds: Bounds) -> Patch:
    """Build a patch of edits; a deleted file that is much like a new one counts as renamed."""
    gone = [edit for edit in edits if edit.old is not None and edit.new is None]
    files = []
    for edit in edits:
        if edit.old is not None or edit.new is None:
            continue
        source = _source(edit.path, edit.new, gone)
        if source is not None:
            gone.remove(source)
        files.append(File(edit.path, source.path if source else edit.path, source.old if source else None, edit.new))
    files += [File(edit.path, edit.path, edit.old, edit.new) for edit in edits if edit.old and edit.new]
    files += [File(edit.path, edit.path, edit.old, None) for edit in gone]
    return Patch(edits, sorted(files, key=lambda file: file.path), bounds)


def is_binary(entry: Entry | None) -> bool:
    """Return whether a file is binary."""
    return entry is not None and entry.mode != LINK and b"\0" in entry.data[:_BINARY_HEAD]


def text_of(entry: Entry | None) -> str:
    """Return a file's text; links and binary files have none."""
    if entry is None or entry.mode == LINK or is_binary(entry):
        return ""
    return entry.data.decode("utf-8", "surrogateescape")


def _source(path: str, new: Entry, gone: Sequence[Edited]) -> Edited | None:
    """Return the deleted file that a new one is most like."""
    if new.mode == LINK or not new.data.strip():
        return None
    files = [(edit, edit.old.data) for edit in gone if edit.old is not None and edit.old.mode != LINK]
    same = next((edit for edit, data in files if data == new.data), None)
    if same is not None or len(new.data) > _LONGEST_COMPARED:
        return same
    lines = _lines_of(new.data)
    others = [
        (edit, _lines_of(data))
        for edit, data in files
        if len(data) <= _LONGEST_COMPARED and language_of(edit.path) == language_of(path)
    ]
    best, found = _SAME_FILE, None
    # Lines wherever they stand are counted quickly, and are never fewer than those that stand in the same order.
    limits = sorted(((_shared(old, lines), number) for number, (_, old) in enumerate(others)), reverse=True)
    for limit, number in limits:
        edit, old = others[number]
        if limit < best or (found is not None and limit == best):
            break
        kept = len(old) - sum(part.old_end - part.old_first for part in differing(old, lines))
        ratio = 2 * kept / (len(old) + len(lines))
        if ratio >= best:
            best, found = ratio, edit
    return found


def _lines_of(data: bytes) -> list[str]:
    """Return the lines of a text in any encoding, one character a byte."""
    return data.decode("latin-1").split("\n")


def _shared(old: Sequence[str], new: Sequence[str]) -> float:
    """Return the share of equal lines in two texts, from 0 to 1, in any order."""
    return 2 * (Counter(old) & Counter(new)).total() / (len(old) + len(new))


def _from_spans(spans: Sequence[HunkSpan], old: Sequence[str], new: Sequence[str]) -> list[Hunk]:
    hunks = []
    for span in spans:
        # With a count of 0, git names the line before the place.
        at, now = span.old_start + (not span.old_count), span.new_start + (not span.new_count)
        hunks.append(Hunk(at, old[at - 1 :][: span.old_count], now, new[now - 1 :][: span.new_count]))
    return hunks


def _hunks(old: Sequence[str], new: Sequence[str]) -> list[Hunk]:
    return [Hunk(i1 + 1, old[i1:i2], j1 + 1, new[j1:j2]) for i1, i2, j1, j2 in differing(old, new)]
