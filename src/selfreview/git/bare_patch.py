"""A change from a bare unified diff: no repository needed."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterable, Sequence
from pathlib import Path

from selfreview.api.context import Hunk, WordHit
from selfreview.errors import PatchError
from selfreview.git.content import Probe
from selfreview.git.parse_diff import parse_hunks
from selfreview.git.worktree_files import is_safe_path
from selfreview.model.change import Change, ChangedFile, FileStatus, HunkSpan, Scope, path_bytes, path_from_bytes
from selfreview.model.issue import Side
from selfreview.model.wire import display_path

_TIMESTAMP = re.compile(rb"\t[^\t]*$")
_QUOTED = re.compile(rb'"(?:[^"\\]|\\.)*"')
_ESCAPE = re.compile(rb'\\([abfnrtv"\\]|[0-7]{3})')
_ESCAPES = dict(zip(b'abfnrtv"\\', b'\a\b\f\n\r\t\v"\\', strict=True))
_PAIRS = ((b"a/", b"b/"), (b"i/", b"w/"), (b"c/", b"w/"), (b"c/", b"i/"), (b"o/", b"w/"), (b"1/", b"2/"))
_PREFIXES = (*_PAIRS, *((right, left) for left, right in _PAIRS))
"""Pairs that git writes before names: the default and those of ``diff.mnemonicPrefix``; reversed by ``git diff -R``."""


def names_of_header(header: bytes) -> tuple[bytes | None, bytes | None]:
    """Return both names of ``diff --git``, for a file of which nothing else tells the name."""
    if header.startswith(b'"'):
        end = _quoted(header)
        old, new = unquote(end[0]), unquote(header[end.end() + 1 :])
    else:  # both names are the same then: cut it in the middle
        middle = len(header) // 2
        old, new = header[:middle], header[middle + 1 :]
    return strip_prefix(old, new)


def names_of_lines(old: bytes, new: bytes) -> tuple[bytes | None, bytes | None]:
    """Return both names of the ``---`` and ``+++`` lines; None for ``/dev/null``."""
    return strip_prefix(_name(old), _name(new))


def _name(text: bytes) -> bytes | None:
    if text.startswith(b'"'):
        return unquote(_quoted(text)[0])
    name = _TIMESTAMP.sub(b"", text)
    return None if name == b"/dev/null" else name


def _quoted(text: bytes) -> re.Match[bytes]:
    match = _QUOTED.match(text)
    if match is None:
        raise PatchError(f"a quoted name does not end: {text[:60].decode('utf-8', 'replace')!a}")
    return match


def strip_prefix(old: bytes | None, new: bytes | None) -> tuple[bytes | None, bytes | None]:
    """Take a pair of prefixes off, only where both names carry their half."""
    for left, right in _PREFIXES:
        fits = (old is None or old.startswith(left)) and (new is None or new.startswith(right))
        if fits and (old or new):
            return (old[len(left) :] if old else old), (new[len(right) :] if new else new)
    if old is not None and new is not None and old != new and old.removesuffix(b".orig") == new:
        old = new
    return old, new


def unquote(name: bytes) -> bytes:
    """Undo git's quoting of odd names."""
    if not (len(name) >= 2 and name.startswith(b'"') and name.endswith(b'"')):
        return name

    def plain(match: re.Match[bytes]) -> bytes:
        code = match[1]
        return bytes([_ESCAPES[code[0]] if len(code) == 1 else int(code, 8) & 0xFF])

    return _ESCAPE.sub(plain, name[1:-1])


_HUNK = re.compile(rb"@@ -(\d{1,20})(?:,(\d{1,20}))? \+(\d{1,20})(?:,(\d{1,20}))? @@")
_EPOCH = re.compile(rb"\t(?:1970-01-01|1969-12-31) \d\d:\d\d:00[. ]")
"""Time that diff -N gives the missing side of a new or removed file, in any time zone."""
_ONLY = re.compile(rb"Only in [^:]+: .")
_SUBMODULE = re.compile(
    rb"Submodule .+ (?:[0-9a-f]{7,64}\.{2,3}[0-9a-f]{7,64}|\((?:new|deleted) submodule)|Submodule .+ contains "
)
_MAX_LINE = 20_000_000
"""Line numbers above this are a mistake or an attack: the text between hunks is filled with blank lines."""


@dataclasses.dataclass
class Section:
    """The section of a patch about one file. Names are as in the patch; ``spans`` name the first line on both sides."""

    git_header: bytes | None = None
    old: bytes | None = None
    new: bytes | None = None
    rename_from: bytes | None = None
    rename_to: bytes | None = None
    copy_from: bytes | None = None
    copy_to: bytes | None = None
    old_mode: str | None = None
    new_mode: str | None = None
    added: bool = False
    deleted: bool = False
    binary: bool = False
    spans: list[HunkSpan] = dataclasses.field(default_factory=list)
    body: list[bytes] = dataclasses.field(default_factory=list)

    @property
    def says_something(self) -> bool:
        """Return whether there is a change below the header."""
        moved = self.rename_to is not None or self.copy_to is not None
        modes = self.added or self.deleted or (self.old_mode != self.new_mode)
        return bool(self.body) or moved or modes or self.binary

    @property
    def started(self) -> bool:
        """Return whether a header was seen."""
        return self.git_header is not None or self.old is not None


def read_sections(data: bytes) -> list[Section]:
    """Take a patch apart.

    Raises:
        PatchError: If a part of it cannot be understood.
    """
    return _Reader(data).sections()


class _Reader:
    """Walks over the lines of a patch."""

    def __init__(self, data: bytes) -> None:
        self.lines = data.split(b"\n")
        if self.lines and self.lines[-1] == b"":
            self.lines.pop()
        self.at = 0
        self.done: list[Section] = []
        self.only: bytes | None = None
        self.current = Section()

    def sections(self) -> list[Section]:
        while self.at < len(self.lines):
            self._step(self.lines[self.at].removesuffix(b"\r"))
        self._flush()
        if self.only is not None and not any(section.git_header for section in self.done):
            raise PatchError(
                f"the patch does not say what is in a file: {_show(self.only)}", hint="make one with diff -ruN"
            )
        return self.done

    def _flush(self) -> None:
        if self.current.started:
            if not self.current.says_something:
                raise PatchError(f"nothing follows a file's header before line {self.at + 1} of the patch")
            self.done.append(self.current)
        self.current = Section()

    def _step(self, line: bytes) -> None:
        following = self.lines[self.at + 1].removesuffix(b"\r") if self.at + 1 < len(self.lines) else b""
        if line.startswith(b"diff --git "):
            self._flush()
            self.current.git_header = line[len(b"diff --git ") :]
        elif line.startswith((b"diff --cc ", b"diff --combined ", b"@@@ ")):
            raise PatchError(
                "combined diffs of merges cannot be reviewed", hint="diff against one parent: git diff A B"
            )
        elif _SUBMODULE.match(line):
            hint = "make one with git diff --submodule=short"
            raise PatchError(f"the patch tells of a submodule in words alone: {_show(line)}", hint=hint)
        elif line.startswith(b"--- ") and following.startswith(b"+++ ") and self._names_a_file():
            if self.current.old is not None or self.current.spans:
                self._flush()
            self.current.old, self.current.new = line[4:], following[4:]
            self.at += 1
        elif line.startswith(b"@@ "):
            self._hunk(line)
            return
        elif self.current.git_header is not None and not self.current.body:
            if line.startswith(b"--- ") and self.current.old is None:
                raise PatchError(f"line {self.at + 1} of the patch has no +++ line behind it: {_show(line)}")
            self._extended(line)
        elif line.startswith(b"Binary files ") and line.endswith(b" differ"):
            self._plain_binary(line)
        elif _ONLY.match(line):
            self.only = line
        self.at += 1

    def _names_a_file(self) -> bool:
        """Return whether ``---`` and ``+++`` are headers here: below git's own, or with a hunk behind; else prose."""
        below = self.lines[self.at + 2] if self.at + 2 < len(self.lines) else b""
        return (self.current.git_header is not None and not self.current.body) or below.startswith(b"@@ ")

    def _extended(self, line: bytes) -> None:
        """Read one of git's extended headers."""
        section = self.current
        word, _, rest = line.partition(b" ")
        if line.startswith(b"old mode "):
            section.old_mode = line[9:].decode("ascii", "replace")
        elif line.startswith(b"new mode "):
            section.new_mode = line[9:].decode("ascii", "replace")
        elif line.startswith(b"new file mode "):
            section.added, section.new_mode = True, line[14:].decode("ascii", "replace")
        elif line.startswith(b"deleted file mode "):
            section.deleted, section.old_mode = True, line[18:].decode("ascii", "replace")
        elif word in (b"rename", b"copy"):
            side, _, name = rest.partition(b" ")
            setattr(section, f"{word.decode()}_{'from' if side == b'from' else 'to'}", unquote(name))
        elif line.startswith((b"Binary files ", b"GIT binary patch")):
            section.binary = True
        elif word == b"index" and rest.count(b" ") == 1 and section.old_mode is None:
            section.old_mode = section.new_mode = rest.rpartition(b" ")[2].decode("ascii", "replace")

    def _plain_binary(self, line: bytes) -> None:
        """Read what plain ``diff`` says of binaries."""
        old, separator, new = line[len(b"Binary files ") : -len(b" differ")].partition(b" and ")
        if separator:
            self._flush()
            self.current.old, self.current.new, self.current.binary = old, new, True
            self._flush()

    def _hunk(self, line: bytes) -> None:
        match = _HUNK.match(line)
        number = self.at + 1
        if match is None or not self.current.started:
            raise PatchError(f"line {number} of the patch is a hunk without a file, or no hunk: {_show(line)}")
        old_left, new_left = int(match[2] or 1), int(match[4] or 1)
        if max(int(match[1]) + old_left, int(match[3]) + new_left) > _MAX_LINE:
            raise PatchError(f"the hunk at line {number} of the patch has an impossible line number")
        span = HunkSpan(int(match[1]), old_left, int(match[3]), new_left)
        self.current.body.append(line)
        old_line, new_line = span.old_start, span.new_start
        runs: list[HunkSpan] = []
        self.at += 1
        if old_left == 0:
            old_line += 1
        if new_left == 0:
            new_line += 1
        while old_left > 0 or new_left > 0:
            if self.at >= len(self.lines):
                raise PatchError(f"the hunk at line {number} of the patch is cut off")
            text = self.lines[self.at]
            kind = text[:1]
            if kind == b"+":
                _extend(runs, old_line, new_line, added=1)
                new_left, new_line = new_left - 1, new_line + 1
            elif kind == b"-":
                _extend(runs, old_line, new_line, removed=1)
                old_left, old_line = old_left - 1, old_line + 1
            elif kind in (b" ", b"", b"\r"):  # mailers strip the blank of an empty line
                text = text if kind == b" " else b" " + text
                old_left, new_left, old_line, new_line = old_left - 1, new_left - 1, old_line + 1, new_line + 1
            elif kind != b"\\":
                raise PatchError(f"line {self.at + 1} of the patch is no line of a hunk: {_show(text)}")
            if old_left < 0 or new_left < 0:
                raise PatchError(f"the hunk at line {number} of the patch holds other lines than it says")
            self.current.body.append(text)
            self.at += 1
        if self.at < len(self.lines) and self.lines[self.at].startswith(b"\\"):
            self.current.body.append(self.lines[self.at])
            self.at += 1
        self._refuse_excess(number)
        self.current.spans += runs

    def _refuse_excess(self, number: int) -> None:
        """Raise where the hunk goes on behind its end; a mail's signature and the next header are no part of it."""
        text = self.lines[self.at] if self.at < len(self.lines) else b""
        following = self.lines[self.at + 1] if self.at + 1 < len(self.lines) else b""
        header = text.startswith(b"--- ") and following.startswith(b"+++ ")
        if text[:1] in (b"+", b"-", b" ") and text.rstrip(b"\r") not in (b"-- ", b"--", b"---") and not header:
            raise PatchError(f"the hunk at line {number} of the patch holds more lines than it says")


def _extend(runs: list[HunkSpan], old_line: int, new_line: int, *, added: int = 0, removed: int = 0) -> None:
    """Add one line to the last run of changed lines where it touches it, else begin another; starts are first lines."""
    if runs:
        last = runs[-1]
        if last.old_start + last.old_count == old_line and last.new_start + last.new_count == new_line:
            runs[-1] = HunkSpan(last.old_start, last.old_count + removed, last.new_start, last.new_count + added)
            return
    runs.append(HunkSpan(old_line, removed, new_line, added))


def _show(line: bytes) -> str:
    return ascii(line[:60].decode("utf-8", "replace"))


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
        old, new = names_of_lines(section.old, section.new)
        first = section.body[0] if section.body else b""
        added = first.startswith(b"@@ -0,0 ") and _EPOCH.search(section.old) is not None
        deleted = b" +0,0 @@" in first and _EPOCH.search(section.new) is not None
        return None if added else old, None if deleted else new
    return names_of_header(section.git_header or b"")


class PatchContent:
    """Content of a bare patch: the lines of its hunks at their places, blank lines between."""

    def __init__(self, patch: Patch) -> None:
        self._patch = patch

    def read(self, file: ChangedFile, side: Side) -> bytes | None:
        """Return the known content of one side."""
        absent = FileStatus.ADDED if side is Side.OLD else FileStatus.DELETED
        if file.status is absent or file.binary:
            return None
        lines: dict[int, str] = {}
        for hunk in self.hunks(file):
            for line in hunk.lines:
                number = line.old_line if side is Side.OLD else line.new_line
                if number is not None:
                    lines[number] = line.text
        text = "".join(lines.get(number, "") + "\n" for number in range(1, max(lines, default=0) + 1))
        return text.encode("utf-8", "surrogateescape")

    def probe(self, file: ChangedFile, side: Side, length: int) -> Probe | None:
        """Return the first bytes and the size of the known content of one side."""
        data = self.read(file, side)
        return None if data is None else Probe(data[:length], len(data))

    def hunks(self, file: ChangedFile) -> tuple[Hunk, ...]:
        """Parse a file's hunks."""
        body = self._patch.bodies.get(file.path, b"")
        return parse_hunks(body) if body else ()

    def is_partial(self, file: ChangedFile) -> bool:
        """Return whether only hunks are known: a new file alone is known in full."""
        return file.status is not FileStatus.ADDED

    def read_path(self, path: str, side: Side) -> bytes | None:
        """Return a file of the patch that is known in full."""
        for file in self._patch.change.files:
            if file.path == path and not self.is_partial(file):
                return self.read(file, side)
        return None

    def find(self, paths: Iterable[str], side: Side = Side.NEW) -> dict[str, bytes]:
        """Return those of the paths that the patch adds."""
        found = ((path, self.read_path(path, side)) for path in paths)
        return {path: data for path, data in found if data is not None}

    def links(self, paths: Iterable[str], side: Side = Side.NEW) -> dict[str, str]:  # noqa: ARG002 - the protocol's
        """Return nothing: there is no tree."""
        return {}

    def list_paths(self, side: Side = Side.NEW) -> list[str]:
        """Return the paths of the files that the patch adds."""
        if side is Side.OLD:
            return []
        return sorted(file.path for file in self._patch.change.files if file.status is FileStatus.ADDED)

    def search(self, words: Sequence[str]) -> list[WordHit]:  # noqa: ARG002 - part of the protocol
        """Return nothing: there is no tree."""
        return []

    def checkout(self, folder: Path, side: Side = Side.NEW) -> Path:  # noqa: ARG002 - the protocol's
        """Raise: a patch has no tree."""
        raise PatchError("a bare patch has no tree to run commands in", hint=f"apply it first ({folder.name} is empty)")

    def close(self) -> None:
        """Do nothing: there are no resources to free."""


__all__ = ["Patch", "PatchContent", "parse_patch"]
