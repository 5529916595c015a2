"""Values as TOML on one line."""

from __future__ import annotations

import datetime
from collections.abc import Mapping

from selfreview.text.escape import visible

_NAMED = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"}


def toml_value(value: object) -> str:
    """Return a value as TOML; a table is written inline, without its entries that are None."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, Mapping):
        pairs = [f"{toml_key(str(key))} = {toml_value(item)}" for key, item in value.items() if item is not None]
        return f"{{ {', '.join(pairs)} }}" if pairs else "{}"
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(toml_value(item) for item in value)}]"
    if isinstance(value, (int, float)):
        return repr(value)
    if isinstance(value, (datetime.datetime, datetime.date, datetime.time)):
        return value.isoformat()
    return _text(str(value))


def toml_key(name: str) -> str:
    """Return one part of a key, quoted where it is no bare word."""
    bare = name.isascii() and name.replace("-", "").replace("_", "").isalnum()
    return name if bare else _text(name)


def _text(text: str) -> str:
    return f'"{"".join(map(_char, text))}"'


def _char(char: str) -> str:
    if char in _NAMED:
        return _NAMED[char]
    if visible(char) == char:
        return char
    code = ord(char)
    if 0xD800 <= code <= 0xDFFF:  # no character, so TOML has no way to write it
        return "\\uFFFD"
    return f"\\u{code:04X}" if code <= 0xFFFF else f"\\U{code:08X}"
