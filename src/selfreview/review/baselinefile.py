"""The baseline as a file: TOML, a table for each issue, by its fingerprint, so that a diff shows what changed."""

from __future__ import annotations

import datetime
import tomllib
from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from selfreview.errors import ConfigError
from selfreview.model.wire import display_path
from selfreview.review.baseline import Entry
from selfreview.text.toml_form import toml_key, toml_value

VERSION = 1
_HEAD = """\
# Issues that are known and do not count. `selfreview baseline show` lists them, `update` and `prune` keep the file.
version = 1
"""


def parse_baseline(data: bytes, name: str) -> dict[str, Entry]:
    """Return the entries of a file, by fingerprint.

    Args:
        data: Its content.
        name: What to call it in messages.

    Raises:
        ConfigError: If it is no such file.
    """
    hint = "selfreview baseline create writes one"
    try:
        table = tomllib.loads(data.decode("utf-8"))
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise ConfigError(f"{display_path(name)} is not TOML: {error}", hint="merge markers, perhaps") from error
    version = table.pop("version", None)
    if version != VERSION:
        raise ConfigError(f"{display_path(name)}: version is {version!r}, not {VERSION}", hint=hint)
    return {mark: _entry(mark, value, name) for mark, value in table.items()}


def _entry(mark: str, value: Any, name: str) -> Entry:
    if not isinstance(value, dict):
        raise ConfigError(f"{display_path(name)}: {mark} is not a table")
    date = value.get("date")
    fields = {**value, "fingerprint": mark, "date": date.isoformat() if isinstance(date, datetime.date) else date}
    try:
        entry = msgspec.convert(fields, Entry)
    except msgspec.ValidationError as error:
        raise ConfigError(f"{display_path(name)}: {mark}: {error}") from error
    if not entry.reason.strip():
        raise ConfigError(f"{display_path(name)}: {mark}: reason is empty", hint="say why the issue does not count")
    return entry


def format_baseline(entries: Iterable[Entry]) -> bytes:
    """Return the content of the file, by path and then by fingerprint."""
    parts = [_HEAD]
    for entry in sorted(entries, key=lambda entry: (entry.file, entry.fingerprint)):
        values: Mapping[str, object] = {
            "file": entry.file,
            "line": entry.line,
            "severity": entry.severity.value,
            "category": entry.category.value,
            "reviewer": entry.reviewer,
            "rule": entry.rule,
            "description": entry.description,
            "reason": entry.reason,
            "by": entry.by,
            "date": datetime.date.fromisoformat(entry.date),
            "lines": entry.lines,
            "same_as": entry.same_as,
        }
        lines = [f"{name} = {toml_value(value)}" for name, value in values.items() if value is not None]
        parts.append(f"[{toml_key(entry.fingerprint)}]\n" + "".join(f"{line}\n" for line in lines))
    return "\n".join(parts).encode("utf-8")
