"""A configuration with some values of its own, for a part of a run."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from selfreview.api import ConfigView


class Overlay:
    """A :class:`selfreview.api.ConfigView` over another.

    Args:
        below: The configuration.
        root: The top level that is meant, such as a workspace's.
        values: Values by key that take the place of those below.
    """

    def __init__(self, below: ConfigView, root: Path, values: Mapping[str, Any]) -> None:
        self._below = below
        self._root = root
        self._values = dict(values)

    @property
    def root(self) -> Path:
        """Top level."""
        return self._root

    @property
    def trusted(self) -> bool:
        """Return whether commands and code from the repository's configuration may run."""
        return self._below.trusted

    def __getitem__(self, name: str) -> Any:
        """Return a key's value."""
        return self._values[name] if name in self._values else self._below[name]

    def origin(self, name: str) -> str:
        """Say where a key's value comes from."""
        return self._below.origin(name)

    def table(self, name: str) -> Mapping[str, Any]:
        """Return a table key's value."""
        return self._below.table(name)

    def may_run(self, name: str) -> bool:
        """Return whether the programs of a key may run."""
        return self._below.may_run(name)
