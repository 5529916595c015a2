"""Surroundings: a digest of git's own files in a person's repository."""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import NamedTuple

_FILES = ("config", "config.worktree", "commondir", "objects/info/alternates")
_FOLDERS = ("hooks", "info")
_OF_OTHERS = frozenset({"config", "config.worktree", "gitdir", "commondir"})
_DEEPEST = 16
"""Maximum depth of folders: a submodule is named by its former path, and may have submodules of its own."""
_MANY = frozenset({"objects", "refs", "logs", "lfs", "rr-cache"})
"""Large folders of a git folder that are skipped, as they hold nothing of interest."""
_NOT_OURS = (b"refs/remotes/", b"refs/prefetch/")
"""References that git moves when it only looks at a remote, as editors have it do every few minutes."""


class Surroundings(NamedTuple):
    """Digests of a git folder.

    Attributes:
        settings: Of hooks, settings and ``info``: what makes git do something else than before. Those of linked
            worktrees and of submodules count as well.
        references: Of ``HEAD``, branches and tags, which also move when a person commits.
    """

    settings: bytes
    references: bytes


def surroundings(common_dir: Path) -> Surroundings:
    """Return the digests of a git folder, without references of remotes; packing references does not change them.

    Args:
        common_dir: A git folder; one that is not there has a digest, too.

    Raises:
        OSError: If something is there and cannot be read.
    """
    return Surroundings(_digest(_settings(common_dir)), _digest(_moving(common_dir)))


def _digest(parts: Iterator[tuple[bytes, bytes]]) -> bytes:
    digest = hashlib.sha256()
    for pair in parts:
        for part in pair:
            digest.update(len(part).to_bytes(8, "big"))
            digest.update(part)
    return digest.digest()


def _settings(folder: Path) -> Iterator[tuple[bytes, bytes]]:
    for name in _FILES:
        yield from _content(folder / name, folder)
    for name in _FOLDERS:
        for path in _walk(folder / name):
            if path != folder / "info" / "refs":  # a listing that git derives when it tidies up
                yield from _content(path, folder)
    for name in ("worktrees", "modules"):
        for path in _walk(folder / name, depth=_DEEPEST, without=_MANY):
            if path.name in _OF_OTHERS or path.parent.name in _FOLDERS:
                yield from _content(path, folder)


def _moving(folder: Path) -> Iterator[tuple[bytes, bytes]]:
    for path in (folder / "HEAD", folder / "reftable" / "tables.list"):
        yield from _content(path, folder)
    for name in ("worktrees", "modules"):
        for path in _walk(folder / name, depth=_DEEPEST, without=_MANY):
            if path.name == "HEAD":
                yield from _content(path, folder)
    yield from sorted(_references(folder).items())


def _content(path: Path, folder: Path) -> Iterator[tuple[bytes, bytes]]:
    """Yield a file's name with its kind, mode and bytes, without following a link but for what it leads to."""
    name = os.fsencode(path.relative_to(folder))
    try:
        mode = path.lstat().st_mode
        if stat.S_ISLNK(mode):
            yield name + b" ->", os.fsencode(os.readlink(path))  # noqa: PTH115 - the target as it is written
        if path.is_file():
            yield name + f" {mode:o}".encode(), path.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return


def _walk(folder: Path, depth: int = 8, without: Collection[str] = ()) -> Iterator[Path]:
    try:
        entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
    except (FileNotFoundError, NotADirectoryError):
        return
    for entry in entries:
        path = folder / entry.name
        if entry.is_dir(follow_symlinks=False):
            if depth > 0 and not _is_skipped(path, without):
                yield from _walk(path, depth - 1, without)
        else:
            yield path


def _is_skipped(path: Path, without: Collection[str]) -> bool:
    """Return whether a folder is left out of a git folder, and is no submodule of that name."""
    return path.name in without and (path.parent / "HEAD").exists()


def _references(folder: Path) -> dict[bytes, bytes]:
    """Return references by name, those in files of their own before packed ones."""
    found: dict[bytes, bytes] = {}
    try:
        packed = (folder / "packed-refs").read_bytes()
    except FileNotFoundError:
        packed = b""
    for line in packed.split(b"\n"):
        value, _, name = line.partition(b" ")
        if name.startswith(b"refs/") and not name.startswith(_NOT_OURS):
            found[name] = value
    for path in _walk(folder / "refs", depth=64):
        name = os.fsencode(path.relative_to(folder).as_posix())
        if not name.startswith(_NOT_OURS) and not name.endswith(b".lock"):
            try:
                found[name] = path.read_bytes().strip()
            except FileNotFoundError:
                continue  # packed between the listing and now
    return found
