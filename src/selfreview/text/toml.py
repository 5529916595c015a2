"""TOML text: reading what anybody wrote, within limits, and writing values on one line."""

from __future__ import annotations

import datetime
from collections.abc import Iterator, Mapping
from typing import Any

from selfreview.text.escape import visible

_MOST_BITS = 14_000
"""Maximum bits of a whole number: Python prints at most 4,300 digits. In hexadecimal it reads any number of them."""


def parse_toml(text: str) -> dict[str, Any]:
    """Parse a document.

    Raises:
        ValueError: Whatever is wrong with it; says what, and mostly where.
    """
    import tomllib

    try:
        document = tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        raise
    except RecursionError:
        raise ValueError("nested too deeply") from None
    except ValueError:  # what int() says of thousands of digits
        raise ValueError("a number has too many digits") from None
    if any(type(value) is int and value.bit_length() > _MOST_BITS for value in _values(document)):
        raise ValueError("a number has too many digits")
    return document


def _values(document: dict[str, Any]) -> Iterator[Any]:
    left: list[Any] = [document]
    while left:
        value = left.pop()
        yield value
        if isinstance(value, dict):
            left.extend(value.values())
        elif isinstance(value, list):
            left.extend(value)


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
