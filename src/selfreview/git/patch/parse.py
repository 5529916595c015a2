"""Parsing of a bare patch into a change."""

from __future__ import annotations

import dataclasses

from selfreview.errors import PatchError
from selfreview.git.patch.names import names_of_header, names_of_lines
from selfreview.git.patch.reader import Section, read_sections
from selfreview.git.safeopen import is_safe_path
from selfreview.model.change import Change, ChangedFile, FileStatus, HunkSpan, Scope, path_bytes, path_from_bytes
from selfreview.model.wire import display_path


@dataclasses.dataclass(frozen=True)
class Patch:
    """A parsed patch: the change and the hunks' bytes by path."""

    change: Change
    bodies: dict[str, bytes]


def parse_patch(data: bytes) -> Patch:
    """Parse any unified diff: git's, ``diff -u``'s, svn's, or a mail with one in it.

    Raises:
        PatchError: If it is no unified diff, or cannot be read in full.
    """
    sections = read_sections(data)
    if not sections and data.strip():
        raise PatchError("no unified diff found in the input", hint="make one with git diff, or diff -u")
    merged: dict[str, ChangedFile] = {}
    bodies: dict[str, bytes] = {}
    for section in sections:
        file = _changed_file(section)
        earlier = merged.get(file.path)
        if earlier is not None and earlier.status is FileStatus.DELETED and file.status is FileStatus.ADDED:
            file = _type_change(earlier, file)
        elif earlier is not None:
            name = file.path.encode("utf-8", "replace").decode()
            raise PatchError(
                f"the patch changes {name} twice", hint="give one diff per review, not a series of patches"
            )
        merged[file.path] = file
        bodies[file.path] = bodies.get(file.path, b"") + b"\n".join(section.body) + b"\n" if section.body else b""
    files = tuple(sorted(merged.values(), key=lambda f: path_bytes(f.path)))
    return Patch(Change(scope=Scope(mode="diff", uncommitted=True), files=files), bodies)


def _changed_file(section: Section) -> ChangedFile:
    old, new = _names(section)
    if new is None and old is None:
        raise PatchError("a file of the patch has no name")
    status = FileStatus.MODIFIED
    if section.added or old is None:
        status = FileStatus.ADDED
    elif section.deleted or new is None:
        status = FileStatus.DELETED
    elif section.rename_to is not None:
        status = FileStatus.RENAMED
    elif section.copy_to is not None:
        status = FileStatus.COPIED
    path = path_from_bytes(new if new is not None and status is not FileStatus.DELETED else old or b"")
    old_path = path_from_bytes(old) if old is not None and status in (FileStatus.RENAMED, FileStatus.COPIED) else None
    for name in (path, old_path):
        if name is not None and not is_safe_path(name):
            raise PatchError(f"the patch names an unsafe path: {display_path(name)!r}")
    return ChangedFile(
        path=path,
        old_path=old_path,
        status=status,
        old_mode="000000" if status is FileStatus.ADDED else section.old_mode or "100644",
        new_mode="000000" if status is FileStatus.DELETED else section.new_mode or section.old_mode or "100644",
        binary=section.binary,
        spans=tuple(_git_style(run) for run in section.spans),
    )


def _type_change(old: ChangedFile, new: ChangedFile) -> ChangedFile:
    """Join the two parts in which git writes a change of type: the file that is removed, and its replacement."""
    return ChangedFile(
        path=new.path,
        status=FileStatus.TYPE_CHANGED,
        old_mode=old.old_mode,
        new_mode=new.new_mode,
        binary=old.binary or new.binary,
        spans=(*old.spans, *new.spans),
    )


def _git_style(run: HunkSpan) -> HunkSpan:
    """Name the line before the place on a side that has no lines, as git does."""
    old = run.old_start if run.old_count else run.old_start - 1
    new = run.new_start if run.new_count else run.new_start - 1
    return HunkSpan(old, run.old_count, new, run.new_count)


def _names(section: Section) -> tuple[bytes | None, bytes | None]:
    """Find the names on both sides, None for ``/dev/null``."""
    if section.rename_to is not None or section.copy_to is not None:
        return section.rename_from or section.copy_from, section.rename_to or section.copy_to
    if section.old is not None and section.new is not None:
        return names_of_lines(section.old, section.new)
    return names_of_header(section.git_header or b"")
