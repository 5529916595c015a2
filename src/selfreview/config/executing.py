"""The part of a repository's configuration that can make something run: what ``selfreview trust`` asks about."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from selfreview.config.registry import KeyRegistry
from selfreview.config.values import Path, show


def executing_values(
    values: Mapping[str, Any], keys: KeyRegistry, *, undeclared: Callable[[str], bool]
) -> dict[str, Any]:
    """Return the values that can make something run, in tables as they came.

    Args:
        values: What the repository's file says.
        keys: Every key that is declared before the repository's own code is loaded.
        undeclared: Says whether a key that is not declared counts, by the first part of its name. It does where the
            repository brings a plugin: that may declare it, and run what it says.
    """
    return _pick(values, (), keys, undeclared)


def _pick(
    table: Mapping[str, Any], prefix: Path, keys: KeyRegistry, undeclared: Callable[[str], bool]
) -> dict[str, Any]:
    picked: dict[str, Any] = {}
    for name, value in table.items():
        path = (*prefix, name)
        key = keys.get(show(path))
        if key is None and isinstance(value, Mapping):
            below = _pick(value, path, keys, undeclared)
            if below:
                picked[name] = below
        elif key.executes if key is not None else undeclared(str(path[0])):
            picked[name] = value
    return picked
