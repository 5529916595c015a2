"""A change from a bare unified diff: no repository needed.

Every line of every hunk is accounted for by the counts in its header, so that content which looks like a header is content. What is
not understood is an error: a patch that is read in part would be reviewed in part.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterable
from pathlib import Path

from selfreview.api.context import Hunk
from selfreview.errors import PatchError
from selfreview.git.hunks import parse_hunks
from selfreview.git.safeopen import is_safe_path
from selfreview.model.change import Change, ChangedFile, FileStatus, HunkSpan, Scope, path_bytes, path_from_bytes
from selfreview.model.issue import Side

_HUNK = re.compile(rb"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")
_TIMESTAMP = re.compile(rb"\t[^\t]*$")
_ESCAPE = re.compile(rb'\\([abfnrtv"\\]|[0-7]{3})')
_ESCAPES = {
    b"a": b"\a",
    b"b": b"\b",
    b"f": b"\f",
    b"n": b"\n",
    b"r": b"\r",
    b"t": b"\t",
    b"v": b"\v",
    b'"': b'"',
    b"\\": b"\\",
}
_PREFIXES = ((b"a/", b"b/"), (b"i/", b"w/"), (b"c/", b"w/"), (b"c/", b"i/"), (b"o/", b"w/"), (b"1/", b"2/"))


@dataclasses.dataclass
class _Section:
    """What is known of one file while its part of the patch is read."""

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
    def started(self) -> bool:
        return self.git_header is not None or self.old is not None


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
    sections = _Reader(data).sections()
    if not sections and data.strip():
        raise PatchError("no unified diff found in the input", hint="make one with git diff, or diff -u")
    merged: dict[str, ChangedFile] = {}
    bodies: dict[str, bytes] = {}
    for section in sections:
        file = _changed_file(section)
        if file.path in merged:
            name = file.path.encode("utf-8", "replace").decode()
            raise PatchError(
                f"the patch changes {name} twice", hint="give one diff per review, not a series of patches"
            )
        merged[file.path] = file
        bodies[file.path] = b"\n".join(section.body) + b"\n" if section.body else b""
    files = tuple(sorted(merged.values(), key=lambda f: path_bytes(f.path)))
    return Patch(Change(scope=Scope(mode="diff", uncommitted=True), files=files), bodies)


class _Reader:
    """Walks over the lines of a patch."""

    def __init__(self, data: bytes) -> None:
        self.lines = data.split(b"\n")
        if self.lines and self.lines[-1] == b"":
            self.lines.pop()
        self.at = 0
        self.done: list[_Section] = []
        self.current = _Section()

    def sections(self) -> list[_Section]:
        while self.at < len(self.lines):
            self._step(self.lines[self.at].removesuffix(b"\r"))
        self._flush()
        return self.done

    def _flush(self) -> None:
        if self.current.started:
            self.done.append(self.current)
        self.current = _Section()

    def _step(self, line: bytes) -> None:
        following = self.lines[self.at + 1].removesuffix(b"\r") if self.at + 1 < len(self.lines) else b""
        if line.startswith(b"diff --git "):
            self._flush()
            self.current.git_header = line[len(b"diff --git ") :]
        elif line.startswith((b"diff --cc ", b"diff --combined ", b"@@@ ")):
            raise PatchError(
                "combined diffs of merges cannot be reviewed", hint="diff against one parent: git diff A B"
            )
        elif line.startswith(b"--- ") and following.startswith(b"+++ "):
            if self.current.old is not None or self.current.spans:
                self._flush()
            self.current.old, self.current.new = line[4:], following[4:]
            self.at += 1
        elif line.startswith(b"@@ "):
            self._hunk(line)
            return
        elif self.current.git_header is not None and not self.current.spans:
            self._extended(line)
        elif line.startswith(b"Binary files ") and line.endswith(b" differ"):
            self._plain_binary(line)
        self.at += 1

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
            setattr(section, f"{word.decode()}_{'from' if side == b'from' else 'to'}", _unquote(name))
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
        self.current.spans += runs


def _extend(runs: list[HunkSpan], old_line: int, new_line: int, *, added: int = 0, removed: int = 0) -> None:
    """Add one line to the last run of changed lines where it touches it, else begin another; starts are first lines."""
    if runs:
        last = runs[-1]
        if last.old_start + last.old_count == old_line and last.new_start + last.new_count == new_line:
            runs[-1] = HunkSpan(last.old_start, last.old_count + removed, last.new_start, last.new_count + added)
            return
    runs.append(HunkSpan(old_line, removed, new_line, added))


def _changed_file(section: _Section) -> ChangedFile:
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
    for name in filter(None, (path, old_path)):
        if not is_safe_path(name):
            raise PatchError(f"the patch names an unsafe path: {name.encode('utf-8', 'replace').decode()!r}")
    return ChangedFile(
        path=path,
        old_path=old_path,
        status=status,
        old_mode="000000" if status is FileStatus.ADDED else section.old_mode or "100644",
        new_mode="000000" if status is FileStatus.DELETED else section.new_mode or section.old_mode or "100644",
        binary=section.binary,
        spans=tuple(_git_style(run) for run in section.spans),
    )


def _git_style(run: HunkSpan) -> HunkSpan:
    """Where a side has no lines, name the line before the place, as git does."""
    old = run.old_start if run.old_count else run.old_start - 1
    new = run.new_start if run.new_count else run.new_start - 1
    return HunkSpan(old, run.old_count, new, run.new_count)


def _names(section: _Section) -> tuple[bytes | None, bytes | None]:
    """Find the names on both sides, None for ``/dev/null``."""
    if section.rename_to is not None or section.copy_to is not None:
        return section.rename_from or section.copy_from, section.rename_to or section.copy_to
    if section.old is not None and section.new is not None:
        return _strip_prefix(_header_name(section.old), _header_name(section.new))
    header = section.git_header or b""
    if header.startswith(b'"'):
        end = re.match(rb'"(?:[^"\\]|\\.)*"', header)
        old, new = (_unquote(end[0]), _unquote(header[end.end() + 1 :])) if end else (header, header)
    else:  # nothing but this line names the file, and then both names are the same: cut it in the middle
        middle = len(header) // 2
        old, new = header[:middle], header[middle + 1 :]
    return _strip_prefix(old, new)


def _header_name(text: bytes) -> bytes | None:
    if text.startswith(b'"'):
        end = re.match(rb'"(?:[^"\\]|\\.)*"', text)
        return _unquote(end[0] if end else text)
    name = _TIMESTAMP.sub(b"", text)
    return None if name == b"/dev/null" else name


def _strip_prefix(old: bytes | None, new: bytes | None) -> tuple[bytes | None, bytes | None]:
    """Take ``a/`` and ``b/`` (or another of git's pairs) off, only where both names carry their half."""
    for left, right in _PREFIXES:
        fits = (old is None or old.startswith(left)) and (new is None or new.startswith(right))
        if fits and (old or new):
            return (old[len(left) :] if old else old), (new[len(right) :] if new else new)
    if old is not None and new is not None and old != new and old.removesuffix(b".orig") == new:
        old = new
    return old, new


def _unquote(name: bytes) -> bytes:
    if not (len(name) >= 2 and name.startswith(b'"') and name.endswith(b'"')):
        return name
    return _ESCAPE.sub(lambda m: _ESCAPES.get(m[1]) or bytes([int(m[1], 8) & 0xFF]), name[1:-1])


def _show(line: bytes) -> str:
    return ascii(line[:60].decode("utf-8", "replace"))


class PatchContent:
    """Content of a bare patch: the lines of its hunks at their places, blank lines between."""

    def __init__(self, patch: Patch) -> None:
        self._patch = patch

    def read(self, file: ChangedFile, side: Side) -> bytes | None:
        """Return what is known of one side."""
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

    def hunks(self, file: ChangedFile) -> tuple[Hunk, ...]:
        """Parse a file's hunks."""
        body = self._patch.bodies.get(file.path, b"")
        return parse_hunks(body) if body else ()

    def is_partial(self, file: ChangedFile) -> bool:
        """Say that only a new file is known in full."""
        return file.status is not FileStatus.ADDED

    def read_path(self, path: str, side: Side) -> bytes | None:
        """Return a file of the patch that is known in full."""
        for file in self._patch.change.files:
            if file.path == path and not self.is_partial(file):
                return self.read(file, side)
        return None

    def find(self, paths: Iterable[str]) -> dict[str, bytes]:
        """Return those of the paths that the patch adds."""
        found = ((path, self.read_path(path, Side.NEW)) for path in paths)
        return {path: data for path, data in found if data is not None}

    def checkout(self, folder: Path) -> Path:
        """Refuse: a patch has no tree."""
        raise PatchError("a bare patch has no tree to run commands in", hint=f"apply it first ({folder.name} is empty)")

    def close(self) -> None:
        """Hold nothing."""
