"""Tables and patterns in the configuration: what is wrong is named with its place."""

from __future__ import annotations

from typing import Any

import pytest

from selfreview.config.keys import CORE_KEYS
from selfreview.config.tables import (
    check_agents,
    check_baseline,
    check_checks,
    check_commands,
    check_globs,
    check_max_issues,
    check_runnable,
    check_workspace,
    exact_pattern,
    path_of_pattern,
    too_much_of,
    wrong_with,
)

AGENT = {
    "run": ["llm", "-"],
    "fix": ["llm", "--edit"],
    "format": "json",
    "field": "text",
    "env": ["LLM_KEY", "_x9"],
    "state": [".llm"],
}


def test_a_whole_table_is_right() -> None:
    assert check_agents({"mine-2_b": AGENT, "Z": {"format": "text", "env": []}}) is None


@pytest.mark.parametrize(
    ("agent", "path", "said"),
    [
        ("llm", ("mine",), "must be a table such as [agents.mine], not a string"),
        ({"rum": ["x"]}, ("mine", "rum"), "is not a known key"),
        ({"run": []}, ("mine", "run"), "must be a program and its arguments"),
        ({"fix": []}, ("mine", "fix"), "must be a program and its arguments"),
        ({"run": "llm"}, ("mine", "run"), "must be a list of strings"),
        ({"run": ["llm", ""]}, ("mine", "run"), "must be a list of strings"),
        ({"run": ["llm", 1]}, ("mine", "run"), "must be a list of strings"),
        ({"format": "xml"}, ("mine", "format"), "must be text or json"),
        ({"field": ""}, ("mine", "field"), "must be a string"),
        ({"field": 1}, ("mine", "field"), "must be a string"),
        ({"env": ["OK", "1X"]}, ("mine", "env"), "must name environment variables, not git's: 1X"),
        ({"env": ["GIT_DIR"]}, ("mine", "env"), "must name environment variables, not git's: GIT_DIR"),
        ({"env": ["A=B"]}, ("mine", "env"), "must name environment variables, not git's: A=B"),
        ({"run": ["llm"], "env": "KEY"}, ("mine", "env"), "must be a list of strings"),
        *(
            (
                {"state": [path]},
                ("mine", "state"),
                f"must hold paths below the home folder, such as .my-agent, not {path}",
            )
            for path in ("../x", "/x", "~/.x", "~", ".", "./.", "a/../../x")
        ),
    ],
)
def test_what_is_wrong_is_named_with_its_place(agent: Any, path: tuple[str, ...], said: str) -> None:
    found = check_agents({"fine": AGENT, "mine": agent})
    assert found is not None
    assert (found.path, str(found)) == (path, said)


def test_a_misspelt_key_of_an_agent_gets_the_nearest_one() -> None:
    found = check_agents({"mine": {"formatt": "text"}})
    assert found is not None
    assert found.hint == "did you mean 'format'?"


@pytest.mark.parametrize("name", ["", "-x", "_x", "a b", "a.b", "ä", "a\n"])
def test_names_that_no_option_could_carry(name: str) -> None:
    found = check_agents({name: AGENT})
    assert found is not None
    assert (found.path, str(found)) == ((name,), "must be named with letters, digits, '-' and '_'")


def test_only_what_all_files_make_together_must_have_a_program() -> None:
    assert check_agents({"mine": {"format": "text"}}) is None
    found = check_runnable({"fine": AGENT, "mine": {"format": "text"}})
    assert found is not None
    assert (found.path, str(found)) == (("mine",), "lacks the key 'run'")
    assert check_runnable({"fine": AGENT}) is None


COMMAND = "must be a command: a string for the shell, or a program and its arguments as a list"
SECONDS = "must be a number of seconds from above 0 to 1000000"
FOLDERS = "must be folders below the top level"
CHECK = {"run": ["pytest", "-q"], "timeout": 0.5, "required": False, "files": ["**/*.py"]}


def test_commands_in_every_spelling_are_right() -> None:
    assert (
        check_checks({"test": "make test", "lint": ["ruff", "."], "Types-2_b": CHECK, "late": {"timeout": 9}}) is None
    )


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
    found = check_checks({"fine": CHECK, "mine": check})
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
    assert check_runnable({"a": "make", "b": CHECK, "c": ["make"]}) is None
    found = check_runnable({"a": "make", "b": {"timeout": 1}})
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
    assert found.path == (key,)


def test_numbers_of_issues_go_by_severity_category_and_total() -> None:
    assert check_max_issues({"total": 10, "low": 0, "security": 3}) is None
    assert check_max_issues({}) is None


def test_a_name_that_is_neither_gets_the_nearest_one() -> None:
    found = check_max_issues({"low": 1, "securty": 1})
    assert found is not None
    assert found.startswith("is no severity and no category; there are total, critical, high")
    assert (found.path, found.hint) == (("securty",), "did you mean 'security'?")


@pytest.mark.parametrize("most", [-1, True, 1.5, "3", None])
def test_what_is_no_number_of_issues(most: Any) -> None:
    found = check_max_issues({"high": 1, "low": most})
    assert found is not None
    assert (str(found), found.path) == ("must be a number of issues, 0 or more", ("low",))


@pytest.mark.parametrize("name", ["baseline.json", ".selfreview/baseline.json", "a/b/c", "x..y", ".gitignore"])
def test_a_baseline_is_a_file_of_the_repository(name: str) -> None:
    assert check_baseline(name) is None


@pytest.mark.parametrize("name", ["", " ", "/tmp/x", "../x", "..", ".git/x", "a/../b", "./a", "a//b", "a/", "a\\b"])
def test_a_baseline_lies_nowhere_else(name: str) -> None:
    assert check_baseline(name) == "must be a file's path from the repository's top level"


NONE = "is no pattern in the manner of .gitignore"
MANY = "has too many wildcards: it would take too long to match"
GLOB_COMMAND = {"run": ["x"], "format": "sarif"}


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
    found = check_commands({"x": {**GLOB_COMMAND, "files": ["a", "****"]}})
    assert found is not None
    assert (str(found), found.path) == (MANY, ("x", "files", 1))
    assert check_commands({"x": {**GLOB_COMMAND, "files": ["**/*.py"]}}) is None
    found = check_commands({"x": {**GLOB_COMMAND, "files": []}})
    assert found is not None


@pytest.mark.parametrize("path", ["a.md", "app/[slug]/SPEC.md", "spec[1].md", "!x", "a\\b", "a ", "a*?", "/x"])
def test_a_pattern_for_exactly_one_path_gives_the_path_back(path: str) -> None:
    pattern = exact_pattern(path)
    assert path_of_pattern(pattern) == path
    assert check_globs([pattern]) is None
