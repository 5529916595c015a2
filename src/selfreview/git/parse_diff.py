"""Read ``git diff --patch-with-raw -z -U0``: exact paths from the raw part, exact line ranges from hunk headers.

No line of the patch is decoded or kept as an object by :func:`parse`: a million added lines cost the bytes git printed
and little more. :func:`parse_hunks` parses a file's lines when somebody needs them, with unidiff, which stumbles over
quoted or odd names, undecodable bytes and unusual line ends: it is given one file at a time, under a name of our own,
decoded with ``surrogateescape`` and split on line feeds only.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Sequence
from typing import NamedTuple

from selfreview.api.context import DiffLine, Hunk
from selfreview.errors import GitError, PatchError
from selfreview.model.change import ChangedFile, FileStatus, HunkSpan, path_from_bytes
from selfreview.text.layout import listing

DIFF_OPTIONS = (
    "--patch-with-raw",
    "-z",
    "-U0",
    "--inter-hunk-context=0",
    "--no-ext-diff",
    "--no-textconv",
    "--no-color",
    "--no-relative",
    "--find-renames",
    "--diff-algorithm=myers",
    "--submodule=short",
    "--ignore-submodules=dirty",
    "--src-prefix=a/",
    "--dst-prefix=b/",
    "--no-abbrev",
    "--full-index",
)

_STATUS = {
    b"A": FileStatus.ADDED,
    b"M": FileStatus.MODIFIED,
    b"D": FileStatus.DELETED,
    b"R": FileStatus.RENAMED,
    b"C": FileStatus.COPIED,
    b"T": FileStatus.TYPE_CHANGED,
}
_FILE = b"\ndiff --git "
_HUNK = re.compile(rb"\n@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")
_INDEX = re.compile(rb"\nindex [0-9a-f]+\.\.([0-9a-f]+)")
_TYPE_BITS = 0o170000
_SUBMODULE = "160000"


class Extent(NamedTuple):
    """The extent of a file's patch in the bytes that git printed."""

    start: int
    end: int


@dataclasses.dataclass(frozen=True)
class RawDiff:
    """A parsed diff.

    Attributes:
        files: In git's order.
        extents: By path: the parts of ``data`` that hold the file's hunks (two for a change of type).
        data: What git printed.
        hashes: By path: the object id of the content that git compared, where that lies in the working tree only.
    """

    files: list[ChangedFile]
    extents: dict[str, tuple[Extent, ...]]
    data: bytes
    hashes: dict[str, str] = dataclasses.field(default_factory=dict)


class _Entry(NamedTuple):
    old_mode: str
    new_mode: str
    old_oid: str
    new_oid: str
    status: bytes
    path: bytes
    old_path: bytes | None


def parse(data: bytes) -> RawDiff:
    """Parse what git printed.

    Raises:
        GitError: If there are unmerged paths, or the two parts do not belong together.
    """
    entries, position = _raw_entries(data)
    conflicts = sorted(path_from_bytes(e.path) for e in entries if e.status == b"U")
    if conflicts:
        raise unmerged(conflicts)
    chunks = _chunks(data, position)
    files: list[ChangedFile] = []
    extents: dict[str, tuple[Extent, ...]] = {}
    hashes: dict[str, str] = {}
    taken = 0
    for entry in entries:
        count = 2 if _changes_type(entry) else 1
        own = tuple(chunks[taken : taken + count])
        taken += count
        if len(own) < count:
            raise GitError(
                "git's list of files and its patch do not agree", hint="did files change meanwhile? run it again"
            )
        file = _file(data, entry, own)
        files.append(file)
        extents[file.path] = own
        if file.new_oid is None and file.new_mode not in ("000000", _SUBMODULE):
            hashes[file.path] = _compared(data, entry, own[-1])
    if taken != len(chunks):
        raise GitError(
            "git's list of files and its patch do not agree", hint="did files change meanwhile? run it again"
        )
    return RawDiff(files, extents, data, hashes)


def unmerged(paths: Sequence[str]) -> GitError:
    """Return the refusal of a change that holds unresolved conflicts."""
    return GitError(f"unresolved merge conflicts: {listing(paths, 1)}", hint="resolve them and git add the files")


def parse_raw_only(data: bytes) -> list[ChangedFile]:
    """Parse ``git diff --raw -z --no-abbrev`` alone: files without line ranges."""
    return [_file(data, entry, ()) for entry in _raw_entries(data)[0]]


def _raw_entries(data: bytes) -> tuple[list[_Entry], int]:
    """Read the raw part; return its entries and where the patch begins."""
    entries: list[_Entry] = []
    position = 0
    while data[position : position + 1] == b":":
        end = data.index(b"\0", position)
        old_mode, new_mode, old_oid, new_oid, status = data[position + 1 : end].split(b" ")
        names_end = data.index(b"\0", end + 1)
        first, second = data[end + 1 : names_end], None
        if status[:1] in (b"R", b"C"):
            start, names_end = names_end + 1, data.index(b"\0", names_end + 1)
            second = data[start:names_end]
        entries.append(
            _Entry(
                old_mode.decode(),
                new_mode.decode(),
                old_oid.decode(),
                new_oid.decode(),
                status[:1],
                second if second is not None else first,
                first if second is not None else None,
            )
        )
        position = names_end + 1
    return entries, position + 1 if entries else position


def _chunks(data: bytes, position: int) -> list[Extent]:
    """Find each file's patch. In a ``-U0`` patch no line of a file's content can begin with ``diff --git``."""
    if position >= len(data):
        return []
    starts = [position]
    while (found := data.find(_FILE, starts[-1] if len(starts) == 1 else starts[-1] + 1)) >= 0:
        starts.append(found + 1)
    return [Extent(a, b) for a, b in zip(starts, [*starts[1:], len(data)], strict=True)]


def _changes_type(entry: _Entry) -> bool:
    old, new = int(entry.old_mode, 8), int(entry.new_mode, 8)
    return bool(old and new and (old & _TYPE_BITS) != (new & _TYPE_BITS))


def _file(data: bytes, entry: _Entry, own: tuple[Extent, ...]) -> ChangedFile:
    spans: list[HunkSpan] = []
    binary = False
    for extent in own:
        found = [
            HunkSpan(int(m[1]), int(m[2] or 1), int(m[3]), int(m[4] or 1))
            for m in _HUNK.finditer(data, extent.start, extent.end)
        ]
        spans += found
        if not found and data.find(b"\nBinary files ", extent.start, extent.end) >= 0:
            binary = True
    old_path = path_from_bytes(entry.old_path) if entry.old_path is not None else None
    return ChangedFile(
        path=path_from_bytes(entry.path),
        old_path=old_path,
        status=_STATUS.get(entry.status, FileStatus.MODIFIED),
        old_mode=entry.old_mode,
        new_mode=entry.new_mode,
        old_oid=_oid(entry.old_oid),
        new_oid=_oid(entry.new_oid),
        binary=binary,
        spans=tuple(spans),
    )


def _compared(data: bytes, entry: _Entry, extent: Extent) -> str:
    """Return the id of a file's content as git saw it in the working tree; without an index line it is the old one."""
    found = _INDEX.search(data, extent.start, extent.end)
    return found[1].decode() if found else entry.old_oid


def _oid(oid: str) -> str | None:
    return oid if oid.strip("0") else None


_NO_NEWLINE = "\\"


def parse_hunks(body: bytes) -> tuple[Hunk, ...]:
    """Parse the hunks of one file.

    Args:
        body: The patch from its first ``@@`` line to its end.

    Raises:
        PatchError: If a hunk is cut off, longer than it says, or no unified hunk.
    """
    from unidiff.errors import UnidiffParseError
    from unidiff.patch import PatchSet

    text = body.decode("utf-8", "surrogateescape")
    lines = text.split("\n")
    if lines[-1] == "":
        lines.pop()
    fed = ["--- a/file\n", "+++ b/file\n", *(line + "\n" for line in lines)]
    try:
        parsed = PatchSet(fed)
    except UnidiffParseError as error:
        raise PatchError(f"a hunk cannot be read: {error}") from error
    if len(parsed) != 1:
        raise PatchError("a hunk cannot be read: it holds another file's header")
    return tuple(
        Hunk(hunk.source_start, hunk.target_start, tuple(_line(line) for line in hunk if line.line_type != _NO_NEWLINE))
        for hunk in parsed[0]
    )


def _line(line: object) -> DiffLine:
    kind = line.line_type  # type: ignore[attr-defined]  # unidiff is untyped
    text = line.value.removesuffix("\n")  # type: ignore[attr-defined]
    return DiffLine(kind, line.source_line_no, line.target_line_no, text)  # type: ignore[attr-defined]


def first_hunk(data: bytes, start: int, end: int) -> int:
    """Return where the first ``@@`` line of a file's patch begins, or ``end`` where it has none."""
    found = data.find(b"\n@@ -", start, end)
    return found + 1 if found >= 0 else end
