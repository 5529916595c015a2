"""The content of both sides of a change, read once and kept, so that every reviewer sees the same bytes.

A diff is taken once, the content later. Line ranges of the one are worth nothing with the bytes of the other, so every
file read is held against the object id that git printed for it. Where the bytes on disk differ from what git stores
(line ends, ``working-tree-encoding``, filters), the stored form is taken: it is what the commit will hold.
"""

from __future__ import annotations

import errno
import hashlib
import re
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from pathlib import Path
from typing import NamedTuple, Protocol

from selfreview.api.context import Hunk, WordHit
from selfreview.errors import GitError
from selfreview.git.collect_change import Collected
from selfreview.git.objects import LINK, REGULAR, find_blobs, private_objects, read_blobs
from selfreview.git.parse_diff import first_hunk, parse_hunks
from selfreview.git.private_folder import PrivateFolder
from selfreview.git.repo import Repo
from selfreview.git.run import Git, first_line
from selfreview.git.worktree_files import is_link, read_entry
from selfreview.model.change import ChangedFile, FileStatus, path_bytes, path_from_bytes
from selfreview.model.issue import Side


class Probe(NamedTuple):
    """The first bytes of a file, and its size in bytes."""

    head: bytes
    size: int


class Content(Protocol):
    """The source of a review's text: a repository, or a bare patch."""

    def read(self, file: ChangedFile, side: Side) -> bytes | None:
        """Return a file's bytes on one side, or None where that side is absent or not known."""

    def probe(self, file: ChangedFile, side: Side, length: int) -> Probe | None:
        """Return a file's first bytes and its size, where it can be without reading all of it; None as :meth:`read`."""

    def hunks(self, file: ChangedFile) -> tuple[Hunk, ...]:
        """Return a file's hunks with their lines."""

    def is_partial(self, file: ChangedFile) -> bool:
        """Return whether only the lines of the hunks are known."""

    def read_path(self, path: str, side: Side) -> bytes | None:
        """Return the bytes of any regular file of one side's tree."""

    def find(self, paths: Iterable[str], side: Side = Side.NEW) -> dict[str, bytes]:
        """Return one side's content of those of the paths that are regular files."""

    def links(self, paths: Iterable[str], side: Side = Side.NEW) -> dict[str, str]:
        """Return the targets of those of the paths that are symbolic links on one side."""

    def list_paths(self, side: Side = Side.NEW) -> list[str]:
        """Return the paths of all files of one side's tree, sorted."""

    def search(self, words: Sequence[str]) -> list[WordHit]:
        """Return the lines of the new side's tree that hold one of the words."""

    def checkout(self, folder: Path, side: Side = Side.NEW) -> Path:
        """Return a folder with the whole tree of one side; ``folder`` is empty and may be filled."""

    def close(self) -> None:
        """Free the resources."""


_OPEN_END = b"\n\\ No newline at end of file\n"
"""End of a patch whose last line does not end."""


class RepoContent:
    """Content of a change in a repository."""

    def __init__(self, repo: Repo, collected: Collected) -> None:
        self._repo = repo
        self._collected = collected
        self._git = collected.git
        self._resolved = collected.resolved
        self._files = {file.path: file for file in collected.change.files}
        self._worktree = self._resolved.new is None and not self._resolved.cached
        self._known: dict[tuple[Side, str], bytes | None] = {}
        self._loaded: set[Side] = set()
        self._compared = not self._worktree
        self._edited: frozenset[str] = frozenset()
        self._lock = threading.Lock()

    def read(self, file: ChangedFile, side: Side) -> bytes | None:
        """Return a file's bytes on one side; the first call reads both sides of the whole change.

        Raises:
            EditedError: If the file was edited after git compared it.
        """
        return self._read(file, side, Side)

    def _read(self, file: ChangedFile, side: Side, sides: Iterable[Side]) -> bytes | None:
        with self._lock:
            if side not in self._loaded:
                self._load([each for each in sides if each not in self._loaded])
            if side is Side.NEW and not self._compared:
                self._load_worktree([f for f in self._wanted() if f.status is not FileStatus.DELETED])
                self._compared = True
            if side is Side.NEW and file.path in self._edited:
                raise EditedError(file.path)
            return self._known.get((side, file.path))

    def probe(self, file: ChangedFile, side: Side, length: int) -> Probe | None:
        """Read a file's first bytes and size; all of a new one stands in the patch, so git need not be asked again."""
        if side is Side.NEW and file.status is FileStatus.ADDED and Side.NEW not in self._loaded:
            for diff in reversed(self._collected.diffs):
                extents = diff.extents.get(file.path)
                if extents is not None and len(extents) == 1 and len(file.spans) == 1:
                    start = diff.data.find(b"\n", first_hunk(diff.data, *extents[0]), extents[0].end) + 1
                    end = extents[0].end - (
                        len(_OPEN_END) if diff.data.endswith(_OPEN_END, start, extents[0].end) else 0
                    )
                    head = diff.data[start : min(start + 2 * length, end)]  # half of it may be signs: of empty lines
                    head = b"\n".join(line[1:] for line in head.split(b"\n"))[:length]
                    return Probe(head, end - start - file.added_lines)
        data = self._read(file, side, (side,))
        return None if data is None else Probe(data[:length], len(data))

    def _wanted(self) -> list[ChangedFile]:
        return [f for f in self._files.values() if f.excluded is None and not f.is_submodule and not f.binary]

    def _load(self, sides: Sequence[Side]) -> None:
        oids = {(s, f.path): f.old_oid if s is Side.OLD else f.new_oid for s in sides for f in self._wanted()}
        blobs = read_blobs(self._git, [oid for oid in oids.values() if oid])
        self._known.update((place, blobs.get(oid) if oid else None) for place, oid in oids.items())
        self._loaded.update(sides)

    def _load_worktree(self, files: list[ChangedFile]) -> None:
        """Read files of the working tree, and hold them against what git compared: edits since then are refused."""
        compared = {path: oid for diff in self._collected.diffs for path, oid in diff.hashes.items()}
        paths = [file.path for file in files if self._known[Side.NEW, file.path] is None]
        found, edited = read_compared(self._repo, self._git, paths, compared, self._collected.compare_again)
        self._edited = frozenset(edited)
        self._known.update({(Side.NEW, path): data for path, data in found.items()})

    def hunks(self, file: ChangedFile) -> tuple[Hunk, ...]:
        """Parse a file's hunks from the patch that git printed."""
        for diff in reversed(self._collected.diffs):
            extents = diff.extents.get(file.path)
            if extents is not None:
                bodies = [diff.data[first_hunk(diff.data, e.start, e.end) : e.end] for e in extents]
                return tuple(hunk for body in bodies if body for hunk in parse_hunks(body))
        return ()

    def is_partial(self, file: ChangedFile) -> bool:  # noqa: ARG002 - part of the protocol
        """Return False: whole files are known."""
        return False

    def read_path(self, path: str, side: Side) -> bytes | None:
        """Read any regular file of one side."""
        raw = path_bytes(path)
        if side is Side.NEW and self._worktree:
            return read_entry(self._repo.root, path)
        oid = find_blobs(self._git, self._tree(side), [raw]).get(raw)
        return read_blobs(self._git, [oid]).get(oid) if oid else None

    def find(self, paths: Iterable[str], side: Side = Side.NEW) -> dict[str, bytes]:
        """Read those of the paths that exist on one side."""
        if side is Side.NEW and self._worktree:
            gone = {file.path for file in self._files.values() if file.status is FileStatus.DELETED}
            # What git rm --cached takes out stays on the disk, and is no part of the tree under review.
            entries = ((path, read_entry(self._repo.root, path)) for path in paths if path not in gone)
            return {path: data for path, data in entries if data is not None}
        return self._blobs(paths, side, REGULAR)

    def links(self, paths: Iterable[str], side: Side = Side.NEW) -> dict[str, str]:
        """Read those of the paths that are symbolic links on one side."""
        if side is Side.NEW and self._worktree:
            found = self.find(path for path in paths if is_link(self._repo.root, path))
        else:
            found = self._blobs(paths, side, LINK)
        return {path: path_from_bytes(target) for path, target in found.items()}

    def _tree(self, side: Side) -> str | None:
        return self._resolved.old if side is Side.OLD else self._resolved.new

    def _blobs(self, paths: Iterable[str], side: Side, modes: Set[bytes]) -> dict[str, bytes]:
        found = find_blobs(self._git, self._tree(side), [path_bytes(path) for path in paths], modes)
        blobs = read_blobs(self._git, found.values())
        return {path_from_bytes(path): blobs[oid] for path, oid in found.items() if oid in blobs}

    def list_paths(self, side: Side = Side.NEW) -> list[str]:
        """List the index, to which a private copy adds untracked files, or a tree."""
        tree = self._tree(side)
        if tree is not None:
            command = ["ls-tree", "-r", "-z", "--full-tree", "--name-only", tree]
        else:
            command = ["ls-files", "-z", "--cached"]
        return sorted(path_from_bytes(path) for path in self._git.run(command).split(b"\0")[:-1])

    def search(self, words: Sequence[str]) -> list[WordHit]:
        """Search the working tree, the index or the commit."""
        return search_words(self._git, self._resolved.new, words, cached=self._resolved.cached)

    def checkout(self, folder: Path, side: Side = Side.NEW) -> Path:
        """Return the working tree itself where it is asked for, else check the tree out into ``folder``."""
        if self._worktree and side is Side.NEW:
            return self._repo.root
        git, tree = self._git, self._tree(side)
        if tree is not None:
            git = self._repo.git.with_env(GIT_INDEX_FILE=str(Path(self._collected.folder.name) / f"{side}-index"))
            git.run(["read-tree", tree])
        # A path with a line feed at its end would be cut off by nothing here: the prefix is taken as it is.
        git.run(["checkout-index", "--all", "--force", f"--prefix={folder}/"])
        return folder

    def close(self) -> None:
        """Remove the copied index."""
        self._collected.close()


def tree_id(repo: Repo, collected: Collected) -> str | None:
    """Return the git tree id of exactly what is under review; None where git cannot make one.

    Objects go to a private folder: the person's repository is only read.
    """
    resolved = collected.resolved
    is_head = not resolved.cached and not collected.uncommitted
    committed = resolved.new or (resolved.scope.head if is_head else None)
    if committed is not None:
        known = repo.git.trees.get(committed)
        return known or repo.git.line(["rev-parse", "--verify", "-q", committed + "^{tree}"])
    with PrivateFolder("objects") as folder:
        git = private_objects(repo, collected.git, folder)
        if not resolved.cached and _add_all(git) != 0:
            return None
        return git.line(["write-tree"])


def _add_all(git: Git) -> int:
    return git.call(
        ["-c", "core.compression=0", "-c", "core.fsync=none", "add", "--update", "--sparse", "."]
    ).returncode


_SHA1_DIGITS = 40


class EditedError(OSError):
    """A file was edited after git compared it."""

    def __init__(self, path: str) -> None:
        super().__init__(errno.ESTALE, "it was edited while it was under review; run it again", path)


def read_compared(
    repo: Repo,
    git: Git,
    paths: Iterable[str],
    compared: Mapping[str, str],
    again: Callable[[list[str]], Mapping[str, str]],
) -> tuple[dict[str, bytes | None], set[str]]:
    """Read files of the working tree.

    Args:
        repo: The repository.
        git: Git with the private index.
        paths: Files of the change.
        compared: By path: the object id of what git compared.
        again: Compares some paths once more, and returns the ids of now.

    Returns:
        The content by path, None where nothing is there that git would track; and the paths that were edited since.

    Raises:
        OSError: If a file is there and cannot be read.
    """
    found = {path: read_entry(repo.root, path) for path in paths}
    other = [path for path, oid in compared.items() if path in found and not _is(found[path], oid)]
    if other:
        stored = _as_stored(repo, git, [path for path in other if found[path] is not None])
        taken = {path: data for path, data in stored.items() if _is(data, compared[path])}
        found.update(taken)
        other = [path for path in other if path not in taken]
    if other:
        # Git may convert by rules of its own (line ends kept as the index has them): then it still sees what it saw.
        now = again(other)
        other = [path for path in other if found[path] is None or now.get(path) != compared[path]]
    return found, set(other)


def _is(data: bytes | None, oid: str) -> bool:
    if data is None:
        return False
    make = hashlib.sha1 if len(oid) == _SHA1_DIGITS else hashlib.sha256
    return make(b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest() == oid


def _as_stored(repo: Repo, git: Git, paths: list[str]) -> dict[str, bytes]:
    """Return the object ids that git would store for files, through a private object folder."""
    with PrivateFolder("objects") as folder:
        own = private_objects(repo, git, folder)
        try:
            names = b"".join(_quoted(path_bytes(path)) + b"\n" for path in paths)
            oids = (
                own.run(["-c", "core.safecrlf=false", "hash-object", "-w", "--stdin-paths"], stdin=names)
                .decode()
                .split()
            )
        except GitError:  # a file that has gone meanwhile: none is converted, so each is compared again
            return {}
        blobs = read_blobs(own, oids)
        return {path: blobs[oid] for path, oid in zip(paths, oids, strict=True) if oid in blobs}


def _quoted(name: bytes) -> bytes:
    """Quote a name the way git reads one: as a C string with octal escapes."""
    return b'"' + b"".join(b"\\%03o" % byte for byte in name) + b'"'


_OPTIONS = (
    "grep", "-z", "-n", "-I", "-w", "-E", "--no-color", "--no-column", "--full-name", "--no-heading", "--no-break",
    "--no-recurse-submodules", "--no-textconv", "--no-all-match",
)  # fmt: skip
_SPECIAL = re.compile(r"[][\\.*^$+?(){}|]")
"""Special characters of an extended regular expression."""
_WORDS_AT_ONCE = 200
"""Well below any limit on the length of a command line."""


def search_words(git: Git, tree: str | None, words: Sequence[str], *, cached: bool) -> list[WordHit]:
    """Find whole words in regular text files.

    Args:
        git: Git; with a private index where the working tree is searched.
        tree: Commit or tree, or None for the index or the working tree.
        words: What to look for, literally.
        cached: Whether the index is searched and not the working tree.

    Raises:
        GitError: If git fails.
    """
    hits: list[WordHit] = []
    for start in range(0, len(words), _WORDS_AT_ONCE):
        # One alternation: git matches many patterns of their own thirty times as slowly.
        pattern = "|".join(_SPECIAL.sub(r"\\\g<0>", word) for word in words[start : start + _WORDS_AT_ONCE])
        where = [tree] if tree is not None else ["--cached"] if cached else []
        done = git.call([*_OPTIONS, "-e", f"({pattern})", *where, "--"])
        if done.returncode not in (0, 1) or (done.returncode == 1 and done.stderr):
            raise GitError(f"git grep failed: {first_line(done.stderr) or done.returncode}")
        hits += _parse(done.stdout, f"{tree}:".encode() if tree is not None else b"")
    return hits


def _parse(output: bytes, prefix: bytes) -> list[WordHit]:
    """Read ``NAME NUL LINE NUL TEXT``; a name may hold a line feed, so the first NUL ends it and the last line."""
    hits = []
    position = 0
    while position < len(output):
        name_end = output.index(b"\0", position)
        number_end = output.index(b"\0", name_end + 1)
        line_end = output.find(b"\n", number_end + 1)
        line_end = len(output) if line_end < 0 else line_end
        hits.append(
            WordHit(
                path=path_from_bytes(output[position:name_end].removeprefix(prefix)),
                line=int(output[name_end + 1 : number_end]),
                text=output[number_end + 1 : line_end].decode("utf-8", "surrogateescape"),
            )
        )
        position = line_end + 1
    return hits
