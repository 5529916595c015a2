"""Split a unified diff into sections, one for each file.

Every line of every hunk is accounted for by the counts in its header, so that content which looks like a header is
content. What is not understood is an error: a patch that is read in part would be reviewed in part.
"""

from __future__ import annotations

import dataclasses
import re

from selfreview.errors import PatchError
from selfreview.git.patch.names import unquote
from selfreview.model.change import HunkSpan

_HUNK = re.compile(rb"@@ -(\d{1,20})(?:,(\d{1,20}))? \+(\d{1,20})(?:,(\d{1,20}))? @@")
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
        self.current = Section()

    def sections(self) -> list[Section]:
        while self.at < len(self.lines):
            self._step(self.lines[self.at].removesuffix(b"\r"))
        self._flush()
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
