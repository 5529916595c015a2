"""The content of both sides of a change, read once and kept, so that every reviewer sees the same bytes."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Sequence, Set
from pathlib import Path
from typing import NamedTuple, Protocol

from selfreview.api.context import Hunk, WordHit
from selfreview.git.collect import Collected
from selfreview.git.hunks import first_hunk, parse_hunks
from selfreview.git.objects import LINK, REGULAR, find_blobs, private_objects, read_blobs
from selfreview.git.privatefolder import PrivateFolder
from selfreview.git.repo import Repo
from selfreview.git.run import Git
from selfreview.git.safeopen import is_link, read_entry
from selfreview.git.search import search_words
from selfreview.git.worktree import EditedError, read_compared
from selfreview.model.change import ChangedFile, FileStatus, path_bytes, path_from_bytes
from selfreview.model.issue import Side


class Probe(NamedTuple):
    """The first bytes of a file, and its size in bytes (of a new file at most a little less)."""

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

    def checkout(self, folder: Path) -> Path:
        """Return a folder with the whole tree under review; ``folder`` is empty and may be filled."""

    def close(self) -> None:
        """Free the resources."""


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
        self._edited: frozenset[str] = frozenset()
        self._lock = threading.Lock()

    def read(self, file: ChangedFile, side: Side) -> bytes | None:
        """Return a file's bytes on one side; the first call reads that side of the whole change.

        Raises:
            EditedError: If the file was edited after git compared it.
        """
        with self._lock:
            if side not in self._loaded:
                self._load(side)
                self._loaded.add(side)
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
                    head = diff.data[start : min(start + length, extents[0].end)]
                    size = extents[0].end - start - file.added_lines
                    return Probe(b"\n".join(line[1:] for line in head.split(b"\n")), size)
        data = self.read(file, side)
        return None if data is None else Probe(data[:length], len(data))

    def _load(self, side: Side) -> None:
        wanted = [f for f in self._files.values() if f.excluded is None and not f.is_submodule and not f.binary]
        oids = {f.path: f.old_oid if side is Side.OLD else f.new_oid for f in wanted}
        blobs = read_blobs(self._git, [oid for oid in oids.values() if oid])
        for file in wanted:
            oid = oids[file.path]
            self._known[side, file.path] = blobs.get(oid) if oid else None
        if side is Side.NEW and self._worktree:
            self._load_worktree([f for f in wanted if f.status is not FileStatus.DELETED])

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
            entries = ((path, read_entry(self._repo.root, path)) for path in paths)
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

    def checkout(self, folder: Path) -> Path:
        """Return the working tree itself where it is under review, else check the tree out into ``folder``."""
        if self._worktree:
            return self._repo.root
        git = self._git
        if self._resolved.new is not None:
            git = self._repo.git.with_env(GIT_INDEX_FILE=str(Path(self._collected.folder.name) / "checkout-index"))
            git.run(["read-tree", self._resolved.new])
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
    if resolved.new is not None:
        return repo.git.line(["rev-parse", "--verify", "-q", resolved.new + "^{tree}"])
    if not resolved.cached and not collected.uncommitted and resolved.scope.head is not None:
        return repo.git.line(["rev-parse", "--verify", "-q", resolved.scope.head + "^{tree}"])
    with PrivateFolder("objects") as folder:
        git = private_objects(repo.git, collected.git, folder)
        if git is None:
            return None
        if not resolved.cached and _add_all(git) != 0:
            return None
        return git.line(["write-tree"])


def _add_all(git: Git) -> int:
    return git.call(
        ["-c", "core.compression=0", "-c", "core.fsync=none", "add", "--update", "--sparse", "."]
    ).returncode
