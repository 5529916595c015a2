"""Configuration keys, those of the plugins that come with selfreview included."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from scripts.reference.text import prose, table

from selfreview.api import Key
from selfreview.config.keys import KeyRegistry
from selfreview.config.sources import variable
from selfreview.config.tables import AGENT, CHECK, COMMAND
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


_ENTRIES: Mapping[str, Mapping[str, str]] = {
    "command": {
        "run": "The program and its arguments; `{files}` stands for the changed files. Required.",
        "format": "What it prints: `sarif`, `rdjson`, `rdjsonl` or `pattern`. Required.",
        "pattern": "A regular expression for a line, with the groups `file`, `line` and `message`, for `pattern`.",
        "files": "Which changed files it is given, as patterns; all by default.",
        "required": "Whether the result is incomplete without it; `false` by default.",
        "severity": "A table from the tool's levels to severities; `default` is for all without one, else `medium`.",
        "category": "The category of what it finds; `logic` by default.",
        "inputs": "Files that the findings depend on, as patterns; without it nothing is cached.",
        "timeout": "Seconds that it may take, instead of `reviewer_timeout`.",
        "ok_exit_codes": "Exit statuses that are no failure; `[0, 1]` by default.",
        "fix": "A command that fixes the files in place, with `{files}`: the table is a fixer, too.",
        "fix_ok": "Exit statuses of `fix` that are no failure; `[0]` by default.",
    },
    "checks": {
        "run": "The command: a string for the shell, or a program and its arguments. Required.",
        "timeout": "Seconds that it may take.",
        "required": "Whether the review is incomplete where it cannot run; `true` by default.",
        "files": "Changed files that it is run for, as patterns in the manner of `.gitignore`; all by default.",
    },
    "agents": {
        "run": "The program and its arguments; the prompt comes on standard input. Required.",
        "fix": "The same with permission to write: the agent is a fixer, too.",
        "format": "What it prints: `text` or `json`.",
        "field": "The field of the JSON that holds the answer.",
        "env": "Names of environment variables that it gets.",
        "state": "Paths below the home folder that it writes to.",
    },
}
"""Meanings of the keys of tables that a person names."""


def tables() -> str:
    """Return a table of the keys of each table that a person names, as they are checked.

    Raises:
        KeyError: If a key has no meaning here, or a meaning no key.
    """
    parts = []
    for name, checked in (("command", COMMAND), ("checks", CHECK), ("agents", AGENT)):
        meanings = _ENTRIES[name]
        if set(meanings) != set(checked):
            raise KeyError(name, set(meanings) ^ set(checked))
        parts += [f"#### `[{name}.NAME]`", table(("key", "meaning"), [(f"`{k}`", meanings[k]) for k in checked])]
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
