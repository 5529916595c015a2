"""Baselines: entries for issues that are known and do not count, and the file that holds them."""

from __future__ import annotations

import datetime
import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from selfreview.config import toml
from selfreview.config.files import worktree_reader
from selfreview.errors import ConfigError
from selfreview.model.issue import Category, Issue, Severity
from selfreview.model.wire import display_path
from selfreview.text.escape import visible
from selfreview.text.toml import toml_key, toml_value


class Entry(msgspec.Struct, frozen=True, kw_only=True):
    """One known issue.

    Attributes:
        fingerprint: The issue's.
        file: Its path, when it was entered.
        line: Its first line, when it was entered; 0 stands for the file as a whole.
        severity, category, reviewer, rule, description: As the issue had them.
        reason: Why it does not count.
        by: Who entered it.
        date: When, as ``YYYY-MM-DD``.
        lines: What :func:`~selfreview.review.acceptance_match.flagged_key` says of it without its path, or None.
        commit: The commit that it stood in alone, when it was entered, or None.
        same_as: Fingerprint of the entry that it was merged into: another reviewer's word on the same, or None.
    """

    fingerprint: str
    file: str
    line: int
    severity: Severity
    category: Category
    reviewer: str
    description: str
    reason: str
    by: str
    date: str
    rule: str | None = None
    lines: str | None = None
    commit: str | None = None
    same_as: str | None = None


class Known(NamedTuple):
    """The baselines of a review.

    Attributes:
        entries: What counts in any case, by fingerprint.
        own: What only the change itself enters, by fingerprint.
        still: The fingerprints that are in the baseline as the change leaves it: only these can be stale.
        whole: Whether the whole tree is reviewed, so that an entry whose file is gone is stale.
        on_stale: Called with each entry that is stale.
        on_moved: Called with each entry that was found by its lines alone, and its issue.
    """

    entries: Mapping[str, Entry] = {}
    own: Mapping[str, Entry] = {}
    still: Collection[str] = frozenset()
    whole: bool = False
    on_stale: Callable[[Entry], None] | None = None
    on_moved: Callable[[Entry, Issue], None] | None = None


VERSION = 1
_MOST_LINES = 2**31
_CONFLICT = re.compile(rb"^(<{7}|>{7}) ", re.MULTILINE)
_KEYS = msgspec.structs.fields(Entry)
_CHOICES = {
    "severity": [severity.value for severity in Severity],
    "category": [category.value for category in Category],
}
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
    try:
        file = toml.parse(data, display_path(name))
    except ConfigError as error:
        if _CONFLICT.search(data):
            hint = "keep the entries of both sides, and remove the conflict markers"
            raise ConfigError(f"{display_path(name)} holds a merge conflict", hint=hint) from error
        raise ConfigError(error.message, hint=error.hint or "fix that line") from error
    table = dict(file.document)
    version = table.pop("version", None)
    if version != VERSION:
        told = version is not None
        said = f"version is {version!r}, not {VERSION}" if told else "it says no version"
        other = "use the version of selfreview that wrote it" if told else f"begin it with version = {VERSION}"
        anew = "move the file away, then: selfreview baseline create --reason TEXT"
        raise ConfigError(f"{display_path(name)}: {said}", hint=f"{other}; or {anew}")
    lines = file.text.splitlines()
    return {mark: _entry(mark, value, name, lines) for mark, value in table.items()}


def _entry(mark: str, value: Any, name: str, lines: Sequence[str]) -> Entry:
    table = value if isinstance(value, dict) else {}
    date = table.get("date")
    fields = {**table, "fingerprint": mark, "date": date.isoformat() if isinstance(date, datetime.date) else date}
    key, wrong = ("", "is not a table") if table is not value else _wrong(fields)
    if wrong:
        where = f"{display_path(name)}:{_line(lines, mark, key)}"
        hint = "fix it, or remove the entry: selfreview baseline update adds open issues again"
        raise ConfigError(f"{where}: {' '.join(filter(None, (visible(mark), key, wrong)))}", hint=hint)
    return msgspec.convert(fields, Entry)


def _wrong(fields: Mapping[str, Any]) -> tuple[str, str]:
    """Return the key of an invalid entry and the error, both empty where the entry is valid."""
    for key in _KEYS:
        value = fields.get(key.name)
        if value is None and not key.required:
            continue
        choices = _CHOICES.get(key.name)
        if value is None:
            return key.name, "is missing"
        if key.name == "line":
            if type(value) is not int or not 0 <= value < _MOST_LINES:
                return key.name, f"is {value!r}, not the number of a line"
        elif not isinstance(value, str):
            return key.name, f"is {value!r}, not text"
        elif choices is not None and value not in choices:
            return key.name, f"is {value!r}, not one of {', '.join(choices)}"
        elif key.name == "reason" and not value.strip():
            return key.name, "is empty: it says why the issue does not count"
        elif key.name == "date" and not _is_date(value):
            return key.name, f"is {value!r}, not a date such as 2026-01-31"
    return "", ""


def _is_date(text: str) -> bool:
    try:
        datetime.date.fromisoformat(text)
    except ValueError:
        return False
    return True


def _line(lines: Sequence[str], mark: str, key: str) -> int:
    """Return the line of an entry's key, from 1, or else that of its name."""
    own = next((number for number, line in enumerate(lines, 1) if mark in line), 1)
    for number, line in enumerate(lines[own:], own + 1):
        if line.lstrip().startswith("["):
            break
        if key and line.partition("=")[0].strip() == key:
            return number
    return own


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
            "commit": entry.commit,
            "same_as": entry.same_as,
        }
        lines = [f"{name} = {toml_value(value)}" for name, value in values.items() if value is not None]
        parts.append(f"[{toml_key(entry.fingerprint)}]\n" + "".join(f"{line}\n" for line in lines))
    return "\n".join(parts).encode("utf-8")


def read_baseline(root: Path, name: str) -> dict[str, Entry] | None:
    """Return the entries of a working tree's baseline by fingerprint, or None where there is no such file.

    Raises:
        ConfigError: If it cannot be read.
    """
    data = worktree_reader(root)(name)
    return None if data is None else parse_baseline(data, name)
