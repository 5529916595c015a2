"""Patterns of files in the configuration: every one is understood, and none takes long to match.

A pattern is matched against every path of every change. One that cannot be compiled, or whose wildcards can share a
path among themselves in too many ways, would stop every review, in a gate that of its own repair, too.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterable

from selfreview.config.values import Problem

_LONGEST = 1_000
_MOST_STARS = 12
_MOST_FOLDERS = 6
_MOST_LOOSE = 2
_TOKEN = re.compile(r"\*|(?P<vague>\?|\[[!^]?\]?[^]]*\])|\\.|.", re.DOTALL)


def check_globs(value: list[str]) -> Problem | None:
    """Return the error in a list of patterns in the manner of ``.gitignore``, or None."""
    for index, glob in enumerate(value):
        said = "must hold patterns, not an empty string" if not glob.strip() else wrong_with(glob)
        if said is not None:
            return Problem(said, (index,))
    return None


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
            for spelt in _spellings(glob):
                GitIgnoreSpec.from_lines([spelt])
    except (ValueError, re.error, OverflowError, RecursionError):
        return False
    return True


def _spellings(glob: str) -> Iterable[str]:
    """Return a pattern, and for a negated one the pattern that it negates, which is matched by itself."""
    return {glob, glob.removeprefix("!")}
