"""What an ``[agents.NAME]`` table may hold."""

from __future__ import annotations

from typing import Any

import pytest

from selfreview.config.agents import check_agents, check_runnable

GOOD = {
    "run": ["llm", "-"],
    "fix": ["llm", "--edit"],
    "format": "json",
    "field": "text",
    "env": ["LLM_KEY", "_x9"],
    "state": [".llm"],
}


def test_a_whole_table_is_right() -> None:
    assert check_agents({"mine-2_b": GOOD, "Z": {"format": "text", "env": []}}) is None


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
    found = check_agents({"fine": GOOD, "mine": agent})
    assert found is not None
    assert (found.path, str(found)) == (path, said)


def test_a_misspelt_key_gets_the_nearest_one() -> None:
    found = check_agents({"mine": {"formatt": "text"}})
    assert found is not None
    assert found.hint == "did you mean 'format'?"


@pytest.mark.parametrize("name", ["", "-x", "_x", "a b", "a.b", "ä", "a\n"])
def test_names_that_no_option_could_carry(name: str) -> None:
    found = check_agents({name: GOOD})
    assert found is not None
    assert (found.path, str(found)) == ((name,), "must be named with letters, digits, '-' and '_'")


def test_only_what_all_files_make_together_must_have_a_program() -> None:
    assert check_agents({"mine": {"format": "text"}}) is None
    found = check_runnable({"fine": GOOD, "mine": {"format": "text"}})
    assert found is not None
    assert (found.path, str(found)) == (("mine",), "lacks the key 'run'")
    assert check_runnable({"fine": GOOD}) is None
