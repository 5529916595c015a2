"""From sources to one configuration: checked, merged key by key, with the origin of every value."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from selfreview.api import Key
from selfreview.config.keys import KeyRegistry
from selfreview.config.sources import Source, variable
from selfreview.config.values import KeyPath, ask, check, show
from selfreview.config.view import Config, Merged
from selfreview.errors import ConfigError

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
    from selfreview.text.suggestion import did_you_mean

    hint = did_you_mean(show(path), [key.name for key in keys])
    if path == ("tool",):
        hint = "[tool.selfreview] is for pyproject.toml; here the keys stand at the top"
    hint = hint or "selfreview config lists the keys"
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
