"""Detection of changes that edit the ``[claude]`` settings of their own review."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from selfreview.api import ReviewContext, Side
from selfreview.text.toml_text import parse_toml

_TABLES = {"selfreview.toml": ("claude",), "pyproject.toml": ("tool", "selfreview", "claude")}


def edited_settings(context: ReviewContext) -> list[str]:
    """Return a sentence for each file of the repository in which the change edits ``[claude]``."""
    notes = []
    for path, keys in _TABLES.items():
        old, new = (_table(context.read_path(path, side), keys) for side in (Side.OLD, Side.NEW))
        edited = sorted(name for name in {*old, *new} if old.get(name) != new.get(name))
        if edited:
            names = ", ".join(f"claude.{name}" for name in edited)
            notes.append(f"the change itself sets how the model reviews it: {names} in {path}")
    return notes


def _table(data: bytes | None, keys: tuple[str, ...]) -> Mapping[str, Any]:
    """Return a table of a file, empty where there is none; a file that is not valid TOML sets nothing."""
    if data is None:
        return {}
    try:
        table: Any = parse_toml(data.decode("utf-8-sig", "replace"))
    except ValueError:
        return {}
    for key in keys:
        table = table.get(key) if isinstance(table, Mapping) else None
    return table if isinstance(table, Mapping) else {}
