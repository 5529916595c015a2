"""From sources to one configuration: checked, merged key by key, with the origin of every value."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path as FilePath
from typing import Any

from selfreview.api import Key
from selfreview.config.keys import KeyRegistry
from selfreview.config.merge import Merged
from selfreview.config.sources import Source, variable
from selfreview.config.values import Path, Problem, check, show
from selfreview.errors import ConfigError

Excuse = Callable[[Source, Path], "str | None"]
"""Given a source and an unknown key's place, returns a note that stands in for the error, or None."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class Setting:
    """A key with its value and where that comes from, for ``selfreview config``.

    Attributes:
        key: The declaration.
        value: The value in force.
        origin: As :meth:`Config.origin` says it.
        withheld: Where an untrusted repository sets the key to no effect, or None.
    """

    key: Key
    value: Any
    origin: str
    withheld: str | None = None


class Config:
    """The resolved configuration; a :class:`selfreview.api.ConfigView`.

    Values are copies: changing one changes nothing for others.

    Attributes:
        notes: Sentences for a person about what was left out.
    """

    def __init__(
        self, keys: KeyRegistry, merged: Merged, *, root: FilePath | None, trusted: bool, notes: Sequence[str]
    ) -> None:
        self._keys = keys
        self._merged = merged
        self._root = root
        self._trusted = trusted
        self.notes = tuple(notes)

    @property
    def root(self) -> FilePath | None:
        """Top level of the repository, or None outside of one."""
        return self._root

    @property
    def trusted(self) -> bool:
        """Whether what the repository's configuration can run may run."""
        return self._trusted

    def __getitem__(self, name: str) -> Any:
        """Return a key's value; see :class:`selfreview.api.ConfigView`.

        What an untrusted repository says of a key that can make something run is left out, except of tables, whose
        users ask :meth:`may_run` for each part: they have to name what they skip.
        """
        key = self._keys.get(name)
        if key is None:
            raise KeyError(name)
        return _copy(self._merged.values.get(name, key.default))

    def table(self, name: str) -> Mapping[str, Any]:
        """Return a table key's value; empty where nobody sets it."""
        value = self[name]
        return value if isinstance(value, dict) else {}

    def origin(self, name: str) -> str:
        """Say where a key's value, or that of a part of a table (``"command.eslint"``), comes from.

        Returns:
            ``default``, ``FILE:LINE``, ``env NAME`` or ``command line``; of a table that several sources make together
            one of these for each, joined by commas, the strongest last.
        """
        path = tuple(name.split("."))
        return ", ".join(dict.fromkeys(source.place(path) for source in self._merged.sources_of(path))) or "default"

    def may_run(self, name: str) -> bool:
        """Whether what a key, or a part of a table, names may run; see :class:`selfreview.api.ConfigView`."""
        sources = self._merged.sources_of(tuple(name.split(".")))
        return self._trusted or all(source.kind != "repository" for source in sources)

    def settings(self) -> list[Setting]:
        """Return every declared key in the order of declaration."""
        withheld = self._merged.withheld
        return [
            Setting(key=key, value=self[key.name], origin=self.origin(key.name), withheld=withheld.get(key.name))
            for key in self._keys
        ]


def resolve(
    keys: Iterable[Key],
    sources: Sequence[Source],
    *,
    root: FilePath | None,
    trusted: bool,
    excuse: Excuse | None = None,
) -> Config:
    """Check and merge sources.

    Args:
        keys: Every declared key.
        sources: From the weakest to the strongest.
        root: Top level of the repository, or None.
        trusted: Whether what the repository's configuration can run may run.
        excuse: Asked about each unknown key before it is an error.

    Raises:
        ConfigError: For an unknown key, a wrong type or value, or a key that a repository may not set; names the key
            and where it stands.
    """
    registry = keys if isinstance(keys, KeyRegistry) else KeyRegistry(keys)
    merged = Merged()
    notes: list[str] = []
    for source in sources:
        declared, unknown = _split(source.values, (), registry)
        for path in unknown:
            note = excuse(source, path) if excuse else None
            if note is None:
                raise _unknown(source, path, registry)
            notes.append(f"{source.place(path)}: {note}")
        for path, key, value in declared:
            _check(source, path, key, value)
            if key.executes and key.kind != "table" and source.kind == "repository" and not trusted:
                merged.withheld[key.name] = source.place(path)
                notes.append(f"{source.place(path)}: {key.name} has no effect, because this repository is not trusted")
            else:
                merged.add(source, path, value)
    for key in registry:
        if key.check_merged is not None and key.name in merged.values:
            _check_merged(merged, key)
    return Config(registry, merged, root=root, trusted=trusted, notes=notes)


def _split(table: Mapping[str, Any], prefix: Path, keys: KeyRegistry) -> tuple[list[tuple[Path, Key, Any]], list[Path]]:
    """Return the declared keys that a source sets, and the places of those that are not declared."""
    declared: list[tuple[Path, Key, Any]] = []
    unknown: list[Path] = []
    for name, value in table.items():
        path = (*prefix, name)
        # `show` quotes a key with dots, which is not the key of that dotted name.
        key = keys.get(show(path))
        if key is not None:
            declared.append((path, key, value))
        elif keys.has_below(show(path)) and isinstance(value, Mapping):
            more, others = _split(value, path, keys)
            declared += more
            unknown += others
        else:
            unknown.append(path)
    return declared, unknown


def _unknown(source: Source, path: Path, keys: KeyRegistry) -> ConfigError:
    if keys.has_below(show(path)):
        return ConfigError(f"{source.place(path)}: {show(path)} must be a table")
    from selfreview.plugins.names import did_you_mean

    known = [key.name for key in keys]
    return ConfigError(f"{source.place(path)}: unknown key {show(path)}", hint=did_you_mean(show(path), known))


def _check(source: Source, path: Path, key: Key, value: Any) -> None:
    if key.user_only and source.kind == "repository":
        name = variable(key)
        raise ConfigError(
            f"{source.place(path)}: {key.name} may not be set by a repository",
            hint="set it in your own configuration file" + (f", or as {name}" if name else ""),
        )
    found = check(key, value)
    if found is not None:
        where = (*path, *found.path)
        raise ConfigError(f"{source.place(where)}: {show(where)} {found}", hint=found.hint)


def _check_merged(merged: Merged, key: Key) -> None:
    said = key.check_merged(merged.values[key.name]) if key.check_merged else None
    if said is None:
        return
    found = said if isinstance(said, Problem) else Problem(said)
    where = (*key.name.split("."), *found.path)
    source = merged.sources_of(where)[-1]
    raise ConfigError(f"{source.place(where)}: {show(where)} {found}", hint=found.hint)


def _copy(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _copy(item) for key, item in value.items()}
    return [_copy(item) for item in value] if isinstance(value, (list, tuple)) else value
