"""Ruff's settings in TOML and the files that they extend, for those that use them and those that guard them."""

from __future__ import annotations

import posixpath
from typing import Any

from selfreview.text.toml_text import parse_toml

_LONGEST = 255
"""Bytes of a name in a folder."""
_FARTHEST = 1_000
"""Bytes of a path: some systems take no more."""


def document(data: bytes) -> dict[str, Any] | None:
    """Return the content of a file, or None where it is no TOML that Python can read."""
    try:
        return parse_toml(data.decode("utf-8-sig"))
    except ValueError:
        return None


def ruff_table(path: str, data: bytes) -> dict[str, Any] | None:
    """Return ruff's table of a file: None where it has none, empty where it cannot be read."""
    found = document(data)
    if found is None or posixpath.basename(path) != "pyproject.toml":
        return found or {}
    tool = found.get("tool")
    table = tool.get("ruff") if isinstance(tool, dict) else None
    return table if isinstance(table, dict) else None


def extends_outside(path: str, data: bytes) -> str | None:
    """Return the path that a configuration file extends outside of the tree, as it is written, or None."""
    extend = (ruff_table(path, data) or {}).get("extend")
    return extend if isinstance(extend, str) and join(posixpath.dirname(path), extend) is None else None


def join(folder: str, target: str) -> str | None:
    """Resolve an ``extend``; None for one that leaves the tree, or that no path can be."""
    if is_absolute(target) or _is_no_path(target):
        return None
    path = posixpath.normpath(posixpath.join(folder, target.replace("\\", "/")))
    return None if path.startswith("../") or path == ".." else path


def _is_no_path(target: str) -> bool:
    """Return whether no system accepts the target as a path, so that looking it up is an error."""
    path = target.encode("utf-8", "surrogateescape")
    return b"\0" in path or len(path) > _FARTHEST or any(len(name) > _LONGEST for name in path.split(b"/"))


def is_absolute(target: str) -> bool:
    """Return whether a path is not relative to the folder of its file."""
    return posixpath.isabs(target) or target.startswith("~") or "$" in target
