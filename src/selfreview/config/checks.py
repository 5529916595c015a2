"""Validation of ``[checks]`` and ``[workspace]``: the project's own commands, and what makes them run."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from selfreview.config.globs import check_globs
from selfreview.config.values import Problem, describe_type

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]*")
_CHECK_KEYS = ("run", "timeout", "required", "files")
_WORKSPACE_KEYS = ("setup", "share", "setup_timeout")
_MOST_SECONDS = 1_000_000


def check_checks(value: Mapping[str, Any]) -> Problem | None:
    """Return the error in the ``[checks]`` table, or None."""
    for name, check in value.items():
        if not _NAME.fullmatch(name):
            return Problem("must be named with letters, digits, '-' and '_'", (name,))
        if not isinstance(check, Mapping):
            found = _command(check)
            if found is not None:
                return Problem(found, (name,))
            continue
        for key, item in check.items():
            found = _part(key, item)
            if found is not None:
                return Problem(found, (name, key, *found.path), found.hint)
    return None


def check_runnable_checks(value: Mapping[str, Any]) -> Problem | None:
    """Return which check lacks its command once all files are merged, or None."""
    bare = (name for name, check in value.items() if isinstance(check, Mapping) and "run" not in check)
    return next((Problem("lacks the key 'run'", (name,)) for name in bare), None)


def check_workspace(value: Mapping[str, Any]) -> Problem | None:
    """Return the error in the ``[workspace]`` table, or None."""
    for key, item in value.items():
        if key not in _WORKSPACE_KEYS:
            return _unknown(key, _WORKSPACE_KEYS)
        if key == "setup_timeout":
            found = _seconds(item)
        elif not isinstance(item, list):
            found = Problem(f"must be a list, not {describe_type(item)}")
        elif key == "setup":
            found = next((wrong for each in item if (wrong := _command(each)) is not None), None)
        else:
            found = next((wrong for each in item if (wrong := _folder(each)) is not None), None)
        if found is not None:
            return Problem(found, (key,))
    return None


def _part(key: str, value: Any) -> Problem | None:
    if key not in _CHECK_KEYS:
        return _unknown(key, _CHECK_KEYS)
    if key == "run":
        return _command(value)
    if key == "timeout":
        return _seconds(value)
    if key == "files":
        good = isinstance(value, list) and bool(value) and all(isinstance(item, str) and item for item in value)
        return check_globs(value) if good else Problem("must be a list of patterns")
    return None if isinstance(value, bool) else Problem(f"must be true or false, not {describe_type(value)}")


def _unknown(key: str, known: tuple[str, ...]) -> Problem:
    from selfreview.plugins.names import did_you_mean

    return Problem("is not a known key", hint=did_you_mean(key, known))


def _command(value: object) -> Problem | None:
    if isinstance(value, str):
        return None if value.strip() else Problem("must be a command, not an empty string")
    good = isinstance(value, list) and bool(value) and all(isinstance(item, str) and item for item in value)
    return (
        None if good else Problem("must be a command: a string for the shell, or a program and its arguments as a list")
    )


def _seconds(value: object) -> Problem | None:
    good = isinstance(value, (int, float)) and not isinstance(value, bool) and 0 < value <= _MOST_SECONDS
    return None if good else Problem(f"must be a number of seconds from above 0 to {_MOST_SECONDS}")


def _folder(value: object) -> Problem | None:
    good = isinstance(value, str) and value.strip("/") and not value.startswith("/")
    if not good or ".." in str(value).split("/") or ".git" in str(value).split("/"):
        return Problem("must be folders below the top level")
    return None
