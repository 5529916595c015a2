"""All declared configuration keys: selfreview's own, and those that plugins add."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Iterator
from typing import get_args

from selfreview.api import Key
from selfreview.api.config import KeyKind
from selfreview.config.keys import CORE_KEYS, FEEDBACK_KEYS, LOOP_KEYS, NOTIFY_KEYS
from selfreview.errors import PluginError

_NAME = re.compile(r"[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*")

OWN_KEYS = (*CORE_KEYS, *LOOP_KEYS, *FEEDBACK_KEYS, *NOTIFY_KEYS)
"""The keys that no plugin declares."""


class KeyRegistry:
    """All declared keys; the ``parser`` that ``selfreview_addoption`` is given.

    Args:
        keys: What is declared to begin with.
    """

    def __init__(self, keys: Iterable[Key] = OWN_KEYS) -> None:
        self._keys: dict[str, Key] = {}
        self._tables: dict[str, str] = {}  # the first key below each
        for key in keys:
            self.add_key(key)

    def add_key(self, key: Key) -> None:
        """Declare a key.

        Raises:
            PluginError: If the name is declared already, is no name, or is a table and a value at once; or if the
                kind does not exist.
        """
        if key.kind not in get_args(KeyKind):
            raise PluginError(f"configuration key {key.name!r} has an unknown kind {key.kind!r}")
        if not _NAME.fullmatch(key.name):
            raise PluginError(f"configuration key {key.name!r} is not made of names joined by dots")
        *tables, name = itertools.accumulate(key.name.split("."), "{}.{}".format)
        other = next((found for found in (*tables, name) if found in self._keys), self._tables.get(name))
        if other is not None:
            raise PluginError(f"configuration key {name!r} is declared twice, or collides with {other!r}")
        self._keys[name] = key
        for table in tables:
            self._tables.setdefault(table, name)

    def get(self, name: str) -> Key | None:
        """Return a key, or None."""
        return self._keys.get(name)

    def has_below(self, name: str) -> bool:
        """Say whether a name is that of a table with declared keys."""
        return name in self._tables

    def __iter__(self) -> Iterator[Key]:
        return iter(self._keys.values())

    def __len__(self) -> int:
        return len(self._keys)
