"""Sources of configuration values: the person's file, the repository's file, the environment, the command line.

In this order, a later one wins.
"""

from __future__ import annotations

import copy
import dataclasses
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Literal

from selfreview.api import Key
from selfreview.config.values import KIND_WORDS, KeyPath, listed
from selfreview.errors import ConfigError
from selfreview.text.suggestion import closest

SourceKind = Literal["user", "repository", "environment", "command line"]


@dataclasses.dataclass(frozen=True, kw_only=True)
class Source:
    """One place that values come from.

    Attributes:
        kind: Which one it is.
        values: Tables in tables, as in TOML.
        place: Says where a value stands: ``FILE:LINE``, ``env NAME`` or ``command line``.
    """

    kind: SourceKind
    values: Mapping[str, Any]
    place: Callable[[KeyPath], str]


def command_line_source(options: Mapping[str, Any], keys: Iterable[Key] = ()) -> Source:
    """Return what the command line says.

    Args:
        options: Key name to value, of its key's type; None stands for an option that was not given.
        keys: Every declared key: the text of one that is a list is split at commas, as in the environment.
    """
    given = {name: value for name, value in options.items() if value is not None}
    for key in keys:
        if isinstance(given.get(key.name), str):
            given[key.name] = listed(key, given[key.name])
    return Source(kind="command line", values=nest(given), place=lambda _: "command line")


def nest(flat: Mapping[str, Any]) -> dict[str, Any]:
    """Turn dotted names into nested tables.

    Raises:
        ConfigError: If one name is a value and another one lies below it.
    """
    nested: dict[str, Any] = {}
    for name, value in sorted(flat.items()):
        *tables, last = name.split(".")
        table = nested
        for part in tables:
            below = table.setdefault(part, {})
            if not isinstance(below, dict):
                raise ConfigError(f"command line: {name} lies below a key that is given a value of its own")
            table = below
        table[last] = copy.deepcopy(value)  # it may get keys from a later name
    return nested


PREFIX = "SELFREVIEW_"

OTHER_VARIABLES = frozenset(
    {
        "SELFREVIEW_PLUGINS",
        "SELFREVIEW_DISABLE_PLUGIN_AUTOLOAD",
        "SELFREVIEW_DATA_DIR",
        "SELFREVIEW_CONFIG_DIR",
        "SELFREVIEW_SKIP",
        "SELFREVIEW_WITHIN",
        "SELFREVIEW_CI_BASE",
        "SELFREVIEW_CI_FORK",
        "SELFREVIEW_WEBHOOK_SECRET",
        "SELFREVIEW_SMTP_USER",
        "SELFREVIEW_SMTP_PASSWORD",
        "SELFREVIEW_APPRISE_URLS",
    }
)
"""Environment variables that are read elsewhere and are no keys."""


def variable(key: Key) -> str | None:
    """Return the environment variable of a key; tables have none."""
    if key.kind == "table":
        return None
    return key.env or PREFIX + key.name.upper().replace(".", "__").replace("-", "_")


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
            values[key.name] = _from_text(key, environ[name])
        except ValueError as error:
            raise ConfigError(f"env {name}: {key.name} {error}") from error
    known = by_variable.keys() | OTHER_VARIABLES
    for name in sorted(name for name in environ if name.startswith(PREFIX) and name not in known):
        near = closest(name.removeprefix(PREFIX), sorted(other.removeprefix(PREFIX) for other in known))
        hint = f"; did you mean {PREFIX + near!r}?" if near else ""
        notes.append(f"environment variable {name} has no effect{hint}")
    variables = {key.name: name for name, key in by_variable.items()}
    return Source(kind="environment", values=nest(values), place=lambda path: _variable_of(path, variables))


def _variable_of(path: KeyPath, variables: Mapping[str, str]) -> str:
    parts = [str(part) for part in path]
    for length in range(len(parts), 0, -1):
        name = variables.get(".".join(parts[:length]))
        if name is not None:
            return f"env {name}"
    return "environment"


_TRUE = frozenset({"1", "true", "yes", "on"})
_FALSE = frozenset({"0", "false", "no", "off"})


def _from_text(key: Key, text: str) -> Any:
    """Read a key's value from an environment variable's text.

    Raises:
        ValueError: If the text is no such value; its text says what would be.
    """
    text = text.strip()
    match key.kind:
        case "bool":
            if text.lower() in _TRUE | _FALSE:
                return text.lower() in _TRUE
            raise ValueError("must be 1 or 0, true or false, yes or no, on or off")
        case "int" | "float":
            try:
                return int(text) if key.kind == "int" else float(text)
            except ValueError:
                raise ValueError(f"must be {KIND_WORDS[key.kind]}, not {text!r}") from None
        case _:
            return listed(key, text)
