"""A change under review: its files and exact line ranges.

Paths are ``str`` decoded from git's bytes as UTF-8 with ``surrogateescape``, so every name that a
file system can hold survives the round trip; :func:`path_bytes` gives the bytes back.
"""

from __future__ import annotations

import enum
import functools
from collections.abc import Iterable
from typing import NamedTuple

import msgspec


def path_from_bytes(raw: bytes) -> str:
    """Decode a path as git prints it under ``-z``."""
    return raw.decode("utf-8", "surrogateescape")


def path_bytes(path: str) -> bytes:
    """Return the exact bytes of a path made by :func:`path_from_bytes`."""
    return path.encode("utf-8", "surrogateescape")


class FileStatus(enum.StrEnum):
    """The status of a file in a change, in git's terms."""

    ADDED = "added"
    MODIFIED = "modified"
    DELETED = "deleted"
    RENAMED = "renamed"
    COPIED = "copied"
    TYPE_CHANGED = "type_changed"


class LineRange(NamedTuple):
    """Lines ``first`` to ``last``, counted from 1, both inclusive."""

    first: int
    last: int

    def __contains__(self, line: object) -> bool:
        return isinstance(line, int) and self.first <= line <= self.last

    @property
    def size(self) -> int:
        """The number of lines in the range."""
        return self.last - self.first + 1


class HunkSpan(NamedTuple):
    """One hunk without context, as a ``-U0`` hunk header gives it.

    ``old_start`` and ``new_start`` follow git: with a count of 0 they name the line *before* the place.
    """

    old_start: int
    old_count: int
    new_start: int
    new_count: int


class ChangedFile(msgspec.Struct, frozen=True, kw_only=True, dict=True):
    """One file of a change.

    Attributes:
        path: Path at the head, relative to the repository's top level, ``/``-separated; for a deleted file
            the path that it had.
        old_path: Path at the base when it differs (rename, copy), else None.
        status: What happened to it.
        old_mode, new_mode: Git file modes as octal text (``"100644"``), ``"000000"`` where absent.
        old_oid, new_oid: Git object ids in hex, or None where absent or, for ``new_oid``, not in git (working tree).
        binary: Whether git or the content says that it is not text.
        spans: Every hunk's extent, in order, without context lines.
        excluded: Why no reviewer sees it, or None.
        too_large: Whether that is its size.
    """

    path: str
    old_path: str | None = None
    status: FileStatus = FileStatus.MODIFIED
    old_mode: str = "100644"
    new_mode: str = "100644"
    old_oid: str | None = None
    new_oid: str | None = None
    binary: bool = False
    spans: tuple[HunkSpan, ...] = ()
    excluded: str | None = None
    too_large: bool = False

    @functools.cached_property
    def added(self) -> tuple[LineRange, ...]:
        """The new-side lines that the change adds, as merged ranges in order."""
        return merge_ranges(LineRange(s.new_start, s.new_start + s.new_count - 1) for s in self.spans if s.new_count)

    @functools.cached_property
    def removed(self) -> tuple[LineRange, ...]:
        """The old-side lines that the change removes, as merged ranges in order."""
        return merge_ranges(LineRange(s.old_start, s.old_start + s.old_count - 1) for s in self.spans if s.old_count)

    @property
    def added_lines(self) -> int:
        """The number of lines that the change adds to this file."""
        return sum(s.new_count for s in self.spans)

    @property
    def removed_lines(self) -> int:
        """The number of lines that the change removes from this file."""
        return sum(s.old_count for s in self.spans)

    @property
    def path_at_base(self) -> str:
        """The path on the old side."""
        return self.old_path if self.old_path is not None else self.path

    @property
    def is_symlink(self) -> bool:
        """Return whether the new side is a symbolic link."""
        return self.new_mode == "120000"

    @property
    def is_submodule(self) -> bool:
        """Return whether either side is a submodule's commit."""
        return "160000" in (self.old_mode, self.new_mode)


class LeftOut(msgspec.Struct, frozen=True, kw_only=True):
    """Work that the scope leaves out.

    Attributes:
        what: What it is, in words that follow the number: ``unstaged files``.
        count: How much of it there is.
    """

    what: str
    count: int

    @classmethod
    def of(cls, count: int, noun: str, rest: str = "") -> LeftOut:
        """Return it with the noun in singular or plural."""
        return cls(what=f"{noun}{'' if count == 1 else 's'}{rest}", count=count)


class Scope(msgspec.Struct, frozen=True, kw_only=True):
    """The scope of a review, resolved to object ids.

    Attributes:
        mode: ``branch`` (merge base to working tree), ``head`` (merge base to a revision), ``staged``,
            ``commit``, ``range`` or ``diff``.
        base: The base as the person or the discovery named it, or None.
        merge_base: Object id of the commit or tree on the old side, or None for a bare diff.
        head: Object id of the commit on the new side; None for an unborn HEAD or a bare diff.
        tree: Git tree id of exactly what was reviewed, or None where there is none (a bare diff).
        branch: The checked-out branch's short name, or None.
        uncommitted: Whether the change holds content that is not committed.
        partial: Whether ``PATH`` limited it.
        notes: Sentences a person should know about the scope.
        left_out: Work that it leaves out.
    """

    mode: str
    base: str | None = None
    merge_base: str | None = None
    head: str | None = None
    tree: str | None = None
    branch: str | None = None
    uncommitted: bool = False
    partial: bool = False
    notes: tuple[str, ...] = ()
    left_out: tuple[LeftOut, ...] = ()


class Change(msgspec.Struct, frozen=True, kw_only=True):
    """Everything under review: the scope and the files, sorted by path bytes."""

    scope: Scope
    files: tuple[ChangedFile, ...] = ()

    @property
    def reviewable(self) -> tuple[ChangedFile, ...]:
        """The files that reviewers may see."""
        return tuple(f for f in self.files if f.excluded is None)

    @property
    def added_lines(self) -> int:
        """The number of lines that the whole change adds."""
        return sum(f.added_lines for f in self.files)

    @property
    def removed_lines(self) -> int:
        """The number of lines that the whole change removes."""
        return sum(f.removed_lines for f in self.files)


def merge_ranges(ranges: Iterable[LineRange]) -> tuple[LineRange, ...]:
    """Sort ranges and join those that touch or overlap."""
    merged: list[LineRange] = []
    for item in sorted(ranges):
        if merged and item.first <= merged[-1].last + 1:
            merged[-1] = LineRange(merged[-1].first, max(merged[-1].last, item.last))
        else:
            merged.append(item)
    return tuple(merged)


def overlaps(ranges: Iterable[LineRange], first: int, last: int) -> bool:
    """Return whether any range shares a line with ``first``..``last`` (inclusive)."""
    return any(r.first <= last and first <= r.last for r in ranges)
