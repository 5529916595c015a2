"""Sources of configuration values: the person's file, the repository's file, the environment, the command line.

In this order, a later one wins.
"""

from __future__ import annotations

import copy
import dataclasses
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Literal

from selfreview.api import Key
from selfreview.config.values import Path, listed
from selfreview.errors import ConfigError

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
    place: Callable[[Path], str]


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
