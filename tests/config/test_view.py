"""Reading the configuration: whose value it is, and whether what it names may run."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from selfreview.api import Key
from selfreview.config.keys import CORE_KEYS, KeyRegistry
from selfreview.config.sources import MAX_BYTES, MAX_FILES, Source, SourceKind, command_line_source
from selfreview.config.view import Config, Merged, Overlay
from selfreview.errors import ConfigError

TOOL = Key(name="mine.tool", kind="str", default="", help="x", executes=True)


def config(*sources: tuple[SourceKind, Mapping[str, Any]], trusted: bool = False, head_code: bool = True) -> Config:
    """A configuration whose sources set whole tables."""
    merged, keys = Merged(), KeyRegistry(CORE_KEYS)
    for kind, values in sources:
        source = Source(kind=kind, values=values, place=lambda path, kind=kind: kind)
        for name, value in values.items():
            merged.add(source, (name,), value)
    return Config(keys, merged, root=None, trusted=trusted, notes=(), head_code=head_code)


LINT = {"command": {"lint": {"run": ["lint"]}}}


@pytest.mark.parametrize("kind", ["user", "environment", "command line"])
def test_what_the_person_names_may_run(kind: SourceKind) -> None:
    assert config((kind, LINT)).may_run("command.lint")


def test_what_the_repository_names_may_run_once_it_is_trusted() -> None:
    assert not config(("repository", LINT)).may_run("command.lint")
    assert config(("repository", LINT), trusted=True).may_run("command.lint")


def test_one_part_of_the_repository_spoils_a_command_of_the_person() -> None:
    mixed = config(("user", LINT), ("repository", {"command": {"lint": {"files": ["*"]}, "other": {"run": ["x"]}}}))
    assert not mixed.may_run("command.lint")
    assert not mixed.may_run("command")
    assert mixed.may_run("command.lint.run")


def test_what_nobody_sets_may_run() -> None:
    """Then it is a default, which is the program's own."""
    assert config().may_run("command.lint")


@pytest.mark.parametrize("name", ["command", "command.lint", "checks", "checks.test", "workspace", "workspace.setup"])
def test_where_the_code_of_the_head_must_not_run_nobody_can_make_it(name: str) -> None:
    assert not config(("user", LINT), trusted=True, head_code=False).may_run(name)
    assert config(("user", LINT), trusted=True).may_run(name)


def test_on_a_persons_own_machine_it_may() -> None:
    assert Config(KeyRegistry(), Merged(), root=None, trusted=True, notes=()).may_run("checks.test")


@pytest.mark.parametrize("name", ["agents.mine", "commands", "checks-2.x"])
def test_what_does_not_run_it_is_not_concerned(name: str) -> None:
    assert config(trusted=True, head_code=False).may_run(name)


def test_a_value_cannot_be_changed_for_others(configure: Callable[..., Config]) -> None:
    view = configure("exclude = ['a']\n[max_issues]\nlow = 1\n")
    view["exclude"].append("b")
    view["max_issues"]["low"] = 2
    assert view["exclude"] == ["a"]
    assert view["max_issues"] == {"low": 1}


def test_a_key_that_nobody_declares_is_no_key(configure: Callable[..., Config]) -> None:
    with pytest.raises(KeyError, match=r"no\.such"):
        configure()["no.such"]


def test_a_key_that_may_be_a_table_is_an_empty_one_where_it_is_none(configure: Callable[..., Config]) -> None:
    assert configure("severity_threshold = 'low'").table("severity_threshold") == {}
    assert configure("[severity_threshold]\nstyle = 'never'").table("severity_threshold") == {"style": "never"}


def test_it_says_where_it_is_and_what_is_withheld(configure: Callable[..., Config], tmp_path: Path) -> None:
    view = configure("[mine]\ntool = 'x'", keys=(TOOL,), trusted=False)
    setting = next(setting for setting in view.settings() if setting.key is TOOL)
    assert (setting.value, setting.origin, setting.withheld) == ("", "default", "selfreview.toml:2")
    assert (view.root, view.trusted) == (tmp_path, False)
    assert [setting.key.name for setting in view.settings()] == [key.name for key in (*CORE_KEYS, TOOL)]


def test_the_origin_of_a_table_names_each_source_once_and_the_strongest_last(configure: Callable[..., Config]) -> None:
    line = command_line_source({"max_issues": {"high": 1}})
    view = configure("[max_issues]\nlow = 1\n", user="[max_issues]\nmedium = 1\n", more=(line,))
    assert view.origin("max_issues") == "config.toml:1, selfreview.toml:1, command line"
    assert view.origin("max_issues.low") == "selfreview.toml:2"
    assert view.origin("jobs") == "default"


def test_an_overlay_changes_its_values_and_nothing_else(configure: Callable[..., Config], tmp_path: Path) -> None:
    below = configure("jobs = 3\noffline = true\n[command.lint]\nrun = ['lint']\nformat = 'sarif'\n", trusted=False)
    over = Overlay(below, tmp_path / "workspace", {"jobs": 1})
    assert (over["jobs"], over["offline"], below["jobs"]) == (1, True, 3)
    assert (over.get("jobs"), over.get("offline"), over.get("nothing.such", 7)) == (1, True, 7)
    assert (below.get("jobs", 7), below.get("nothing.such")) == (3, None)
    assert over.root == tmp_path / "workspace"
    assert over.trusted is False
    assert over.origin("offline") == "selfreview.toml:2"
    assert over.table("command") == below.table("command") != {}
    assert not over.may_run("command.lint")
    assert over.may_run("command.other")


def test_files_that_a_key_names_are_read_from_where_settings_are(configure: Callable[..., Config]) -> None:
    view = configure('rules_path = ["a", "c/d.txt/"]')
    files = {"a/": b"a/b.yml\0a/c.txt\0a/gone.yml", "a/b.yml": b"1", "a/c.txt": b"2", "c/d.txt": b"3"}
    assert view.files("rules_path") == {}
    view.reads(files.get)
    assert view.files("rules_path", ".yml") == {"a/b.yml": b"1", "c/d.txt": b"3"}
    assert Overlay(view, Path(), {}).files("rules_path", ".txt") == {"a/c.txt": b"2", "c/d.txt": b"3"}


def test_a_file_that_is_not_there_is_told_with_the_place_of_the_setting(configure: Callable[..., Config]) -> None:
    view = configure('jobs = 1\nrules_path = ["a"]')
    view.reads({}.get)
    with pytest.raises(ConfigError, match=r"^selfreview\.toml:2: rules_path names 'a', which is not in the repository"):
        view.files("rules_path")


def test_no_more_files_are_read_than_there_should_be(configure: Callable[..., Config]) -> None:
    view = configure('rules_path = ["a"]')
    names = [f"a/{number}.yml" for number in range(MAX_FILES + 1)]
    view.reads({**dict.fromkeys(names, b""), "a/": "\0".join(names).encode()}.get)
    with pytest.raises(ConfigError, match="names more than 1,000 files"):
        view.files("rules_path", ".yml")


def test_no_more_is_read_than_there_should_be(configure: Callable[..., Config]) -> None:
    view = configure('rules_path = ["a"]')
    names = [f"a/{number}.yml" for number in range(5)]
    view.reads({**dict.fromkeys(names, bytes(MAX_BYTES)), "a/": "\0".join(names).encode()}.get)
    with pytest.raises(ConfigError, match=r"^selfreview\.toml:1: rules_path names more than 16 MiB"):
        view.files("rules_path", ".yml")


@pytest.mark.parametrize("path", ["/a", "../a", "a/../../b", ".", "", "a\\\\b"])
def test_a_path_out_of_the_repository_is_refused(configure: Callable[..., Config], path: str) -> None:
    with pytest.raises(ConfigError, match="must be paths of folders or files within the repository"):
        configure(f'rules_path = ["{path}"]')
