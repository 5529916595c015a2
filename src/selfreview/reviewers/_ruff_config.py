"""The repository's own ruff configuration: where it is and whether it makes a selection."""

from __future__ import annotations

import posixpath
from collections.abc import Callable
from typing import Any

import msgspec

NAMES = (".ruff.toml", "ruff.toml", "pyproject.toml")
"""In ruff's order: the first one of the nearest folder counts."""

_MAX_CHAIN = 20


class RuffConfig(msgspec.Struct, frozen=True):
    """One configuration file.

    Attributes:
        path: Where it is.
        chain: It and the files that it extends, as far as they are in the tree.
        selects: Whether it selects rules.
        extra: Rules that it adds to whatever is selected.
        ignored: Selectors of rules that it turns off.
        excludes: Whether it leaves files out.
    """

    path: str
    chain: tuple[str, ...]
    selects: bool
    extra: tuple[str, ...]
    ignored: tuple[str, ...]
    excludes: bool

    @property
    def folder(self) -> str:
        """The folder that it governs; empty for the top level."""
        return posixpath.dirname(self.path)

    def ignores(self, rule: str) -> bool:
        """Whether it turns a rule off."""
        return any(rule.startswith(selector) or selector == "ALL" for selector in self.ignored)


class ConfigFinder:
    """Finds the configuration of each file, reading each candidate once.

    Args:
        read: Returns the bytes of a path of the tree, or None.
    """

    def __init__(self, read: Callable[[str], bytes | None]) -> None:
        self._read = read
        self._by_folder: dict[str, RuffConfig | None] = {}
        self.seen: dict[str, bytes] = {}
        """Content of every file that was looked at, by path."""

    def find(self, path: str) -> RuffConfig | None:
        """Return the configuration that ruff would use for a file, or None."""
        return self._of_folder(posixpath.dirname(path))

    def _of_folder(self, folder: str) -> RuffConfig | None:
        if folder not in self._by_folder:
            found = next(filter(None, (self._load(posixpath.join(folder, name)) for name in NAMES)), None)
            if found is None and folder:
                found = self._of_folder(posixpath.dirname(folder))
            self._by_folder[folder] = found
        return self._by_folder[folder]

    def _load(self, path: str) -> RuffConfig | None:
        tables: list[dict[str, Any]] = []
        chain: list[str] = []
        current: str | None = path
        while current is not None and current not in chain and len(chain) < _MAX_CHAIN:
            table = self._table(current)
            if table is None:
                break
            chain.append(current)
            tables.append(table)
            extend = table.get("extend")
            current = _join(posixpath.dirname(current), extend) if isinstance(extend, str) else None
        if not chain:
            return None
        return RuffConfig(
            path=path,
            chain=tuple(chain),
            selects=any("select" in part for table in tables for part in _parts(table)),
            extra=_strings(tables, "extend-select"),
            ignored=_strings(tables, "ignore") + _strings(tables, "extend-ignore"),
            excludes=any(
                key in part for table in tables for part in _parts(table) for key in ("exclude", "extend-exclude")
            ),
        )

    def _table(self, path: str) -> dict[str, Any] | None:
        """Return a file's ruff table; empty for a file that cannot be parsed, which ruff itself will report."""
        import tomllib

        data = self._read(path)
        if data is None:
            return None
        self.seen[path] = data
        try:
            document = tomllib.loads(data.decode("utf-8"))
        except (ValueError, RecursionError):
            return {}
        if posixpath.basename(path) != "pyproject.toml":
            return document
        tool = document.get("tool")
        table = tool.get("ruff") if isinstance(tool, dict) else None
        return table if isinstance(table, dict) else None


def _parts(table: dict[str, Any]) -> list[dict[str, Any]]:
    lint = table.get("lint")
    return [table, lint] if isinstance(lint, dict) else [table]


def _strings(tables: list[dict[str, Any]], key: str) -> tuple[str, ...]:
    values = (part.get(key) for table in tables for part in _parts(table))
    return tuple(item for value in values if isinstance(value, list) for item in value if isinstance(item, str))


def _join(folder: str, target: str) -> str | None:
    """Resolve an ``extend``; None for one that leaves the tree, which ruff reads by itself."""
    if posixpath.isabs(target) or target.startswith("~") or "$" in target:
        return None
    path = posixpath.normpath(posixpath.join(folder, target.replace("\\", "/")))
    return None if path.startswith("../") or path == ".." else path
