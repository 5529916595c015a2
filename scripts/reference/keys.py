"""Configuration keys, those of the plugins that come with selfreview included."""

from __future__ import annotations

import json
from collections.abc import Sequence

from scripts.reference.text import prose, table

from selfreview.api import Key
from selfreview.config.keys import KeyRegistry
from selfreview.config.sources import variable
from selfreview.plugins.builtins import Builtins, load

_KINDS = {
    "str": "string",
    "int": "integer",
    "float": "number",
    "bool": "boolean",
    "list": "strings",
    "table": "table",
    "str_or_list": "string or strings",
    "str_or_table": "string or table",
}


def all_keys() -> KeyRegistry:
    """Return every key that is declared where only the built-in plugins are loaded."""
    registry = KeyRegistry()
    for name in Builtins().modules.values():
        declare = getattr(load(name), "selfreview_addoption", None)
        if declare is not None:
            declare(registry)
    return registry


def keys() -> str:
    """Return a table of the keys at the top, and one for each table that has declared keys."""
    declared = list(all_keys())
    tables = dict.fromkeys(key.name.partition(".")[0] for key in declared if "." in key.name)
    parts = [_table([key for key in declared if "." not in key.name])]
    for name in tables:
        parts += [f"### `[{name}]`", _table([key for key in declared if key.name.startswith(f"{name}.")])]
    return "\n\n".join(parts)


def _table(some: Sequence[Key]) -> str:
    return table(("key", "type", "default", "variable", "meaning"), [_row(key) for key in some])


def _row(key: Key) -> tuple[str, ...]:
    name = variable(key)
    return (
        f"`{key.name}`",
        _KINDS[key.kind],
        f"`{json.dumps(key.default)}`" if key.default not in (None, {}, "") else "none",
        f"`{name}`" if name else "",
        " ".join((prose(key.help), *_limits(key))),
    )


def _limits(key: Key) -> list[str]:
    said = []
    if len(key.choices) > 1:
        said.append(f"One of {', '.join(f'`{choice}`' for choice in key.choices)}.")
    if key.minimum is not None:
        said.append(f"At least {key.minimum:g}.")
    if key.user_only:
        said.append("**Not in a repository's file.**")
    if key.executes:
        said.append("**From a repository's file only after `selfreview trust`.**")
    return said
