"""Where values come from: the person's file, the repository's file, the environment, the command line."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path as FilePath
from typing import Any

from selfreview.api import Key
from selfreview.config import toml
from selfreview.config.files import LinkError, RepoReader, read_file
from selfreview.config.toml import SourceKind
from selfreview.config.values import Path, from_text
from selfreview.errors import ConfigError
from selfreview.plugins.names import did_you_mean

REPO_FILE = "selfreview.toml"
PYPROJECT = "pyproject.toml"

OTHER_VARIABLES = frozenset(
    {
        "SELFREVIEW_PLUGINS",
        "SELFREVIEW_DISABLE_PLUGIN_AUTOLOAD",
        "SELFREVIEW_DATA_DIR",
        "SELFREVIEW_CONFIG_DIR",
        "SELFREVIEW_SKIP",
    }
)
"""Environment variables that are read elsewhere and are no keys."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class Source:
    """One place that values come from.

    Attributes:
        kind: Which; a later one in the order of this module's first line wins.
        values: Tables in tables, as in TOML.
        place: Says where a value stands: ``FILE:LINE``, ``env NAME`` or ``command line``.
    """

    kind: SourceKind
    values: Mapping[str, Any]
    place: Callable[[Path], str]


def user_source(environ: Mapping[str, str]) -> Source | None:
    """Return what the person's own file says, or None where there is none.

    It is ``config.toml`` in the platform's configuration folder, or in ``SELFREVIEW_CONFIG_DIR``.

    Raises:
        ConfigError: If it cannot be read or parsed, or ``SELFREVIEW_CONFIG_DIR`` is not an absolute path: a relative
            one would let a repository bring a file that passes for the person's own.
    """
    folder = user_folder(environ)
    if folder is None:
        return None
    path = folder / "config.toml"
    data = read_file(path, str(path))
    if data is None:
        return None
    file = toml.parse(data, str(path))
    return Source(kind="user", values=file.document, place=file.place)


def user_folder(environ: Mapping[str, str]) -> FilePath | None:
    """Return the folder of the person's own file, or None where there is no such place.

    Raises:
        ConfigError: If ``SELFREVIEW_CONFIG_DIR`` is not an absolute path.
    """
    given = environ.get("SELFREVIEW_CONFIG_DIR")
    if given:
        if not FilePath(given).is_absolute():
            raise ConfigError(f"SELFREVIEW_CONFIG_DIR must be an absolute path, not {given!r}")
        return FilePath(given)
    import platformdirs

    folder = platformdirs.user_config_path("selfreview", appauthor=False)
    # Not absolute where nobody has a home; then it would lie in the current folder.
    return folder if folder.is_absolute() else None


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


_TABLE: Path = ("tool", "selfreview")


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


def variable(key: Key) -> str | None:
    """Return the environment variable of a key; tables have none."""
    if key.kind == "table":
        return None
    return key.env or "SELFREVIEW_" + key.name.upper().replace(".", "__").replace("-", "_")


def environment_source(keys: Iterable[Key], environ: Mapping[str, str], notes: list[str]) -> Source:
    """Return what the environment says. An empty variable counts as not set.

    Args:
        keys: Every declared key.
        environ: The environment.
        notes: Gets a sentence for each variable ``SELFREVIEW_*`` that means nothing: others may use the prefix, so it
            is no error.

    Raises:
        ConfigError: If a variable's text is no value of its key.
    """
    by_variable = {name: key for key in keys if (name := variable(key)) is not None}
    values: dict[str, Any] = {}
    for name in sorted(environ.keys() & by_variable.keys()):
        if not environ[name].strip():
            continue
        key = by_variable[name]
        try:
            values[key.name] = from_text(key, environ[name])
        except ValueError as error:
            raise ConfigError(f"env {name}: {key.name} {error}") from error
    known = by_variable.keys() | OTHER_VARIABLES
    for name in sorted(name for name in environ if name.startswith("SELFREVIEW_") and name not in known):
        near = did_you_mean(name, sorted(known))
        notes.append(f"environment variable {name} has no effect" + (f"; {near}" if near else ""))
    variables = {key.name: name for name, key in by_variable.items()}
    return Source(kind="environment", values=nest(values), place=lambda path: _variable_of(path, variables))


def command_line_source(options: Mapping[str, Any]) -> Source:
    """Return what the command line says.

    Args:
        options: Key name to value, of its key's type; None stands for an option that was not given.
    """
    given = {name: value for name, value in options.items() if value is not None}
    return Source(kind="command line", values=nest(given), place=lambda _: "command line")


def nest(flat: Mapping[str, Any]) -> dict[str, Any]:
    """Turn dotted names into tables in tables."""
    nested: dict[str, Any] = {}
    for name, value in flat.items():
        *tables, last = name.split(".")
        table = nested
        for part in tables:
            table = table.setdefault(part, {})
        table[last] = value
    return nested


def _variable_of(path: Path, variables: Mapping[str, str]) -> str:
    parts = [str(part) for part in path]
    for length in range(len(parts), 0, -1):
        name = variables.get(".".join(parts[:length]))
        if name is not None:
            return f"env {name}"
    return "environment"
