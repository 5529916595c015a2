"""Edits as rules look at them: by file, with their text, renames put together."""

from __future__ import annotations

import dataclasses
import difflib
import functools
import re
from collections.abc import Sequence
from typing import NamedTuple

from selfreview.git.entry import LINK, Entry
from selfreview.loop.guard.model import Bounds, Edited
from selfreview.rules.languages import is_test, language_of

_BINARY_HEAD = 8000
_COLLECTED = re.compile(r"(?:^|/)(?:test_[^/]*|[^/]*_tests?|tests?)\.py$")
_SAME_FILE = 0.5
_LONGEST_COMPARED = 200_000
"""Bytes; of what is longer, only an exact copy counts as renamed."""


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
    """

    path: str
    old_path: str
    old: Entry | None
    new: Entry | None

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
        """Where the lines differ; their ends do not count."""
        return _hunks(self.old_lines, self.new_lines)

    @functools.cached_property
    def language(self) -> str | None:
        """What it is written in."""
        return "bats" if self.path.endswith(".bats") else language_of(self.path)

    @functools.cached_property
    def is_test(self) -> bool:
        """Whether it is a test, or was one."""
        return any(is_test(path) or path.endswith(".bats") for path in (self.path, self.old_path))

    @property
    def is_still_test(self) -> bool:
        """Whether whoever ran its tests finds them under its name of now."""
        if self.language == "python" and _COLLECTED.search(self.old_path):
            return _COLLECTED.search(self.path) is not None
        return is_test(self.path) or not is_test(self.old_path)


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
        """Return the rest of it."""
        kept = [file for file in self.files if paths.isdisjoint((file.path, file.old_path))]
        return Patch([edit for edit in self.edits if edit.path not in paths], kept, self.bounds)


def make_patch(edits: Sequence[Edited], bounds: Bounds) -> Patch:
    """Put edits together; a deleted file that is much like a new one was renamed."""
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
    """Whether something is no text."""
    return entry is not None and entry.mode != LINK and b"\0" in entry.data[:_BINARY_HEAD]


def text_of(entry: Entry | None) -> str:
    """Return a file's text; links and binary files have none."""
    if entry is None or entry.mode == LINK or is_binary(entry):
        return ""
    return entry.data.decode("utf-8", "surrogateescape")


def _source(path: str, new: Entry, gone: Sequence[Edited]) -> Edited | None:
    """Return the deleted file that a new one is most like."""
    best, found = _SAME_FILE, None
    for edit in gone:
        old = edit.old
        if old is None or LINK in (old.mode, new.mode) or not new.data.strip():
            continue
        if old.data == new.data:
            return edit
        if max(len(old.data), len(new.data)) > _LONGEST_COMPARED or language_of(edit.path) != language_of(path):
            continue
        ratio = difflib.SequenceMatcher(None, old.data.split(b"\n"), new.data.split(b"\n"), autojunk=False).ratio()
        if ratio >= best:
            best, found = ratio, edit
    return found


def _hunks(old: Sequence[str], new: Sequence[str]) -> list[Hunk]:
    head = 0
    while head < min(len(old), len(new)) and old[head] == new[head]:
        head += 1
    tail = 0
    while tail < min(len(old), len(new)) - head and old[-1 - tail] == new[-1 - tail]:
        tail += 1
    left, right = old[head : len(old) - tail], new[head : len(new) - tail]
    matcher = difflib.SequenceMatcher(None, left, right, autojunk=max(len(left), len(right)) > 3000)
    return [
        Hunk(head + i1 + 1, left[i1:i2], head + j1 + 1, right[j1:j2])
        for kind, i1, i2, j1, j2 in matcher.get_opcodes()
        if kind != "equal"
    ]
