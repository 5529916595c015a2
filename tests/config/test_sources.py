"""Environment variables: one for each key, read by its type."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from selfreview.api import Key
from selfreview.config.keys import CORE_KEYS
from selfreview.config.sources import Source, environment_source, variable
from selfreview.errors import ConfigError

MORE = (
    Key(name="claude.max-cost", kind="float", default=1.0, help="x"),
    Key(name="claude.key", kind="str", default="", help="x", env="CLAUDE_KEY"),
    Key(name="free", kind="table", default={}, help="x"),
)


def read(environ: Mapping[str, str]) -> tuple[Source, list[str]]:
    notes: list[str] = []
    return environment_source((*CORE_KEYS, *MORE), environ, notes), notes


@pytest.mark.parametrize(
    ("name", "text", "values"),
    [
        ("SELFREVIEW_OFFLINE", "1", {"offline": True}),
        ("SELFREVIEW_OFFLINE", "TRUE", {"offline": True}),
        ("SELFREVIEW_OFFLINE", " on ", {"offline": True}),
        ("SELFREVIEW_CACHE", "0", {"cache": False}),
        ("SELFREVIEW_CACHE", "No", {"cache": False}),
        ("SELFREVIEW_CACHE", "off", {"cache": False}),
        ("SELFREVIEW_JOBS", "4", {"jobs": 4}),
        ("SELFREVIEW_REVIEWER_TIMEOUT", "1.5", {"reviewer_timeout": 1.5}),
        ("SELFREVIEW_BASE", "origin/main", {"base": "origin/main"}),
        ("SELFREVIEW_SEVERITY_THRESHOLD", "low", {"severity_threshold": "low"}),
        ("SELFREVIEW_REVIEWERS", "auto", {"reviewers": "auto"}),
        ("SELFREVIEW_REVIEWERS", "ruff", {"reviewers": ["ruff"]}),
        ("SELFREVIEW_REVIEWERS", "ruff, text,", {"reviewers": ["ruff", "text"]}),
        ("SELFREVIEW_EXCLUDE", "a/**,b", {"exclude": ["a/**", "b"]}),
        ("SELFREVIEW_CLAUDE__MAX_COST", "2", {"claude": {"max-cost": 2.0}}),
        ("CLAUDE_KEY", "x", {"claude": {"key": "x"}}),
        ("SELFREVIEW_JOBS", "", {}),
        ("SELFREVIEW_JOBS", "  ", {}),
    ],
)
def test_a_variable_is_read_by_the_type_of_its_key(name: str, text: str, values: dict[str, Any]) -> None:
    source, notes = read({name: text, "PATH": "/bin"})
    assert (source.values, notes) == (values, [])


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("SELFREVIEW_OFFLINE", "2", "offline must be 1 or 0, true or false, yes or no, on or off"),
        ("SELFREVIEW_JOBS", "many", "jobs must be a whole number, not 'many'"),
        ("SELFREVIEW_JOBS", "1.5", "jobs must be a whole number, not '1.5'"),
        ("SELFREVIEW_REVIEWER_TIMEOUT", "x", "reviewer_timeout must be a number, not 'x'"),
    ],
)
def test_a_text_that_is_no_value_names_variable_and_key(name: str, text: str, message: str) -> None:
    with pytest.raises(ConfigError) as error:
        read({name: text})
    assert error.value.message == f"env {name}: {message}"


def test_every_key_but_tables_has_a_variable_of_its_own() -> None:
    names = [variable(key) for key in CORE_KEYS if key.kind != "table"]
    assert len(set(names)) == len(names)
    assert "SELFREVIEW_SEVERITY_THRESHOLD" in names
    assert {variable(key) for key in CORE_KEYS if key.kind == "table"} == {None}


def test_variables_that_mean_nothing_are_told_but_are_no_error() -> None:
    source, notes = read({"SELFREVIEW_JOBBS": "1", "SELFREVIEW_FREE": "x", "SELFREVIEWER": "x", "OTHER": "x"})
    assert source.values == {}
    assert notes == [
        "environment variable SELFREVIEW_FREE has no effect",
        "environment variable SELFREVIEW_JOBBS has no effect; did you mean 'SELFREVIEW_JOBS'?",
    ]


def test_variables_that_are_read_elsewhere_are_known() -> None:
    names = ("PLUGINS", "DISABLE_PLUGIN_AUTOLOAD", "DATA_DIR", "CONFIG_DIR", "SKIP", "WITHIN")
    assert read({f"SELFREVIEW_{name}": "x" for name in names})[1] == []


def test_origins_name_the_variable() -> None:
    source, _ = read({"SELFREVIEW_JOBS": "1", "CLAUDE_KEY": "x"})
    assert source.place(("jobs",)) == "env SELFREVIEW_JOBS"
    assert source.place(("claude", "key")) == "env CLAUDE_KEY"
    assert source.place(("severity_threshold", "style")) == "env SELFREVIEW_SEVERITY_THRESHOLD"


def test_a_table_that_variables_set_parts_of_comes_from_the_environment() -> None:
    source, _ = read({"SELFREVIEW_CLAUDE__MAX_COST": "2"})
    assert source.place(("claude", "max-cost")) == "env SELFREVIEW_CLAUDE__MAX_COST"
    assert source.place(("claude",)) == "environment"
