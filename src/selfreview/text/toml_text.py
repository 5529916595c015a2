"""TOML text by anybody, read within limits."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

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
