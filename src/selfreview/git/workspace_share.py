"""Folders of the person's tree that a workspace shares with it."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path


def share(source: Path, root: Path, names: Iterable[str]) -> list[str]:
    """Make ignored folders of the person's tree usable in a workspace, as folders of links.

    A folder of links, not one link: a rule of ``.gitignore`` that ends in ``/`` ignores folders only.

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
            (here / item.name).symlink_to(item, target_is_directory=item.is_dir())
    return missing
