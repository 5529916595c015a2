"""File patterns as configuration writes them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from selfreview.errors import ConfigError


def matcher(patterns: Iterable[str]) -> Callable[[str], bool]:
    """Return a function that matches a repository-relative path against patterns.

    ``*`` and ``?`` stay within a name, ``**`` spans folders. A pattern without a slash matches a name in any folder;
    one with a slash counts from the top level.

    Raises:
        ConfigError: If a pattern cannot be understood.
    """
    compiled = [_compile(pattern) for pattern in patterns]
    return lambda path: any(regex.fullmatch(path) for regex in compiled)


def _compile(pattern: str) -> re.Pattern[str]:
    try:
        return re.compile(_translate(pattern))
    except re.error as error:
        hint = "a range of characters goes from the lower one to the higher one: [a-z]"
        raise ConfigError(f"file pattern {pattern!r} cannot be understood: {error.msg}", hint=hint) from error


def _translate(pattern: str) -> str:
    parts = pattern.removeprefix("./").removeprefix("/").split("/")
    if "/" not in pattern:
        parts.insert(0, "**")
    if parts[-1] == "":
        parts[-1] = "**"
    regex = ""
    for position, part in enumerate(parts):
        last = position == len(parts) - 1
        if part == "**":
            regex += r"(?s:.+)" if last else r"(?:[^/]+/)*"
        else:
            regex += _translate_name(part) + ("" if last else "/")
    return regex


def _translate_name(name: str) -> str:
    regex, i = "", 0
    while i < len(name):
        char = name[i]
        end = name.find("]", i + 2) if char == "[" else -1
        if char == "*":
            regex += r"[^/]*"
        elif char == "?":
            regex += r"[^/]"
        elif end > 0:
            inside = name[i + 1 : end].replace("\\", r"\\").replace("[", r"\[").replace("^", r"\^")
            negated = "^/" if inside.startswith("!") else ""
            regex += f"[{negated}{inside.removeprefix('!')}]"
            i = end
        else:
            regex += re.escape(char)
        i += 1
    return regex
