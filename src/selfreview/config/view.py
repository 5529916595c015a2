"""The resolved configuration: sources checked and merged, as plugins and commands read it, with every origin."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from selfreview.api import ConfigView, Key
from selfreview.config.keys import KeyRegistry
from selfreview.config.sources import MAX_FILES, MAX_TOTAL, RepoReader, Source, paths_named, variable
from selfreview.config.values import KeyPath, ask, check, show
from selfreview.errors import ConfigError

HEAD_CODE = frozenset({"command", "checks", "workspace"})
"""Tables whose commands run what the change holds: tests, or a linter's configuration that is code."""


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
        self,
        keys: KeyRegistry,
        merged: Merged,
        *,
        root: Path | None,
        trusted: bool,
        notes: Sequence[str],
        head_code: bool = True,
    ) -> None:
        self._keys = keys
        self._merged = merged
        self._root = root
        self._trusted = trusted
        self._head_code = head_code
        self._read: RepoReader | None = None
        self.notes = tuple(notes)

    @property
    def root(self) -> Path | None:
        """Top level of the repository, or None outside of one."""
        return self._root

    @property
    def trusted(self) -> bool:
        """Return whether commands and code from the repository's configuration may run."""
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

    def get(self, name: str, default: Any = None) -> Any:
        """Return a key's value, or the default where no such key is declared."""
        return default if self._keys.get(name) is None else self[name]

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
        return self.place(tuple(name.split(".")))

    def place(self, path: KeyPath) -> str:
        """Return what :meth:`origin` does, of any part of a value."""
        return ", ".join(dict.fromkeys(source.place(path) for source in self._merged.sources_of(path))) or "default"

    def reads(self, read: RepoReader) -> None:
        """Have the repository's files read by this; without it, it has none."""
        self._read = read

    def files(self, name: str, *suffixes: str) -> Mapping[str, bytes]:
        """Return the files of the repository that a key names; see :class:`selfreview.api.ConfigView`."""
        found: dict[str, bytes] = {}
        total, read = 0, self._read
        if read is None:
            return found
        for entry in self[name]:
            plain = str(entry).strip("/")
            below = paths_named(read, plain)
            for path in [plain] if below is None else [path for path in below if path.endswith(suffixes)]:
                if len(found) == MAX_FILES:
                    raise ConfigError(f"{self.origin(name)}: {name} names more than {MAX_FILES:,} files")
                if (data := read(path)) is not None:
                    found[path] = data
                    total += len(data)
                if total > MAX_TOTAL:
                    raise ConfigError(f"{self.origin(name)}: {name} names more than {MAX_TOTAL // 2**20} MiB")
            if below is None and plain not in found:
                raise ConfigError(
                    f"{self.origin(name)}: {name} names {entry!r}, which is not in the repository",
                    hint="paths are relative to the top level of the repository",
                )
        return found

    def may_run(self, name: str) -> bool:
        """Return whether programs of a key or part of a table may run; see :class:`selfreview.api.ConfigView`."""
        if not self._head_code and name.partition(".")[0] in HEAD_CODE:
            return False
        sources = self._merged.sources_of(tuple(name.split(".")))
        return self._trusted or all(source.kind != "repository" for source in sources)

    def settings(self) -> list[Setting]:
        """Return every declared key in the order of declaration."""
        withheld = self._merged.withheld
        return [
            Setting(key=key, value=self[key.name], origin=self.origin(key.name), withheld=withheld.get(key.name))
            for key in self._keys
        ]


def _copy(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _copy(item) for key, item in value.items()}
    return [_copy(item) for item in value] if isinstance(value, (list, tuple)) else value


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
        self._origins: dict[KeyPath, int] = {}  # of everything that is not a table with something in it

    def add(self, source: Source, path: KeyPath, value: Any) -> None:
        """Let a source that is no weaker than those before set a declared key.

        Tables are merged key by key; everything else is replaced.
        """
        if not self._sources or self._sources[-1] is not source:
            self._sources.append(source)
        name = ".".join(map(str, path))
        self.values[name] = self._merge(path, self.values.get(name), value)

    def sources_of(self, path: KeyPath) -> list[Source]:
        """Return the sources that a value, a part of it, or what it is a part of came from, the strongest last."""
        found = {number for place, number in self._origins.items() if place[: len(path)] == path[: len(place)]}
        return [self._sources[number] for number in sorted(found)]

    def _merge(self, path: KeyPath, old: Any, new: Any) -> Any:
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

    def get(self, name: str, default: Any = None) -> Any:
        """Return a key's value, or the default where there is none."""
        return self._values[name] if name in self._values else self._below.get(name, default)

    def origin(self, name: str) -> str:
        """Say where a key's value comes from."""
        return self._below.origin(name)

    def table(self, name: str) -> Mapping[str, Any]:
        """Return a table key's value."""
        return self._below.table(name)

    def files(self, name: str, *suffixes: str) -> Mapping[str, bytes]:
        """Return the files of the repository that a key names."""
        return self._below.files(name, *suffixes)

    def may_run(self, name: str) -> bool:
        """Return whether the programs of a key may run."""
        return self._below.may_run(name)


Excuse = Callable[[Source, KeyPath], "str | None"]
"""Given a source and an unknown key's place, returns a note in place of the error, or None."""


def resolve(
    keys: Iterable[Key],
    sources: Sequence[Source],
    *,
    root: Path | None,
    trusted: bool,
    excuse: Excuse | None = None,
    head_code: bool = True,
) -> Config:
    """Check and merge sources.

    Args:
        keys: Every declared key.
        sources: From the weakest to the strongest.
        root: Top level of the repository, or None.
        trusted: Whether what the repository's configuration can run may run.
        excuse: Asked about each unknown key before it is an error.
        head_code: Whether commands may run code of the change.

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
            note = excuse(source, path) if excuse and not registry.has_below(show(path)) else None
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
        if key.name in merged.values:
            _check_merged(merged, key)
    return Config(registry, merged, root=root, trusted=trusted, notes=notes, head_code=head_code)


def _split(
    table: Mapping[str, Any], prefix: KeyPath, keys: KeyRegistry
) -> tuple[list[tuple[KeyPath, Key, Any]], list[KeyPath]]:
    """Return the declared keys that a source sets, and the places of those that are not declared."""
    declared: list[tuple[KeyPath, Key, Any]] = []
    unknown: list[KeyPath] = []
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


def _unknown(source: Source, path: KeyPath, keys: KeyRegistry) -> ConfigError:
    if keys.has_below(show(path)):
        return ConfigError(f"{source.place(path)}: {show(path)} must be a table")
    from selfreview.text.suggestion import closest

    *table, last = path
    names = [key.name.split(".")[: len(path)] for key in keys]
    near = closest(str(last), [name[-1] for name in names if name[:-1] == table])  # beside it, not in other tables
    hint = f"did you mean {'.'.join([*map(str, table), near])!r}?" if near else None
    if path == ("tool",):
        hint = "[tool.selfreview] is for pyproject.toml; here the keys stand at the top"
    hint = hint or "selfreview config lists the keys, those of a plugin while it is loaded (-p NAME)"
    return ConfigError(f"{source.place(path)}: unknown key {show(path)}", hint=hint)


def _check(source: Source, path: KeyPath, key: Key, value: Any) -> None:
    if key.user_only and source.kind == "repository":
        name = variable(key)
        raise ConfigError(
            f"{source.place(path)}: {key.name} may not be set by a repository",
            hint="set it in your own configuration file" + (f", or as {name}" if name else ""),
        )
    found = check(key, value)
    if found is not None:
        where = (*path, *found.path)
        usual = "selfreview config shows each key with its value" if source.kind == "command line" else None
        raise ConfigError(f"{source.place(where)}: {show(where)} {found}", hint=found.hint or usual)


def _check_merged(merged: Merged, key: Key) -> None:
    found = ask(key, key.check_merged, merged.values[key.name])
    if found is None:
        return
    where = (*key.name.split("."), *found.path)
    source = merged.sources_of(where)[-1]
    raise ConfigError(f"{source.place(where)}: {show(where)} {found}", hint=found.hint)
