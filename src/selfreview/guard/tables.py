"""Comparison of parts of TOML, JSON and INI files."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from selfreview.text.json_text import plain_json
from selfreview.text.toml import parse_toml

Table = Mapping[str, Any]


def read_toml(text: str) -> Table | None:
    """Return a TOML document, or None where it is none."""
    try:
        return parse_toml(text)
    except ValueError:
        return None


def read_json(text: str) -> Table | None:
    """Return a JSON object, with comments and last commas allowed, or None where it is none."""
    try:
        value = json.loads(plain_json(text).strip() or "{}")
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def read_ini(text: str) -> Table | None:
    """Return the sections of an INI file, or None where it is none."""
    import configparser

    parser = configparser.RawConfigParser(strict=False)
    try:
        parser.read_string(text)
    except configparser.Error:
        return None
    return {name: dict(parser[name]) for name in parser.sections()}


def part_changed(old: str, new: str, read: Callable[[str], Table | None], part: Callable[[Table], Any]) -> bool:
    """Return whether a part differs between two texts; where either cannot be read, whether they differ at all."""
    before, after = read(old), read(new)
    if before is None or after is None:
        return old != new
    return bool(part(before) != part(after))
