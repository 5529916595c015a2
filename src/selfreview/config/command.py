"""Validation of ``[command.NAME]`` tables: any tool that prints SARIF, rdjson or lines, as a reviewer and a fixer."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from selfreview.config.globs import too_much_of
from selfreview.config.values import Problem, describe_type
from selfreview.model.issue import Category, Severity

FORMATS = ("sarif", "rdjson", "rdjsonl", "pattern")
FILES = "{files}"
"""The placeholder for the changed files, as an argument of its own; without it a command looks at the whole tree."""

_EXAMPLE = r"""for any lines: format = "pattern", pattern = '^(?P<file>[^:]+):(?P<line>\d+): (?P<message>.*)$'"""

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]*")


def check_commands(value: Mapping[str, Any]) -> Problem | None:
    """Return the error in the ``[command]`` table, or None."""
    for name, command in value.items():
        if not _NAME.fullmatch(name):
            return Problem("must be named with letters, digits, '-' and '_'", (name,))
        if not isinstance(command, Mapping):
            return Problem(f"must be a table such as [command.{name}], not {describe_type(command)}", (name,))
        found = _check_command(command)
        if found is not None:
            return Problem(found, (name, *found.path), found.hint)
    return None


def _check_command(command: Mapping[str, Any]) -> Problem | None:
    for key, value in command.items():
        if key not in _CHECKS:
            from selfreview.plugins.names import did_you_mean

            return Problem("is not a known key", (key,), did_you_mean(key, _CHECKS))
        found = _CHECKS[key](value)
        if found is not None:
            return Problem(found, (key, *found.path), found.hint)
    return None


def check_complete(value: Mapping[str, Any]) -> Problem | None:
    """Return what a command lacks once all files are merged, or None.

    A person's own file may hold ``run`` and the repository's file only ``files``, so this is asked last.
    """
    for name, command in value.items():
        for key in ("run", "format"):
            if key not in command:
                return Problem(f"lacks the key {key!r}", (name,), _EXAMPLE if key == "format" else None)
        if (command["format"] == "pattern") != ("pattern" in command):
            return Problem("goes with the key 'pattern' exactly if it is \"pattern\"", (name, "format"), _EXAMPLE)
    return None


def _text(value: object) -> Problem | None:
    return None if isinstance(value, str) and value else Problem(f"must be a string, not {_what(value)}")


def _texts(value: object) -> Problem | None:
    if not isinstance(value, list) or not value:
        return Problem(f"must be a list of strings, not {_what(value)}")
    for index, item in enumerate(value):
        if not isinstance(item, str) or not item:
            return Problem(f"must hold strings only, not {_what(item)}", (index,))
    return None


def _globs(value: object) -> Problem | None:
    found = _texts(value)
    if found is not None or not isinstance(value, list):
        return found
    told = ((index, too_much_of(glob)) for index, glob in enumerate(value))
    return next((Problem(said, (index,)) for index, said in told if said is not None), None)


def _run(value: object) -> Problem | None:
    found = _texts(value)
    if found is not None or not isinstance(value, list):
        return found
    places = [index for index, argument in enumerate(value) if FILES in argument]
    for index in places:
        if value[index] != FILES:
            return Problem(f"must be {FILES} alone: every file becomes an argument of its own", (index,))
        if index == 0:
            return Problem(f"must be a program, not {FILES}", (index,))
        if index != places[0]:
            return Problem(f"repeats {FILES}, which may stand once", (index,))
    return None


def _fix(value: object) -> Problem | None:
    found = _run(value)
    if found is None and isinstance(value, list) and FILES not in value:
        return Problem(f"must hold {FILES}: only the files with issues are to be fixed")
    return found


def _flag(value: object) -> Problem | None:
    return None if isinstance(value, bool) else Problem(f"must be true or false, not {_what(value)}")


def _timeout(value: object) -> Problem | None:
    good = isinstance(value, (int, float)) and not isinstance(value, bool) and 0 < value <= 1_000_000
    return None if good else Problem("must be a number of seconds from above 0 to 1000000")


def _exit_codes(value: object) -> Problem | None:
    if not isinstance(value, list) or not value:
        return Problem(f"must be a list of whole numbers, not {_what(value)}")
    for index, item in enumerate(value):
        if not isinstance(item, int) or isinstance(item, bool) or not 0 <= item <= 255:
            return Problem("must hold whole numbers from 0 to 255", (index,))
    return None


def _one_of(choices: tuple[str, ...], hint: str | None = None) -> Callable[[object], Problem | None]:
    def check(value: object) -> Problem | None:
        return None if value in choices else Problem(f"must be one of {', '.join(choices)}", hint=hint)

    return check


_severity = _one_of(tuple(Severity))


def _severities(value: object) -> Problem | None:
    """Accept a table from the tool's own levels to severities."""
    if not isinstance(value, Mapping):
        return Problem(f"must be a table from the tool's levels to severities, not {describe_type(value)}")
    for level, severity in value.items():
        found = _severity(severity)
        if found is not None:
            return Problem(found, (level,))
    return None


def _inputs(value: object) -> Problem | None:
    return None if value == [] else _texts(value)  # an empty list: nothing but the file itself


def _pattern(value: object) -> Problem | None:
    found = _text(value)
    if found is not None or not isinstance(value, str):
        return found
    try:
        groups = re.compile(value).groupindex
    except (re.error, RecursionError, OverflowError) as error:
        return Problem(f"is not a regular expression: {error}")
    missing = [name for name in ("file", "line", "message") if name not in groups]
    return Problem(f"lacks the group (?P<{missing[0]}>…)") if missing else None


def _what(value: object) -> str:
    return "an empty one" if value in ("", []) else describe_type(value)


_CHECKS: Mapping[str, Callable[[object], Problem | None]] = {
    "run": _run,
    "format": _one_of(FORMATS, _EXAMPLE),
    "pattern": _pattern,
    "files": _globs,
    "required": _flag,
    "severity": _severities,
    "category": _one_of(tuple(Category)),
    "inputs": _inputs,
    "timeout": _timeout,
    "ok_exit_codes": _exit_codes,
    "fix": _fix,
    "fix_ok": _exit_codes,
}
