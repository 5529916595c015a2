"""Ruff's configuration in the repository: where it is, what it selects, and what it extends."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable
from typing import Any

import msgspec

from selfreview.api import ChangedFile, ReviewContext
from selfreview.reviewers.tools.program import folders_above
from selfreview.text.toml import parse_toml

NAMES = (".ruff.toml", "ruff.toml", "pyproject.toml")
"""In ruff's order: the first one of the nearest folder counts."""

_MAX_CHAIN = 20


class RuffConfig(msgspec.Struct, frozen=True):
    """One configuration file.

    Attributes:
        path: Where it is.
        selects: Whether it selects rules.
        extra: Rules that it adds to whatever is selected.
        ignored: Selectors of rules that it turns off.
        excludes: Whether it leaves files out.
        outside: What it extends, itself or through others, that is no file of the repository as far as is known;
            relative to the top level, or as it is written where it begins with ``/``, ``~`` or a variable.
        unread: Whether it, or what it extends, is no TOML that Python can read; ruff may, for it knows a newer one.
    """

    path: str
    selects: bool
    extra: tuple[str, ...]
    ignored: tuple[str, ...]
    excludes: bool
    outside: str | None = None
    unread: bool = False

    @property
    def folder(self) -> str:
        """The folder that it governs; empty for the top level."""
        return posixpath.dirname(self.path)

    def ignores(self, rule: str) -> bool:
        """Return whether the configuration turns a rule off."""
        return any(rule.startswith(selector) or selector == "ALL" for selector in self.ignored)


class ConfigFinder:
    """Finds the configuration of each file.

    Args:
        files: The files whose configuration will be asked for.
        context: What is under review.

    Attributes:
        seen: Content of every configuration file above them, and of those that they extend, by path.
    """

    def __init__(self, files: Iterable[ChangedFile], context: ReviewContext) -> None:
        self._context = context
        folders = folders_above(file.path for file in files)
        self.seen = context.read_settings(posixpath.join(folder, name) for folder in folders for name in NAMES)
        self._by_folder: dict[str, RuffConfig | None] = {}
        for folder in folders:  # a folder comes after the one that it is in
            found = next(filter(None, (self._load(posixpath.join(folder, name)) for name in NAMES)), None)
            above = self._by_folder.get(posixpath.dirname(folder)) if folder else None
            self._by_folder[folder] = found or above

    def find(self, path: str) -> RuffConfig | None:
        """Return the configuration that ruff would use for a file, or None."""
        return self._by_folder[posixpath.dirname(path)]

    def _load(self, path: str) -> RuffConfig | None:
        chain, outside = self._chain(path)
        if not chain:
            return None
        parts = [part for table in chain.values() for part in _parts(table)]
        return RuffConfig(
            path=path,
            selects=any("select" in part for part in parts),
            extra=_strings(parts, "extend-select"),
            ignored=_strings(parts, "ignore") + _strings(parts, "extend-ignore"),
            excludes=any(key in part for part in parts for key in ("exclude", "extend-exclude", "force-exclude")),
            outside=outside,
            unread=any(document(self.seen[name]) is None for name in chain),
        )

    def _chain(self, path: str) -> tuple[dict[str, dict[str, Any]], str | None]:
        """Return the tables of a file and of those that it extends, by path, and what is extended outside."""
        chain: dict[str, dict[str, Any]] = {}
        current: str | None = path
        while current is not None and current not in chain:
            table = self._table(current) if len(chain) < _MAX_CHAIN else None
            if table is None:
                return chain, current if current not in self.seen or len(chain) == _MAX_CHAIN else None
            chain[current], folder = table, posixpath.dirname(current)
            extend = table.get("extend")
            current = join(folder, extend) if isinstance(extend, str) else None
            if isinstance(extend, str) and current is None:
                return chain, posixpath.join("" if is_absolute(extend) else folder, extend)
        return chain, None

    def _table(self, path: str) -> dict[str, Any] | None:
        """Return a file's ruff table; empty for a file that cannot be parsed, which ruff itself will report."""
        if path not in self.seen:
            data = self._context.read_settings([path]).get(path)
            if data is None:
                return None
            self.seen[path] = data
        return ruff_table(path, self.seen[path])


def _parts(table: dict[str, Any]) -> list[dict[str, Any]]:
    lint = table.get("lint")
    return [table, lint] if isinstance(lint, dict) else [table]


def _strings(parts: list[dict[str, Any]], key: str) -> tuple[str, ...]:
    values = (part.get(key) for part in parts)
    return tuple(item for value in values if isinstance(value, list) for item in value if isinstance(item, str))


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
