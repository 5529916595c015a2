"""The lines that each commit adds besides those of the change as a whole, from one ``git log``."""

from __future__ import annotations

import contextlib
import dataclasses
import hashlib
import io
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from selfreview.api.context import CommittedLines
from selfreview.errors import GitError, PatchError, ToolError, TooMuchOutputError
from selfreview.git.bare_patch import names_of_lines, unquote
from selfreview.git.collect_change import Collected, is_wanted
from selfreview.git.content import Content
from selfreview.git.repo import Repo
from selfreview.model.change import Change, ChangedFile, FileStatus, path_from_bytes
from selfreview.model.issue import Side
from selfreview.proc import Runner

_OPTIONS = (
    "log",
    "--format=commit %H",
    "--topo-order",
    "--reverse",
    "--root",
    "--cc",
    "--patch",
    "-U0",
    "--inter-hunk-context=0",
    "--text",
    "--diff-filter=d",
    "--no-ext-diff",
    "--no-textconv",
    "--no-color",
    "--no-relative",
    "--no-notes",
    "--no-decorate",
    "--no-mailmap",
    "--no-show-signature",
    "--find-renames",
    "--diff-algorithm=myers",
    "--submodule=short",
    "--src-prefix=a/",
    "--dst-prefix=b/",
    "--full-index",
)
_UNKNOWN = "what git log printed is not understood"
_HUNK = re.compile(rb"(@@+)(?: -\S+)+ \+(\d+)(?:,\d+)? @@")
_NOWHERE = b"/dev/null"
_NOT_SHOWN = b"Binary files differ\n"
"""The line in place of a merge's file with a NUL byte or the attribute ``-diff``, whatever the options say."""
_SAYS_NO_MORE = (b"old", b"mode", b"deleted", b"similarity", b"dissimilarity", b"---", b"")
"""First words of the lines before the hunks that are ignored."""


def log_arguments(revisions: Sequence[str]) -> list[str]:
    """Return the arguments of ``git log`` for :func:`parse_log`.

    Binary files and those that an attribute hides are shown as text, but not those of a merge. Of a merge only the
    lines are shown that none of its parents has.

    Args:
        revisions: Which commits, as ``git log`` takes them.
    """
    return [*_OPTIONS, *revisions, "--"]


def parse_log(data: bytes, read: Callable[[Iterable[str]], Mapping[str, bytes]]) -> Iterator[CommittedLines]:
    """Parse what git printed, oldest commit first; files to which a commit adds no line are left out.

    Args:
        data: What git printed.
        read: Returns blobs by their ids: the files of merges that git does not show.

    Raises:
        GitError: If it is not understood, or a blob is not here.
    """
    files = list(_files(data))
    blobs = read([oid for file in files for oid in file.blobs if oid.strip("0")])
    # From the newest back: a rename gives all that was before it another name now.
    now: dict[str, str] = {}
    found: list[CommittedLines] = []
    for lines, old_path, oids in reversed(files):
        name = now.get(lines.path, lines.path)
        found.append(lines._replace(path_now=name, hunks=_unlike_parents(oids, blobs) if oids else lines.hunks))
        if old_path is not None and lines.status is FileStatus.RENAMED:
            now[old_path] = name
    return (lines for lines in reversed(found) if lines.hunks)


class _File(NamedTuple):
    """A file of a commit, with its name before where that was another, and the blobs to read: the parents', its own."""

    lines: CommittedLines
    old_path: str | None
    blobs: tuple[str, ...]


def _files(data: bytes) -> Iterator[_File]:
    """Yield every file of every commit.

    No line of a file's content can be taken for one of git's own: it begins with a sign for each parent.
    """
    commit = ""
    lines = io.BytesIO(data)
    line = lines.readline()
    while line:
        if line.startswith(b"commit "):
            commit = line[7:].strip().decode()
            line = lines.readline()
        elif line.startswith((b"diff --git ", b"diff --cc ")):
            file, line = _file(commit, line, lines)
            yield file
        elif line == b"\n":
            line = lines.readline()
        else:
            raise GitError(_UNKNOWN)


def _file(commit: str, header: bytes, lines: io.BytesIO) -> tuple[_File, bytes]:
    """Read one file's patch; return it, and the line that follows it."""
    status, mode, path, old_path = FileStatus.MODIFIED, "100644", _NOWHERE, None
    hunks: list[tuple[int, bytes]] = []
    oids, blobs = b"", b""
    line = lines.readline()
    while line and not line.startswith((b"commit ", b"diff --")):
        key, _, rest = line.rstrip(b"\n").partition(b" ")
        if line.startswith(b"@@"):
            line = _hunk(line, lines, hunks)
            continue
        if line.startswith(b"new file mode "):
            status, mode = FileStatus.ADDED, line[14:].strip().decode()
        elif key == b"index":
            oids, _, named = rest.partition(b" ")
            mode = named.decode() or mode
        elif line.startswith((b"rename from ", b"copy from ")):
            status = FileStatus.RENAMED if key == b"rename" else FileStatus.COPIED
            old_path = path_from_bytes(unquote(rest.partition(b" ")[2]))
        elif line.startswith((b"rename to ", b"copy to ")):
            path = unquote(rest.partition(b" ")[2])
        elif key == b"+++":
            path = _named(rest) or path
        elif line == _NOT_SHOWN and header.startswith(b"diff --cc "):
            path, blobs = unquote(header[10:].rstrip(b"\n")), oids
        elif not line.startswith(b"new mode ") and key not in _SAYS_NO_MORE:
            raise GitError(_UNKNOWN)
        line = lines.readline()
    name = path_from_bytes(path)
    asked = tuple(blobs.replace(b"..", b",").decode().split(",")) if blobs else ()
    return _File(CommittedLines(commit, name, name, status, mode, tuple(hunks)), old_path, asked), line


def _unlike_parents(oids: Sequence[str], blobs: Mapping[str, bytes]) -> tuple[tuple[int, bytes], ...]:
    """Return the runs of lines of a merge's blob, the last, that none of its parents' has."""
    *parents, own = oids
    if not own.strip("0"):
        return ()
    if own not in blobs:
        raise GitError(f"git has not got the file {own[:12]} of a merge")
    known = {line for oid in parents for line in blobs.get(oid, b"").split(b"\n")}
    hunks: list[tuple[int, bytes]] = []
    end = 0
    for number, line in enumerate(blobs[own].removesuffix(b"\n").split(b"\n"), 1):
        if line not in known:
            start, run = hunks.pop() if hunks and end == number - 1 else (number, b"")
            hunks.append((start, run + line + b"\n"))
            end = number
    return tuple(hunks)


def _hunk(header: bytes, lines: io.BytesIO, hunks: list[tuple[int, bytes]]) -> bytes:
    """Read a hunk: take the runs of lines that only this commit adds, and return the line that follows it.

    The patch of a merge has a sign for each parent before every line, and shows lines that parents have.
    """
    match = _HUNK.match(header)
    if match is None:
        raise GitError(_UNKNOWN)
    parents, number = len(match[1]) - 1, int(match[2])
    plus = b"+" * parents
    start, run = 0, list[bytes]()
    line = lines.readline()
    while line[:1] in (b"+", b"-", b" ", b"\\") and line:
        signs = line[:parents]
        if signs == plus:
            start = start if run else number
            run.append(line[parents:])
        elif run and not signs.startswith(b"\\"):
            hunks.append((start, b"".join(run)))
            run = []
        if b"-" not in signs and not signs.startswith(b"\\"):
            number += 1
        line = lines.readline()
    if run:
        hunks.append((start, b"".join(run)))
    return line


def _named(name: bytes) -> bytes | None:
    try:
        return names_of_lines(_NOWHERE, name)[1]
    except PatchError as error:
        raise GitError(_UNKNOWN) from error


MAX_BYTES = 256 * 1024 * 1024
"""Bytes that git may print of all commits together."""
_SUBMODULE = "160000"


@dataclasses.dataclass(frozen=True)
class Commits:
    """The commits of a change.

    Attributes:
        repo: The repository.
        collected: The change.
        excluded: Returns why a file of a commit is not looked at, as it is there, or None.
        paths: Limit to these; a folder stands for what is below.
        patterns: What ``excluded`` depends on.
    """

    repo: Repo
    collected: Collected
    excluded: Callable[[ChangedFile], str | None]
    paths: tuple[str, ...] = ()
    patterns: tuple[str, ...] = ()

    @property
    def key(self) -> bytes:
        """Cache key of the commits, of the selection of their files, and of the code that reads them."""

        asked = repr((self.collected.resolved.commits, self.paths, self.patterns)).encode("utf-8", "surrogateescape")
        return asked + hashlib.sha256(Path(__file__).read_bytes()).digest()

    def count(self) -> int:
        """Return how many there are.

        Raises:
            GitError: If git fails.
        """
        return int(self.collected.git.run(["rev-list", "--count", *self.collected.resolved.commits, "--"]))

    def read(self, change: Change, content: Content, runner: Runner, timeout: float) -> list[CommittedLines]:
        """Return the lines that commits add and that are neither at the base nor reviewed at the head.

        Args:
            change: The change with its excluded files marked.
            content: Its text.
            runner: Runs git.
            timeout: Seconds that it may take.

        Raises:
            ToolError: If git fails, prints too much, or history is cut off.
            GitError: If what it prints is not understood.
        """
        from selfreview.git.objects import BATCH, parse_batch

        git, runner = self.collected.git, runner.allowing(MAX_BYTES)

        def ask(arguments: Sequence[str], stdin: bytes | None = None) -> bytes:
            argv = [os.fsdecode(word) for word in git.argv(arguments)]
            return runner.run(argv, cwd=git.cwd, timeout=timeout, stdin=stdin, env=git.environ).stdout

        def read(oids: Iterable[str]) -> dict[str, bytes]:
            wanted = list(dict.fromkeys(oids))
            return parse_batch(ask(BATCH, "".join(f"{oid}\n" for oid in wanted).encode()), wanted) if wanted else {}

        try:
            added = list(parse_log(ask(log_arguments(self.collected.resolved.commits)), read))
        except TooMuchOutputError as error:
            raise ToolError(error.message, hint="review the commits in parts: --range A..B") from error
        self._refuse_cut_off({part.commit for part in added})
        return list(self._left(added, change, content))

    def _refuse_cut_off(self, commits: set[str]) -> None:
        """Raise where a shallow clone ends at one of the commits: all that came before it would count as its own."""
        try:
            cut = set((self.repo.common_dir / "shallow").read_text().split())
        except FileNotFoundError:
            return
        if cut & commits:
            hint = "git fetch --unshallow, or in CI a full checkout (fetch-depth: 0)"
            raise ToolError("this shallow clone ends among them", hint=hint)

    def _left(self, added: list[CommittedLines], change: Change, content: Content) -> Iterator[CommittedLines]:
        files = {file.path: file for file in change.files}
        wanted: dict[tuple[str, str], bool] = {}
        known: dict[tuple[str, str], set[bytes]] = {}
        for part in added:
            names = part.path, part.path_now
            if names not in wanted:
                wanted[names] = self._is_wanted(part)
            if part.mode == _SUBMODULE or not wanted[names]:
                continue
            if names not in known:
                file = files.get(part.path_now)
                known[names] = _lines(file, part.path, content) if file is not None else set()
            there = known[names]
            hunks = tuple(hunk for hunk in part.hunks if not there.issuperset(hunk[1].split(b"\n")))
            if hunks:
                yield part._replace(hunks=hunks)

    def _is_wanted(self, part: CommittedLines) -> bool:
        """Return whether a file is looked at: what becomes of it after the commit does not count, as that is pushed."""
        there = ChangedFile(path=part.path, old_path=part.path_now, status=FileStatus.ADDED, new_mode=part.mode)
        return is_wanted(there, self.paths) and self.excluded(there) is None


def _lines(file: ChangedFile, path: str, content: Content) -> set[bytes]:
    """Return all lines that a file has at the base, and at the head if it is reviewed there under that path."""
    found = {b""}
    for side in Side if file.excluded is None and file.path == path else (Side.OLD,):
        with contextlib.suppress(OSError):  # whoever reviews the file says so
            found.update((content.read(file, side) or b"").split(b"\n"))
    return found
