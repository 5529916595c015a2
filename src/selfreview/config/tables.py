"""Validation of tables, patterns and names of rules: ``[command]``, ``[agents]``, ``[checks]``, ``select`` and others.

A table is checked key by key. What only all files together must hold is asked last: a person's own file may hold
``run`` and the repository's file only ``files``.

A pattern is matched against every path of every change. One that cannot be compiled, or whose wildcards can share a
path among themselves in too many ways, would stop every review, in a gate that of its own repair, too.
"""

from __future__ import annotations

import posixpath
import re
import warnings
from collections.abc import Callable, Mapping, Sequence
from pathlib import PurePath
from typing import Any

from selfreview.config.values import Problem, describe_type
from selfreview.model.issue import Category, Severity

Check = Callable[[Any], "Problem | None"]
"""Returns the error in a value, or None."""

FILES = "{files}"
"""The placeholder for the changed files, as an argument of its own; without it a command looks at the whole tree."""
FORMATS = ("sarif", "rdjson", "rdjsonl", "pattern")
MOST_SECONDS = 1_000_000

_EXAMPLE = r"""for any lines: format = "pattern", pattern = '^(?P<file>[^:]+):(?P<line>\d+): (?P<message>.*)$'"""
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]*")
_VARIABLE = re.compile(r"(?!GIT_)[A-Za-z_][A-Za-z0-9_]*")
_SELECTOR = re.compile(r"[^\s,?\[\]]+")
_NO_SELECTOR = "must be a rule, a reviewer, or reviewer/rule, with * for any characters of the rule"
_COUNTED = ("total", *(severity.value for severity in Severity), *(category.value for category in Category))


# --- tables ----------------------------------------------------------------------------------------------------------


def check_commands(value: Mapping[str, Any]) -> Problem | None:
    """Return the error in ``[command]``: any tool that prints SARIF, rdjson or lines, as a reviewer and a fixer."""
    return _check_tables(value, COMMAND, _table("command"))


def check_agents(value: Mapping[str, Any]) -> Problem | None:
    """Return the error in ``[agents]``: programs that answer a prompt on their standard input."""
    return _check_tables(value, AGENT, _table("agents"))


def check_checks(value: Mapping[str, Any]) -> Problem | None:
    """Return the error in ``[checks]``: the project's own commands."""
    return _check_tables(value, CHECK, lambda _name, command: _shell(command))


def check_workspace(value: Mapping[str, Any]) -> Problem | None:
    """Return the error in ``[workspace]``: what makes checks run there."""
    return _check_keys(value, _WORKSPACE)


def check_complete(value: Mapping[str, Any]) -> Problem | None:
    """Return what a command lacks once all files are merged, or None."""
    for name, command in value.items():
        for key in ("run", "format"):
            if key not in command:
                return Problem(f"lacks the key {key!r}", (name,), _EXAMPLE if key == "format" else None)
        if (command["format"] == "pattern") != ("pattern" in command):
            return Problem("goes with the key 'pattern' exactly if it is \"pattern\"", (name, "format"), _EXAMPLE)
    return None


def check_runnable(value: Mapping[str, Any]) -> Problem | None:
    """Return which agent or check lacks its program once all files are merged, or None."""
    bare = (name for name, table in value.items() if isinstance(table, Mapping) and "run" not in table)
    return next((Problem("lacks the key 'run'", (name,)) for name in bare), None)


def check_max_issues(value: Mapping[str, Any]) -> Problem | None:
    """Return the error in the ``max_issues`` table, or None."""
    for name, count in value.items():
        if name not in _COUNTED:
            known = ", ".join(_COUNTED)
            return Problem(f"is no severity and no category; there are {known}", (name,), _nearest(name, _COUNTED))
        if isinstance(count, bool) or not isinstance(count, int) or count < 0:
            return Problem("must be a number of issues, 0 or more", (name,))
    return None


def check_baseline(value: str) -> Problem | None:
    """Return the error in the name of a baseline, or None."""
    inside = value.strip() and posixpath.normpath(value) == value and not value.startswith(("/", "..", ".git/"))
    return None if inside and "\\" not in value else Problem("must be a file's path from the repository's top level")


def _check_tables(
    value: Mapping[str, Any], checks: Mapping[str, Check], other: Callable[[str, object], Problem | None]
) -> Problem | None:
    """Check named tables of one kind; ``other`` is asked about what is no table."""
    for name, table in value.items():
        if not _NAME.fullmatch(name):
            return Problem("must be named with letters, digits, '-' and '_'", (name,))
        found = _check_keys(table, checks) if isinstance(table, Mapping) else other(name, table)
        if found is not None:
            return Problem(found, (name, *found.path), found.hint)
    return None


def _check_keys(table: Mapping[str, Any], checks: Mapping[str, Check]) -> Problem | None:
    for key, value in table.items():
        if key not in checks:
            return Problem("is not a known key", (key,), _nearest(key, checks))
        found = checks[key](value)
        if found is not None:
            return Problem(found, (key, *found.path), found.hint)
    return None


def _table(kind: str) -> Callable[[str, object], Problem]:
    return lambda name, value: Problem(f"must be a table such as [{kind}.{name}], not {describe_type(value)}")


def _nearest(name: str, known: Any) -> str | None:
    from selfreview.text.suggestion import did_you_mean

    return did_you_mean(name, known)


# --- values ----------------------------------------------------------------------------------------------------------


def _text(value: object) -> Problem | None:
    return None if isinstance(value, str) and value else Problem(f"must be a string, not {_what(value)}")


def _texts(value: object) -> Problem | None:
    if not isinstance(value, list) or not value:
        return Problem(f"must be a list of strings, not {_what(value)}")
    for index, item in enumerate(value):
        if not isinstance(item, str) or not item:
            return Problem(f"must hold strings only, not {_what(item)}", (index,))
    return None


def _what(value: object) -> str:
    return "an empty one" if value in ("", []) else describe_type(value)


def _flag(value: object) -> Problem | None:
    return None if isinstance(value, bool) else Problem(f"must be true or false, not {describe_type(value)}")


def _seconds(value: object) -> Problem | None:
    good = isinstance(value, (int, float)) and not isinstance(value, bool) and 0 < value <= MOST_SECONDS
    return None if good else Problem(f"must be a number of seconds from above 0 to {MOST_SECONDS}")


def _one_of(choices: tuple[str, ...], hint: str | None = None) -> Check:
    return lambda value: None if value in choices else Problem(f"must be one of {', '.join(choices)}", hint=hint)


def _is_texts(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(item, str) and item for item in value)


# --- [command] -------------------------------------------------------------------------------------------------------


def _command_files(value: Any) -> Problem | None:
    reasons = enumerate(map(too_much_of, value)) if _is_texts(value) else ()
    return _texts(value) or next((Problem(reason, (index,)) for index, reason in reasons if reason), None)


def _command_run(value: Any) -> Problem | None:
    found = _texts(value)
    if found is not None:
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


def _command_fix(value: Any) -> Problem | None:
    found = _command_run(value)
    if found is None and FILES not in value:
        return Problem(f"must hold {FILES}: only the files with issues are to be fixed")
    return found


def _exit_codes(value: object) -> Problem | None:
    if not isinstance(value, list) or not value:
        return Problem(f"must be a list of whole numbers, not {_what(value)}")
    for index, item in enumerate(value):
        if not isinstance(item, int) or isinstance(item, bool) or not 0 <= item <= 255:
            return Problem("must hold whole numbers from 0 to 255", (index,))
    return None


def _severities(value: object) -> Problem | None:
    if not isinstance(value, Mapping):
        example = (
            f' (for results without a level: severity = {{ default = "{value}" }})' if _severity(value) is None else ""
        )
        return Problem(f"must be a table from the tool's levels to severities, not {describe_type(value)}{example}")
    wrong = ((level, found) for level, severity in value.items() if (found := _severity(severity)) is not None)
    return next((Problem(found, (level,)) for level, found in wrong), None)


def _pattern(value: Any) -> Problem | None:
    found = _text(value)
    if found is not None:
        return found
    try:
        groups = re.compile(value).groupindex
    except (re.error, RecursionError, OverflowError) as error:
        return Problem(f"is not a regular expression: {error}")
    missing = [name for name in ("file", "line", "message") if name not in groups]
    return Problem(f"lacks the group (?P<{missing[0]}>…)") if missing else None


_severity = _one_of(tuple(Severity))

COMMAND: Mapping[str, Check] = {
    "run": _command_run,
    "format": _one_of(FORMATS, _EXAMPLE),
    "pattern": _pattern,
    "files": _command_files,
    "required": _flag,
    "severity": _severities,
    "category": _one_of(tuple(Category)),
    "inputs": lambda value: None if value == [] else _texts(value),  # an empty list: nothing but the file itself
    "timeout": _seconds,
    "ok_exit_codes": _exit_codes,
    "fix": _command_fix,
    "fix_ok": _exit_codes,
}


# --- [agents] --------------------------------------------------------------------------------------------------------


def _program(value: Any) -> Problem | None:
    return _strings(value) or (None if value else Problem("must be a program and its arguments"))


def _strings(value: object) -> Problem | None:
    return None if _is_texts(value) else Problem("must be a list of strings")


def _variables(value: Any) -> Problem | None:
    wrong = [name for name in value if not _VARIABLE.fullmatch(name)] if _is_texts(value) else []
    return _strings(value) or (Problem(f"must name environment variables, not git's: {wrong[0]}") if wrong else None)


def _folders_at_home(value: Any) -> Problem | None:
    wrong = [path for path in value if not _is_below(PurePath(path))] if _is_texts(value) else []
    return _strings(value) or (
        Problem(f"must hold paths below the home folder, such as .my-agent, not {wrong[0]}") if wrong else None
    )


def _is_below(path: PurePath) -> bool:
    return bool(path.parts) and not path.is_absolute() and ".." not in path.parts and not path.parts[0].startswith("~")


AGENT: Mapping[str, Check] = {
    "run": _program,
    "fix": _program,
    "format": lambda value: None if value in ("text", "json") else Problem("must be text or json"),
    "field": lambda value: None if isinstance(value, str) and value else Problem("must be a string"),
    "env": _variables,
    "state": _folders_at_home,
}


# --- [checks] and [workspace] ----------------------------------------------------------------------------------------


def _shell(value: object) -> Problem | None:
    if isinstance(value, str):
        return None if value.strip() else Problem("must be a command, not an empty string")
    if value and _is_texts(value):
        return None
    return Problem("must be a command: a string for the shell, or a program and its arguments as a list")


def _patterns(value: Any) -> Problem | None:
    return check_globs(value) if value and _is_texts(value) else Problem("must be a list of patterns")


def _list_of(check: Check) -> Check:
    def check_all(value: object) -> Problem | None:
        if not isinstance(value, list):
            return Problem(f"must be a list, not {describe_type(value)}")
        return next((found for item in value if (found := check(item)) is not None), None)

    return check_all


def _folder(value: object) -> Problem | None:
    good = isinstance(value, str) and value.strip("/") and not value.startswith("/")
    if not good or ".." in str(value).split("/") or ".git" in str(value).split("/"):
        return Problem("must be folders below the top level")
    return None


CHECK: Mapping[str, Check] = {"run": _shell, "timeout": _seconds, "required": _flag, "files": _patterns}
_WORKSPACE: Mapping[str, Check] = {"setup": _list_of(_shell), "share": _list_of(_folder), "setup_timeout": _seconds}


# --- patterns --------------------------------------------------------------------------------------------------------

_LONGEST = 1_000
_MOST_STARS = 12
_MOST_FOLDERS = 6
_MOST_LOOSE = 2
_TOKEN = re.compile(r"\*|(?P<vague>\?|\[[!^]?\]?[^]]*\])|\\.|.", re.DOTALL)


def check_globs(value: list[str]) -> Problem | None:
    """Return the error in a list of patterns in the manner of ``.gitignore``, or None."""
    for index, glob in enumerate(value):
        reason = "must hold patterns, not an empty string" if not glob.strip() else wrong_with(glob)
        if reason is not None:
            return Problem(reason, (index,))
    return None


def exact_pattern(path: str) -> str:
    r"""Return the pattern in the manner of ``.gitignore`` for exactly one path: ``/app/\[slug\]/SPEC.md``."""
    return "/" + re.sub(r"[\\\[\]*?]| \Z", r"\\\g<0>", path)


def path_of_pattern(pattern: str) -> str:
    """Return the path that :func:`exact_pattern` was given."""
    return re.sub(r"\\(.)", r"\1", pattern.removeprefix("/"), flags=re.DOTALL)


def wrong_with(glob: str) -> str | None:
    """Return the error in a pattern in the manner of ``.gitignore``, or None."""
    return too_much_of(glob) or (None if _compiles(glob) else "is no pattern in the manner of .gitignore")


def too_much_of(glob: str) -> str | None:
    """Return why a pattern, in any manner, could take long to match, or None."""
    if len(glob) > _LONGEST:
        return f"is too long: a pattern has at most {_LONGEST} characters"
    names = glob.split("/")
    stars = sum(name.count("*") for name in names if name != "**")
    if stars > _MOST_STARS or names.count("**") > _MOST_FOLDERS or sum(map(_loose, names)) > _MOST_LOOSE:
        return "has too many wildcards: it would take too long to match"
    return None


def _loose(name: str) -> int:
    """Return the number of ``*`` of a name with no literal character between them and the one before."""
    if name == "**":
        return 0
    loose, open_ended = 0, False
    for token in _TOKEN.finditer(name):
        if token[0] == "*":
            loose, open_ended = loose + open_ended, True
        elif token["vague"] is None:
            open_ended = False
    return loose


def _compiles(glob: str) -> bool:
    from pathspec import GitIgnoreSpec

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for spelt in {glob, glob.removeprefix("!")}:  # what a negated one negates is matched by itself
                GitIgnoreSpec.from_lines([spelt])
    except (ValueError, re.error, OverflowError, RecursionError):
        return False
    return True


# --- names of rules ---------------------------------------------------------------------------------------------------


def check_selectors(values: Sequence[str]) -> Problem | None:
    """Return the first name of a rule or reviewer that cannot be one."""
    wrong = (index for index, value in enumerate(values) if not _SELECTOR.fullmatch(value))
    return next((Problem(_NO_SELECTOR, (index,)) for index in wrong), None)


def check_select(values: Sequence[str]) -> Problem | None:
    """Check the names of ``select``, of which there must be one."""
    return check_selectors(values) or (None if values else Problem('must name something; "*" stands for all rules'))


def check_per_file(table: Mapping[str, Any]) -> Problem | None:
    """Check the patterns of files and the names below each."""
    for pattern, values in table.items():
        reason = wrong_with(pattern) if pattern.strip() else "must stand below a pattern, not an empty string"
        if reason is None and pattern.startswith("!"):
            reason = "must stand below a pattern of files, not of others"
        if reason is None and not (isinstance(values, list) and all(isinstance(value, str) for value in values)):
            reason = f"must be a list of strings, not {describe_type(values)}"
        found = Problem(reason) if reason is not None else check_selectors(values)
        if found is not None:
            return Problem(found, (pattern, *found.path))
    return None


def check_severities(table: Mapping[str, Any]) -> Problem | None:
    """Check the names and the severity of each."""
    for name, value in table.items():
        if not _SELECTOR.fullmatch(name):
            return Problem(_NO_SELECTOR, (name,))
        if value not in tuple(Severity):
            return Problem(f"must be one of {', '.join(Severity)}", (name,))
    return None


def check_rule_paths(values: Sequence[str]) -> str | None:
    """Check that paths stay within the repository."""
    for value in values:
        plain = value.strip("/")
        parts = plain.lower().split("/")
        outside = ".." in parts or ".git" in parts
        if value.startswith("/") or "\\" in value or outside or posixpath.normpath(plain) in ("", "."):
            return f"must be paths of folders or files within the repository, not {value!r}"
    return None
