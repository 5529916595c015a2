"""Patterns of files in the configuration: each is understood, and none takes long to match."""

from __future__ import annotations

import pytest

from selfreview.config.checks import check_checks
from selfreview.config.command import check_commands
from selfreview.config.globs import check_globs, too_much_of, wrong_with
from selfreview.config.keys import CORE_KEYS

NONE = "is no pattern in the manner of .gitignore"
MANY = "has too many wildcards: it would take too long to match"
COMMAND = {"run": ["x"], "format": "sarif"}


@pytest.mark.parametrize(
    "glob",
    [
        "vendor/**", "**.py", "**.test.**", "*.min.*", "*/*/*/x", "**/a/**/b/**/*.snap", "!keep.me", "# a comment",
        "[!a]*", "test_*_*_*_*.py", "[[a]", "*[ch]*", "x" * 1_000, "a\\*b", "**/" * 6 + "x", "*a" * 12, r"*\**\**\**",
    ],
)  # fmt: skip
def test_what_people_write_is_right(glob: str) -> None:
    assert wrong_with(glob) is None


@pytest.mark.parametrize("glob", ["[z-a]", "![z-a]", "a\\", "\\", "!!"])
def test_what_cannot_be_compiled_is_none(glob: str) -> None:
    assert wrong_with(glob) == NONE


@pytest.mark.parametrize(
    "glob",
    [
        "*?*?*?*?Q", "*[a-z]*[!~]*?*Q", "****", "a/***/b**c", "*?*/*?*/*?*",
        "*a" * 13, "**/" * 7 + "x", "*[]a]*[]b]*[ab*?*", "*[!]]*[^]]*[a]*", "*?*/**/*?*?*",
    ],
)  # fmt: skip
def test_wildcards_that_share_a_path_in_too_many_ways_are_too_many(glob: str) -> None:
    assert wrong_with(glob) == too_much_of(glob) == MANY


def test_a_pattern_has_an_end() -> None:
    assert wrong_with("x" * 1_001) == "is too long: a pattern has at most 1000 characters"


def test_the_place_is_named() -> None:
    assert check_globs(["a", "b"]) is None
    for globs, said in ((["a", "[z-a]"], NONE), (["a", " "], "must hold patterns, not an empty string")):
        found = check_globs(globs)
        assert found is not None
        assert (str(found), found.path) == (said, (1,))


@pytest.mark.parametrize("name", ["exclude", "requirements"])
def test_keys_that_hold_patterns_ask(name: str) -> None:
    (key,) = (key for key in CORE_KEYS if key.name == name)
    assert key.check is not None
    assert key.check(["[z-a]"]) == NONE
    assert key.check(["src/**"]) is None


def test_checks_and_commands_ask() -> None:
    found = check_checks({"x": {"run": "x", "files": ["a", "[z-a]"]}})
    assert found is not None
    assert (str(found), found.path) == (NONE, ("x", "files", 1))
    found = check_commands({"x": {**COMMAND, "files": ["a", "****"]}})
    assert found is not None
    assert (str(found), found.path) == (MANY, ("x", "files", 1))
    assert check_commands({"x": {**COMMAND, "files": ["**/*.py"]}}) is None
    found = check_commands({"x": {**COMMAND, "files": []}})
    assert found is not None
