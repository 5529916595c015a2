"""Merging sources key by key, remembering which source each part came from."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from selfreview.config.sources import Source
from selfreview.config.values import Path


class Merged:
    """The values of all sources so far.

    Attributes:
        values: Name of a declared key to its merged value; keys that nobody sets are missing.
        withheld: Name of a key to the place that would have set it, had it been trusted.
    """

    def __init__(self) -> None:
        self.values: dict[str, Any] = {}
        self.withheld: dict[str, str] = {}
        self._sources: list[Source] = []
        self._origins: dict[Path, int] = {}  # of everything that is not a table with something in it

    def add(self, source: Source, path: Path, value: Any) -> None:
        """Let a source that is no weaker than those before set a declared key.

        Tables are merged key by key; everything else is replaced.
        """
        if not self._sources or self._sources[-1] is not source:
            self._sources.append(source)
        name = ".".join(map(str, path))
        self.values[name] = self._merge(path, self.values.get(name), value)

    def sources_of(self, path: Path) -> list[Source]:
        """Return the sources that a value, a part of it, or what it is a part of came from, the strongest last."""
        found = {number for place, number in self._origins.items() if place[: len(path)] == path[: len(place)]}
        return [self._sources[number] for number in sorted(found)]

    def _merge(self, path: Path, old: Any, new: Any) -> Any:
        if not (isinstance(old, Mapping) and isinstance(new, Mapping)):
            for place in [place for place in self._origins if place[: len(path)] == path]:
                del self._origins[place]
            old = {}
        if not isinstance(new, Mapping) or not (old or new):
            self._origins[path] = len(self._sources) - 1
            return new
        if new:
            self._origins.pop(path, None)  # of an empty table
        return {**old, **{key: self._merge((*path, key), old.get(key), item) for key, item in new.items()}}
