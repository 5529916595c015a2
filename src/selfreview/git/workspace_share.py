"""Folders of the person's tree that a workspace shares with it."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable
from pathlib import Path

_CACHES = frozenset({".cache", ".vite", ".vite-temp", "__pycache__"})
"""Folders that tools fill whenever they run, and that are made again where they are gone: each tree has its own."""


def share(source: Path, root: Path, names: Iterable[str]) -> list[str]:
    """Make ignored folders of the person's tree usable in a workspace, as folders of links.

    A folder of links, not one link: a rule of ``.gitignore`` that ends in ``/`` ignores folders only. Caches at the top
    of a folder are not linked.

    Args:
        source: The person's top level.
        root: The workspace's.
        names: Paths below it.

    Returns:
        Those that are not there.
    """
    missing = []
    for name in names:
        there, here = source / name, root / name
        if not there.is_dir():
            missing.append(name)
            continue
        if here.exists():
            continue
        here.mkdir(parents=True)
        for item in there.iterdir():
            if item.name not in _CACHES:
                (here / item.name).symlink_to(item, target_is_directory=item.is_dir())
    return missing


def look_of(folder: Path) -> bytes:
    """Return a digest of a folder's entries: names, modes, sizes, inodes and times of change.

    The content is not read, so that large folders are quick. A time of the content that was set back is seen by the
    inode's own, where the system keeps one. Caches count: what an interpreter finds there, it runs.
    """
    digest = hashlib.sha256()
    folders = [os.fspath(folder)]
    while folders:
        try:
            entries = sorted(os.scandir(folders.pop()), key=lambda entry: entry.name)
        except OSError:  # gone meanwhile, or not to be read: neither is there for a program that runs as the person
            continue
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                folders.append(entry.path)
                continue
            try:
                status = entry.stat(follow_symlinks=False)
            except OSError:
                continue
            facts = (status.st_mode, status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino)
            digest.update(os.fsencode(entry.path) + b"\0" + repr(facts).encode())
    return digest.digest()
