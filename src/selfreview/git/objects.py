"""Read blobs: many at a time, by id; all paths of a tree; single paths of a tree or of the index; renamed paths."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Set
from typing import NamedTuple

from selfreview.errors import GitError
from selfreview.git.repo import Repo
from selfreview.git.run import Git

REGULAR = frozenset((b"100644", b"100755"))
LINK = frozenset((b"120000",))
"""Modes of an entry, as git writes them."""
BATCH = ("cat-file", "--batch")
"""Arguments of git that print the objects whose ids it reads."""


def read_blobs(git: Git, oids: Iterable[str]) -> dict[str, bytes]:
    """Read blobs by id; ids of objects that are not here are left out.

    Raises:
        GitError: If git fails or its answer is cut off.
    """
    wanted = list(dict.fromkeys(oids))
    if not wanted:
        return {}
    return parse_batch(git.run(BATCH, stdin="".join(oid + "\n" for oid in wanted).encode()), wanted)


def parse_batch(data: bytes, wanted: Iterable[str]) -> dict[str, bytes]:
    """Return the blobs by id in what ``git cat-file --batch`` printed about these ids, each asked once.

    Raises:
        GitError: If it is cut off.
    """
    blobs: dict[str, bytes] = {}
    position = 0
    for oid in wanted:
        end = data.find(b"\n", position)
        header = data[position:end].split(b" ")
        if end < 0:
            raise GitError("git cat-file stopped before its end")
        position = end + 1
        if header[-1] == b"missing":
            continue
        size = int(header[2])
        if len(data) < position + size + 1:
            raise GitError("git cat-file stopped before its end")
        if header[1] == b"blob":
            blobs[oid] = data[position : position + size]
        position += size + 1
    return blobs


def private_objects(repo: Repo, git: Git, folder: str) -> Git:
    """Return ``git`` writing its objects into a folder of its own.

    Args:
        repo: The repository, with the person's own environment.
        git: What to derive from.
        folder: An empty folder; it is the caller's to remove.
    """
    others = repo.git.environ.get("GIT_ALTERNATE_OBJECT_DIRECTORIES")
    alternates = [str(repo.objects), *([others] if others else [])]
    return git.with_env(GIT_OBJECT_DIRECTORY=folder, GIT_ALTERNATE_OBJECT_DIRECTORIES=os.pathsep.join(alternates))


class TreeEntry(NamedTuple):
    """An entry of a tree: mode and path as git writes them, and the object's id."""

    mode: bytes
    oid: str
    path: bytes


def list_top(git: Git, commit: str) -> dict[bytes, TreeEntry]:
    """Return the files and folders at the top level of a commit or a tree, by name.

    Args:
        git: Git.
        commit: Its id.

    Raises:
        GitError: If git cannot read it.
    """
    return {entry.path: entry for entry in _entries(git.run(["ls-tree", "-z", "--full-tree", commit], fixed=True))}


def list_tree(git: Git, commit: str, below: bytes | None = None) -> Iterator[TreeEntry]:
    """Yield all files of a commit or a tree, or those below a folder.

    Args:
        git: Git.
        commit: Its id.
        below: The folder, with a slash at its end; None: all.

    Raises:
        GitError: If git cannot read it.
    """
    folder = () if below is None else ("--", below)
    yield from _entries(git.run(["ls-tree", "-r", "-z", "--full-tree", commit, *folder], fixed=True))


def _entries(listing: bytes) -> Iterator[TreeEntry]:
    for line in listing.split(b"\0")[:-1]:
        state, _, path = line.partition(b"\t")
        mode, _, oid = state.split(b" ")
        yield TreeEntry(mode, oid.decode(), path)


def find_blobs(git: Git, tree: str | None, paths: Iterable[bytes], modes: Set[bytes] = REGULAR) -> dict[bytes, str]:
    """Return the ids by path of what has one of the modes in a tree, or in the index (``tree`` None)."""
    wanted = list(paths)
    if not wanted:
        return {}
    found: dict[bytes, str] = {}
    for start in range(0, len(wanted), 500):  # well below any limit on the length of a command line
        batch = wanted[start : start + 500]
        if tree is None:
            output = git.run(["ls-files", "-z", "--stage", "--", *batch])
        else:
            output = git.run(["ls-tree", "-z", "--full-tree", tree, "--", *batch], fixed=True)
        for line in output.split(b"\0")[:-1]:
            info, _, path = line.partition(b"\t")
            fields = info.split(b" ")
            oid = fields[2] if tree is not None else fields[1]
            if fields[0] in modes:
                found[path] = oid.decode()
    return found


_MOST_NAMES = 20
_RENAMED = ("-r", "--find-renames", "--diff-filter=R", "--name-status", "-z")


def later_names(git: Git, head: str, path: str, *, worktree: bool = False) -> Iterator[str]:
    """Yield the names that a file got by renames, as git sees these, one after the other.

    Args:
        git: Git.
        head: The commit up to which it is looked for.
        path: The file's name before.
        worktree: Whether the working tree and the index go before what is committed.
    """
    for _ in range(_MOST_NAMES):
        new = _renamed(git, head, path, worktree)
        if new is None:
            return
        path = new
        yield path


def _renamed(git: Git, head: str, path: str, worktree: bool) -> str | None:
    """Return the new name of a file, in the working tree or else in the last commit that concerns it."""
    looks = [["diff-index", *_RENAMED, head]] if worktree else []
    try:
        commit = git.line(["rev-list", "-1", head, "--", path])
        if commit:
            looks.append(["diff-tree", *_RENAMED, "--no-commit-id", commit])
        for look in looks:
            fields = git.run(look).decode("utf-8", "surrogateescape").split("\0")
            for old, new in zip(fields[1::3], fields[2::3], strict=False):
                if old == path:
                    return new
    except GitError:
        return None  # no commit yet
    return None
