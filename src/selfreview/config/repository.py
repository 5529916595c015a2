"""The repository's file: ``selfreview.toml``, or ``[tool.selfreview]`` in ``pyproject.toml``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from selfreview.config import toml
from selfreview.config.files import LinkError, RepoReader
from selfreview.config.sources import Source
from selfreview.config.values import Path
from selfreview.errors import ConfigError

REPO_FILE = "selfreview.toml"
PYPROJECT = "pyproject.toml"

_TABLE: Path = ("tool", "selfreview")


def repository_source(read: RepoReader, notes: list[str]) -> Source | None:
    """Return what the repository's ``selfreview.toml`` or ``pyproject.toml`` says, or None where there is neither.

    Args:
        read: Reads a file at the repository's top level.
        notes: Gets a sentence where ``pyproject.toml`` could not be looked into.

    Raises:
        ConfigError: If a file cannot be read or parsed, or both hold settings.
    """
    data = read(REPO_FILE)
    own = None if data is None else toml.parse(data, REPO_FILE)
    shared = _pyproject(read, notes)
    table = _tool_table(shared) if shared else {}
    if own is not None and own.document and table and shared is not None:
        raise ConfigError(
            f"settings stand in {shared.place(_TABLE)} and in {REPO_FILE}", hint="keep them in one of the two"
        )
    if shared is not None and table:
        return Source(kind="repository", values=table, place=lambda path: shared.place((*_TABLE, *path)))
    return None if own is None else Source(kind="repository", values=own.document, place=own.place)


def _pyproject(read: RepoReader, notes: list[str]) -> toml.TomlFile | None:
    try:
        data = read(PYPROJECT)
    except LinkError as error:
        notes.append(f"{error.message}: it is not searched for settings")
        return None
    # Most such files are not about selfreview, and parsing one takes longer than looking. A key can also be spelt
    # with escapes.
    if data is None or not (b"selfreview" in data or b"\\" in data):
        return None
    try:
        return toml.parse(data, PYPROJECT)
    except ConfigError as error:
        # ruff stops at any pyproject.toml that it cannot parse, because its settings might be in there. So does this,
        # if the file names selfreview. If it does not, the broken file is part of what is under review, and stopping
        # would only keep the person from being told about the rest.
        if b"selfreview" in data:
            raise
        notes.append(f"{error.message}: it is not searched for settings")
        return None


def _tool_table(file: toml.TomlFile) -> Mapping[str, Any]:
    tool = file.document.get("tool", {})
    table = tool.get("selfreview", {}) if isinstance(tool, Mapping) else {}
    if not isinstance(table, Mapping):
        raise ConfigError(f"{file.place(_TABLE)}: tool.selfreview must be a table")
    return table
