"""Read changed files of the working tree as git compared them, and notice files that were edited since.

A diff is taken once, the content later. Line ranges of the one are worth nothing with the bytes of the other, so every
file read is held against the object id that git printed for it. Where the bytes on disk differ from what git stores
(line ends, ``working-tree-encoding``, filters), the stored form is taken: it is what the commit will hold.
"""

from __future__ import annotations

import errno
import hashlib
from collections.abc import Callable, Iterable, Mapping

from selfreview.errors import GitError
from selfreview.git.objects import private_objects, read_blobs
from selfreview.git.privatefolder import PrivateFolder
from selfreview.git.repo import Repo
from selfreview.git.run import Git
from selfreview.git.safeopen import read_entry
from selfreview.model.change import path_bytes

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
        own = private_objects(repo.git, git, folder)
        if own is None:
            return {}
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
