"""The repository's own ruff configuration: where it is and whether it makes a selection."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable
from typing import Any

import msgspec

from selfreview.api import ChangedFile, ReviewContext
from selfreview.reviewers._paths import folders_above

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
    """

    path: str
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
        if not tables:
            return None
        parts = [part for table in tables for part in _parts(table)]
        return RuffConfig(
            path=path,
            selects=any("select" in part for part in parts),
            extra=_strings(parts, "extend-select"),
            ignored=_strings(parts, "ignore") + _strings(parts, "extend-ignore"),
            excludes=any(key in part for part in parts for key in ("exclude", "extend-exclude", "force-exclude")),
        )

    def _table(self, path: str) -> dict[str, Any] | None:
        """Return a file's ruff table; empty for a file that cannot be parsed, which ruff itself will report."""
        import tomllib

        if path not in self.seen:
            data = self._context.read_settings([path]).get(path)
            if data is None:
                return None
            self.seen[path] = data
        try:
            document = tomllib.loads(self.seen[path].decode("utf-8"))
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


def _strings(parts: list[dict[str, Any]], key: str) -> tuple[str, ...]:
    values = (part.get(key) for part in parts)
    return tuple(item for value in values if isinstance(value, list) for item in value if isinstance(item, str))


def _join(folder: str, target: str) -> str | None:
    """Resolve an ``extend``; None for one that leaves the tree, which ruff reads by itself."""
    if posixpath.isabs(target) or target.startswith("~") or "$" in target:
        return None
    path = posixpath.normpath(posixpath.join(folder, target.replace("\\", "/")))
    return None if path.startswith("../") or path == ".." else path
