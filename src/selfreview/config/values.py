"""Checking one value against its key's declaration."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from selfreview.api import Key
from selfreview.errors import PluginError
from selfreview.plugins import attribution

KeyPath = tuple[str | int, ...]
"""A place in a document: keys of tables, and positions in arrays."""


def show(path: KeyPath) -> str:
    """Return a place as people write it: ``command.eslint.run[0]``; odd keys are quoted and escaped."""
    shown = ""
    for part in path:
        if isinstance(part, int):
            shown += f"[{part}]"
        else:
            plain = part.isascii() and part.replace("-", "").replace("_", "").isalnum()
            shown += ("." if shown else "") + (part if plain else repr(part))
    return shown


class Problem(str):
    """A message about an invalid value, with the place of the invalid part below its key.

    A ``Key.check`` may return one in place of plain text, so that the message names the line of the part that is wrong.

    Attributes:
        path: Keys and positions below the key that was checked.
        hint: What to do about it, or None.
    """

    __slots__ = ("hint", "path")

    path: KeyPath
    hint: str | None

    def __new__(cls, text: str, path: Sequence[str | int] = (), hint: str | None = None) -> Problem:
        """Make a problem."""
        self = super().__new__(cls, text)
        self.path = tuple(path)
        self.hint = hint
        return self


KIND_WORDS = {
    "str": "a string",
    "int": "a whole number",
    "float": "a number",
    "bool": "true or false",
    "list": "a list of strings",
    "table": "a table",
    "str_or_list": "a string or a list of strings",
    "str_or_table": "a string or a table",
}
"""Descriptions of the valid values of each kind, for messages."""


def listed(key: Key, text: str) -> str | list[str]:
    """Return a text as its key's value: where that is a list, split at commas, stripped, without empty parts."""
    if key.kind == "list" or (key.kind == "str_or_list" and text not in key.choices):
        return [part for part in (part.strip() for part in text.split(",")) if part]
    return text


def describe_type(value: object) -> str:
    """Return a value's TOML type with its article."""
    if isinstance(value, bool):
        return "a boolean"
    if isinstance(value, Mapping):
        return "a table"
    names = {str: "a string", int: "an integer", float: "a float", list: "an array"}
    return next((name for kind, name in names.items() if isinstance(value, kind)), "a date or time")


def check(key: Key, value: Any) -> Problem | None:
    """Return the error in a value for a key, or None.

    Raises:
        PluginError: If the key's own check fails.
    """
    if not has_kind(key, value):
        hint = f"{key.name}.total={value} says how many in all" if key.name == "max_issues" else None
        return Problem(f"must be {KIND_WORDS[key.kind]}, not {describe_type(value)}", hint=hint)
    for index, item in enumerate(value if isinstance(value, list) else ()):
        if not isinstance(item, str):
            return Problem(f"must be a string, not {describe_type(item)}", (index,))
    nul = _place_of_nul(value, ())
    if nul is not None:
        return Problem("must not hold a NUL character", nul)
    found = _no_choice(key, value) if key.choices else _out_of_bounds(key, value)
    return found or ask(key, key.check, value)


def ask(key: Key, question: Callable[[Any], str | None] | None, value: Any) -> Problem | None:
    """Run one of a key's own checks.

    Raises:
        PluginError: If it raises: plugins declare keys too.
    """
    if question is None:
        return None
    try:
        found = question(value)
    except Exception as error:
        raise PluginError(
            f"the check of configuration key {key.name!r} failed: {attribution.describe(error)}",
            hint="this is a plugin's defect",
        ) from error
    return found if found is None or isinstance(found, Problem) else Problem(found)


_TYPES: dict[str, tuple[type, ...]] = {
    "str": (str,),
    "int": (int,),
    "float": (int, float),
    "bool": (bool,),
    "list": (list,),
    "table": (Mapping,),
    "str_or_list": (str, list),
    "str_or_table": (str, Mapping),
}


def has_kind(key: Key, value: object) -> bool:
    """Return whether a value is of the key's kind."""
    # In Python a boolean is an integer; in TOML it is not.
    return isinstance(value, _TYPES[key.kind]) and (key.kind == "bool" or not isinstance(value, bool))


def _out_of_bounds(key: Key, value: object) -> Problem | None:
    if not isinstance(value, (int, float)):
        return None
    # Numbers beyond 64 bits are no TOML, but tomllib lets them through.
    if abs(value) >= 2**63 or math.isnan(value):
        return Problem("must be a number of reasonable size")
    if key.minimum is not None and value < key.minimum:
        return Problem(f"must be at least {key.minimum:g}")
    return None


def _place_of_nul(value: object, path: KeyPath) -> KeyPath | None:
    """Return where a string holds a NUL, which no program's argument and no path can."""
    if isinstance(value, str):
        return path if "\0" in value else None
    items: Iterable[tuple[str | int, object]] = ()
    if isinstance(value, Mapping):
        items = value.items()
    elif isinstance(value, list):
        items = enumerate(value)
    return next((place for name, item in items if (place := _place_of_nul(item, (*path, name))) is not None), None)


def _no_choice(key: Key, value: object) -> Problem | None:
    """Check a string against the choices; of a list or a table that is up to the key's own check."""
    if not isinstance(value, str) or value in key.choices:
        return None
    from selfreview.text.suggestion import did_you_mean

    hint = did_you_mean(value, key.choices)
    if key.kind == "str_or_list":
        words = " or ".join(f'"{choice}"' for choice in key.choices)
        return Problem(
            f"must be {words} or a list of strings, not {value!r}", hint=hint or f'did you mean ["{value}"]?'
        )
    return Problem(f"must be one of {', '.join(key.choices)}, not {value!r}", hint=hint)
