"""Plugins that installed distributions offer, under the entry point group ``selfreview``."""

from __future__ import annotations

import os
import sys
from importlib.machinery import PathFinder
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

GROUP = "selfreview"

_SECTION = b"[selfreview]"


def discover() -> list[EntryPoint]:
    """Return the group's entry points, sorted by name and distribution, without importing any of them."""
    if _surely_none():
        return []
    import importlib.metadata

    found = importlib.metadata.entry_points(group=GROUP)
    return sorted(found, key=lambda entry: (entry.name, source(entry)))


def source(entry: EntryPoint) -> str:
    """Return the source of an entry point, as it is shown: ``entry point DIST VERSION``."""
    if entry.dist is None:
        return "entry point"
    return f"entry point {entry.dist.name} {entry.dist.version}"


def _surely_none() -> bool:
    """Return whether no distribution can offer entry points, without importing ``importlib.metadata``.

    That import costs more than everything else the manager does, and most people have no plugin installed. This looks
    where the standard finder would look; wherever anything is unusual it answers False.
    """
    for finder in sys.meta_path:
        if finder is not PathFinder and hasattr(finder, "find_distributions"):
            return False
    return not any(_may_offer(folder or ".") for folder in dict.fromkeys(sys.path))


def _may_offer(folder: str) -> bool:
    if os.path.isfile(folder) or folder.endswith(".egg"):  # noqa: PTH113 - a zip file, or an old style egg
        return True
    try:
        names = os.listdir(folder)  # noqa: PTH208 - pathlib is slow here, and this is start-up time
    except OSError:
        return False  # the standard finder skips it too
    for name in names:
        if not name.lower().endswith((".dist-info", ".egg-info", ".egg")):
            continue
        try:
            with open(os.path.join(folder, name, "entry_points.txt"), "rb") as file:  # noqa: PTH118, PTH123
                if any(line.strip() == _SECTION for line in file):
                    return True
        except (FileNotFoundError, NotADirectoryError):
            continue
        except OSError:
            return True
    return False
