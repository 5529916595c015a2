"""Precedence, merging, origins, and what an untrusted repository cannot set."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from selfreview.api import Key
from selfreview.config.keys import CORE_KEYS
from selfreview.config.sources import Source, command_line_source, nest
from selfreview.config.view import Config, resolve
from selfreview.errors import ConfigError

Configure = Callable[..., Config]


def test_without_any_source_every_key_has_its_default(configure: Configure, tmp_path: Path) -> None:
    config = configure()
    assert [(setting.key, setting.value, setting.origin) for setting in config.settings()] == [
        (key, key.default, "default") for key in CORE_KEYS
    ]
    assert (config.root, config.trusted, config.notes) == (tmp_path, True, ())


def test_the_documented_defaults(configure: Configure) -> None:
    assert {setting.key.name: setting.value for setting in configure().settings()} == {
        "enabled": True,
        "severity_threshold": "medium",
        "base": None,
        "reviewers": "auto",
        "required_reviewers": [],
        "exclude": [],
        "requirements": [],
        "on_incomplete": "fail",
        "self_suppressions": "list",
        "reviewer_timeout": 120.0,
        "max_file_bytes": 2_000_000,
        "cache": True,
        "offline": False,
        "color": "auto",
        "jobs": 0,
        "command": {},
        "agents": {},
        "agent_timeout": 600.0,
        "agent_confinement": True,
        "fetch_timeout": 30.0,
        "max_issues": {},
        "baseline": "selfreview-baseline.toml",
        "strict": False,
        "select": ["*"],
        "ignore": [],
        "per_file_ignores": {},
        "severity": {},
        "rules_path": [],
        "stats_minutes_per_fix": 5.0,
    }


def test_every_key_and_default_of_the_core_is_valid(configure: Configure) -> None:
    for key in CORE_KEYS:
        assert key.help.endswith(".")
        configure(more=(command_line_source({key.name: key.default}),))


@pytest.mark.parametrize(
    ("name", "given", "value"),
    [
        ("exclude", "a/**, b,", ["a/**", "b"]),
        ("exclude", "", []),
        ("exclude", ["a,b"], ["a,b"]),
        ("reviewers", "auto", "auto"),
        ("reviewers", "ruff,text", ["ruff", "text"]),
        ("base", "a,b", "a,b"),
    ],
)
def test_a_list_on_the_command_line_is_split_at_commas(
    configure: Configure, name: str, given: str | list[str], value: str | list[str]
) -> None:
    config = configure(more=(command_line_source({name: given}, CORE_KEYS),))
    assert (config[name], config.origin(name)) == (value, "command line")


def test_later_sources_win(configure: Configure) -> None:
    environment = Source(kind="environment", values={"jobs": 3}, place=lambda _: "env SELFREVIEW_JOBS")
    options = command_line_source({"jobs": 4, "cache": None})
    for count, (value, origin) in enumerate(
        [(1, "config.toml:1"), (2, "selfreview.toml:1"), (3, "env SELFREVIEW_JOBS"), (4, "command line")], start=1
    ):
        config = configure(
            "jobs = 2" if count >= 2 else "", user="jobs = 1", more=(environment, options)[: max(count - 2, 0)]
        )
        assert (config["jobs"], config.origin("jobs")) == (value, origin)


def test_a_value_that_is_false_still_wins(configure: Configure) -> None:
    config = configure("cache = false\nexclude = []", user="cache = true\nexclude = ['x']")
    assert (config["cache"], config["exclude"]) == (False, [])


def test_tables_merge_key_by_key_and_remember_where_each_came_from(configure: Configure) -> None:
    config = configure(
        "[severity_threshold]\nstyle = 'never'\nlogic = 'high'",
        user="severity_threshold = { default = 'high', logic = 'low' }",
    )
    assert config["severity_threshold"] == {"default": "high", "logic": "high", "style": "never"}
    assert config.origin("severity_threshold") == "config.toml:1, selfreview.toml:1"
    assert config.origin("severity_threshold.default") == "config.toml:1"
    assert config.origin("severity_threshold.logic") == "selfreview.toml:3"
    assert config.origin("severity_threshold.style") == "selfreview.toml:2"


def test_a_string_replaces_a_table_and_a_table_a_string(configure: Configure) -> None:
    one = configure("severity_threshold = 'low'", user="[severity_threshold]\nstyle = 'never'")
    assert (one["severity_threshold"], one.origin("severity_threshold")) == ("low", "selfreview.toml:1")
    two = configure("\n[severity_threshold]\nstyle = 'never'", user="severity_threshold = 'low'")
    assert (two["severity_threshold"], two.origin("severity_threshold")) == ({"style": "never"}, "selfreview.toml:2")


def test_lists_are_replaced(configure: Configure) -> None:
    config = configure("exclude = ['a']", user="exclude = ['b', 'c']")
    assert (config["exclude"], config.origin("exclude")) == (["a"], "selfreview.toml:1")


tables = st.recursive(
    st.integers(0, 3) | st.lists(st.integers(0, 3), max_size=2),
    lambda inner: st.dictionaries(st.sampled_from("abc"), inner, max_size=3),
    max_leaves=8,
)
free_tables = st.dictionaries(st.sampled_from("abc"), tables, max_size=3)


def merged(old: Any, new: Any) -> Any:
    if not (isinstance(old, dict) and isinstance(new, dict)):
        return new
    return {
        key: merged(old[key], new[key]) if key in old and key in new else {**old, **new}[key] for key in {**old, **new}
    }


def leaves(value: Any, path: tuple[str, ...] = ()) -> dict[tuple[str, ...], Any]:
    if not isinstance(value, dict) or not value:
        return {path: value}
    return {place: leaf for key, item in value.items() for place, leaf in leaves(item, (*path, key)).items()}


def lookup(value: Any, path: tuple[str, ...]) -> Any:
    for part in path:
        if not isinstance(value, dict) or part not in value:
            return None
        value = value[part]
    return value


@settings(deadline=None)
@given(st.lists(free_tables, min_size=1, max_size=4))
def test_merging_is_what_it_says_for_any_tables(values: list[dict[str, Any]]) -> None:
    key = Key(name="free", kind="table", default={}, help="x")
    sources = [
        Source(kind="user", values={"free": value}, place=lambda _, number=number: str(number))
        for number, value in enumerate(values)
    ]
    config = resolve([key], sources, root=None, trusted=True)
    expected: Any = {}
    for value in values:
        expected = merged(expected, value)
    assert config["free"] == expected
    for path, leaf in leaves(expected).items():
        # Whoever is named set exactly this value there, and nobody stronger has anything there.
        named = [int(number) for number in config.origin(".".join(("free", *path))).split(", ")]
        assert all(lookup(values[number], path) == leaf for number in named)
        assert max(named) == max(n for n, value in enumerate(values) if lookup(value, path) is not None)


def test_a_plugin_cannot_change_what_others_read(configure: Configure) -> None:
    config = configure("exclude = ['a']\n[command.x]\nrun = ['x']\nformat = 'sarif'")
    config["exclude"].append("b")
    config.table("command")["x"]["run"].append("y")  # type: ignore[index]
    config["required_reviewers"].append("z")
    assert config["exclude"] == ["a"]
    assert config.table("command")["x"]["run"] == ["x"]
    assert configure()["required_reviewers"] == []


def test_what_is_not_declared_is_a_key_error(configure: Configure) -> None:
    with pytest.raises(KeyError):
        configure()["unknown"]


def test_table_is_empty_for_what_is_no_table(configure: Configure) -> None:
    assert configure().table("severity_threshold") == {}


# --- trust ---------------------------------------------------------------------------------------------------------

COMMAND = "[command.x]\nrun = ['x']\nformat = 'sarif'\n"
TOOL = Key(name="mine.tool", kind="str", default="safe", help="x", executes=True)


def test_a_command_of_an_untrusted_repository_is_there_but_may_not_run(configure: Configure) -> None:
    config = configure(COMMAND, trusted=False)
    assert list(config.table("command")) == ["x"]
    assert not config.may_run("command.x")
    assert configure(COMMAND, trusted=True).may_run("command.x")


def test_the_persons_own_command_may_run_in_any_repository(configure: Configure) -> None:
    config = configure(COMMAND.replace(".x", ".y"), user=COMMAND, trusted=False)
    assert config.may_run("command.x")
    assert not config.may_run("command.y")
    assert not config.may_run("command")


@pytest.mark.parametrize("line", ["run = ['evil']", "files = ['*.js']", "inputs = []"])
def test_an_untrusted_repository_cannot_slip_into_the_persons_own_command(configure: Configure, line: str) -> None:
    assert not configure(f"[command.x]\n{line}", user=COMMAND, trusted=False).may_run("command.x")


def test_what_nobody_sets_may_run(configure: Configure) -> None:
    assert configure(trusted=False).may_run("command")


def test_an_untrusted_value_that_a_plugin_would_run_is_withheld(configure: Configure) -> None:
    config = configure("[mine]\ntool = 'evil'", user="[mine]\ntool = 'own'", keys=(TOOL,), trusted=False)
    assert config["mine.tool"] == "own"
    assert config.origin("mine.tool") == "config.toml:2"
    assert config.settings()[-1].withheld == "selfreview.toml:2"
    assert config.notes == ("selfreview.toml:2: mine.tool has no effect, because this repository is not trusted",)
    trusted = configure("[mine]\ntool = 'good'", keys=(TOOL,), trusted=True)
    assert (trusted["mine.tool"], trusted.settings()[-1].withheld, trusted.notes) == ("good", None, ())


def test_the_person_may_name_a_tool_without_trusting_the_repository(configure: Configure) -> None:
    more = (command_line_source({"mine.tool": "mine"}),)
    assert configure(keys=(TOOL,), trusted=False, more=more)["mine.tool"] == "mine"


# --- excuses and the command line ----------------------------------------------------------------------------------


def test_an_excused_key_is_a_note_with_its_place(configure: Configure) -> None:
    config = configure("jobs = 1\n[mine]\nx = 1", excuse=lambda source, path: f"{path[0]} is excused")
    assert config.notes == ("selfreview.toml:2: mine is excused",)
    assert config["jobs"] == 1


def test_an_unknown_key_on_the_command_line(configure: Configure) -> None:
    with pytest.raises(ConfigError) as error:
        configure(more=(command_line_source({"jbos": 1}),))
    assert (error.value.message, error.value.hint) == ("command line: unknown key jbos", "did you mean 'jobs'?")


def test_nest() -> None:
    inner = {"x": 1}
    assert nest({"a.b": 1, "a": inner, "c": 2, "a.d.e": 3}) == {"a": {"x": 1, "b": 1, "d": {"e": 3}}, "c": 2}
    assert inner == {"x": 1}
    with pytest.raises(ConfigError, match=r"a\.b lies below a key that is given a value of its own"):
        nest({"a.b": 1, "a": 2})
