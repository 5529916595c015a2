"""What ``[checks]`` and ``[workspace]`` may hold."""

from __future__ import annotations

from typing import Any

import pytest

from selfreview.config.checks import check_checks, check_runnable_checks, check_workspace

COMMAND = "must be a command: a string for the shell, or a program and its arguments as a list"
SECONDS = "must be a number of seconds from above 0 to 1000000"
FOLDERS = "must be folders below the top level"
GOOD = {"run": ["pytest", "-q"], "timeout": 0.5, "required": False, "files": ["**/*.py"]}


def test_commands_in_every_spelling_are_right() -> None:
    assert check_checks({"test": "make test", "lint": ["ruff", "."], "Types-2_b": GOOD, "late": {"timeout": 9}}) is None


@pytest.mark.parametrize(
    ("check", "path", "said"),
    [
        ("  ", ("mine",), "must be a command, not an empty string"),
        ([], ("mine",), COMMAND),
        (["make", ""], ("mine",), COMMAND),
        (["make", 1], ("mine",), COMMAND),
        (3, ("mine",), COMMAND),
        ({"run": ""}, ("mine", "run"), "must be a command, not an empty string"),
        ({"run": "x", "timeout": 0}, ("mine", "timeout"), SECONDS),
        ({"timeout": -1}, ("mine", "timeout"), SECONDS),
        ({"timeout": True}, ("mine", "timeout"), SECONDS),
        ({"timeout": "9"}, ("mine", "timeout"), SECONDS),
        ({"timeout": 1_000_001}, ("mine", "timeout"), SECONDS),
        ({"files": []}, ("mine", "files"), "must be a list of patterns"),
        ({"files": "*.py"}, ("mine", "files"), "must be a list of patterns"),
        ({"files": ["*.py", ""]}, ("mine", "files"), "must be a list of patterns"),
        ({"files": [1]}, ("mine", "files"), "must be a list of patterns"),
        ({"required": 1}, ("mine", "required"), "must be true or false, not an integer"),
        ({"rnu": "x"}, ("mine", "rnu"), "is not a known key"),
    ],
)
def test_what_is_wrong_with_a_check_is_named_with_its_place(check: Any, path: tuple[str, ...], said: str) -> None:
    found = check_checks({"fine": GOOD, "mine": check})
    assert found is not None
    assert (found.path, str(found)) == (path, said)


def test_the_longest_time_is_allowed() -> None:
    assert check_checks({"mine": {"timeout": 1_000_000}}) is None


@pytest.mark.parametrize("name", ["", "-x", "a b", "a/b"])
def test_a_check_needs_a_plain_name(name: str) -> None:
    found = check_checks({name: "make"})
    assert found is not None
    assert (found.path, str(found)) == ((name,), "must be named with letters, digits, '-' and '_'")


def test_a_misspelt_key_gets_the_nearest_one() -> None:
    found = check_checks({"mine": {"timout": 1}})
    assert found is not None
    assert found.hint == "did you mean 'timeout'?"


def test_only_what_all_files_make_together_must_have_a_command() -> None:
    assert check_runnable_checks({"a": "make", "b": GOOD, "c": ["make"]}) is None
    found = check_runnable_checks({"a": "make", "b": {"timeout": 1}})
    assert found is not None
    assert (found.path, str(found)) == (("b",), "lacks the key 'run'")


def test_a_whole_workspace_is_right() -> None:
    table = {"setup": ["npm ci", ["make", "deps"]], "share": ["node_modules", "a/.venv/", "..x"], "setup_timeout": 60}
    assert check_workspace(table) is None
    assert check_workspace({"setup": [], "share": []}) is None


@pytest.mark.parametrize(
    ("key", "value", "said"),
    [
        ("setup", "make", "must be a list, not a string"),
        ("share", "node_modules", "must be a list, not a string"),
        ("setup", ["make", ""], "must be a command, not an empty string"),
        ("setup", ["make", 1], COMMAND),
        ("setup_timeout", 0, SECONDS),
        ("shard", [], "is not a known key"),
        *[("share", ["fine", folder], FOLDERS) for folder in ("", "/", "/etc", "a/../b", "..", ".git", "a/.git/x", 1)],
    ],
)
def test_what_is_wrong_with_the_workspace(key: str, value: Any, said: str) -> None:
    found = check_workspace({key: value})
    assert found is not None
    assert str(found) == said
    assert found.path == ((key,) if key != "shard" else ())
