"""``selfreview config`` prints TOML that could be a configuration file."""

from __future__ import annotations

import datetime
import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from selfreview import resources
from selfreview.config.keys import CORE_KEYS
from selfreview.errors import ExitCode
from selfreview.text.toml import toml_value
from tests.conftest import Workspace

SETTINGS = """
severity_threshold = { default = "low", security = "critical" }
exclude = ['a "quoted" \\ path', "\\u001b[2K\\U000e0041\\u202e", "\\U0001f600 é"]
[command.odd-name]
run = ["x", "a\\nb"]
format = "pattern"
pattern = '^(?P<file>\\S+):(?P<line>\\d+): (?P<message>.*)$'
severity = { "a b" = "high" }
"""


@pytest.mark.parametrize("arguments", [[], ["--describe"], ["base"], ["exclude", "command"]])
@pytest.mark.parametrize("content", ["", SETTINGS])
def test_what_is_printed_is_toml(workspace: Workspace, arguments: list[str], content: str) -> None:
    workspace.write("selfreview.toml", content)
    workspace.selfreview("trust")
    ran = workspace.selfreview("config", *arguments)
    told = {entry["name"]: entry["value"] for entry in workspace.selfreview("config", "-f", "json").json}
    printed = tomllib.loads(ran.out)
    names = [name for name in arguments if name in told] or list(told)
    expected: dict[str, object] = {}
    for name in names:
        if told[name] is not None:
            *tables, key = name.split(".")
            place = expected
            for table in tables:
                inner = place.setdefault(table, {})
                assert isinstance(inner, dict)
                place = inner
            place[key] = told[name]
    assert printed == expected
    assert "\x1b" not in ran.out


def test_a_key_without_a_value_is_said_to_be_so(workspace: Workspace) -> None:
    assert workspace.selfreview("config", "base").out == "# base is not set\n"


def test_a_name_that_no_rule_has_is_told_as_by_a_run(workspace: Workspace) -> None:
    workspace.write("selfreview.toml", 'ignore = ["python-evall"]\n')
    told = [workspace.selfreview(*args) for args in (["config"], ["config", "ignore"], ["run", "--no-fix"])]
    assert [(ran.code, ran.err) for ran in told[:2]] == [(told[2].code, told[2].err)] * 2
    assert "'python-evall' (selfreview.toml:1)" in told[0].err
    assert "python-evall" in told[0].out
    assert workspace.selfreview("config", "base").code == ExitCode.PASSED


def test_every_key_is_described(workspace: Workspace) -> None:
    out = workspace.selfreview("config", "--describe").out
    assert [key.name for key in CORE_KEYS if f"# {key.help}" not in out] == []


TEXT = st.characters(exclude_categories=["Cs"])
values = st.recursive(
    st.one_of(
        st.text(TEXT),
        st.integers(-(2**63), 2**63 - 1),
        st.floats(allow_nan=False),
        st.booleans(),
        st.dates(),
        st.times(),
        st.datetimes(timezones=st.sampled_from([None, datetime.UTC])),
    ),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(TEXT, max_size=3), inner, max_size=3),
    max_leaves=8,
)


@given(values)
def test_every_value_comes_back(value: object) -> None:
    line = toml_value(value)
    assert "\n" not in line
    assert tomllib.loads(f"value = {line}")["value"] == value


def test_what_toml_cannot_say_still_parses() -> None:
    assert tomllib.loads(f"value = {toml_value({'a': None, 'b': chr(0xDC80)})}") == {"value": {"b": "\ufffd"}}


@pytest.mark.parametrize("name", ["correctness", "correctness.md.j2", "exclusions.toml", "fixer.md.j2"])
def test_a_bundled_template_is_printed_as_it_is(workspace: Workspace, name: str) -> None:
    ran = workspace.selfreview("config", "--template", name)
    assert ran.code == ExitCode.PASSED, ran
    file = name if "." in name else f"{name}.md.j2"
    kind = "fixing" if name.startswith("fixer") else "prompts"
    assert ran.raw == resources.read("templates", f"{kind}/{file}")


def test_a_template_that_is_not_there(workspace: Workspace) -> None:
    ran = workspace.selfreview("config", "--template", "../nope")
    assert ran.code == ExitCode.USAGE
    assert "there is no template '../nope'" in ran.err
    assert "exclusions.toml" in ran.err


@pytest.mark.parametrize(
    ("given", "hint"),
    [
        ("foo=1", "selfreview config lists the keys, those of a plugin while it is loaded (-p NAME)"),
        ("jbs=1", "did you mean 'jobs'?"),
        ("foo", "selfreview config lists the keys"),
        ("jobs=abc", "selfreview config shows each key with its value"),
        ("max_issues.total=" + "9" * 5_000, "selfreview config shows each key with its value"),
        ("exclude=" + "[" * 20_000, "selfreview config shows each key with its value"),
        ("jobs=0x" + "f" * 9_000, "selfreview config shows each key with its value"),
        ("max_issues=3", "max_issues.total=3 says how many in all"),
    ],
)
def test_a_key_that_is_set_wrongly_on_the_command_line_has_a_hint(workspace: Workspace, given: str, hint: str) -> None:
    ran = workspace.selfreview("run", "-o", given)
    assert (ran.code, f"hint: {hint}\n" in ran.err) == (ExitCode.USAGE, True), ran


def test_what_is_not_there_says_where_to_look(workspace: Workspace) -> None:
    workspace.commit("clean", **{"app.py": "LIMIT = 3\n"})
    workspace.review()
    assert "hint: selfreview history lists them" in workspace.selfreview("show", "--iteration", "1", "r-nope").err
    assert "hint: first: selfreview apply" in workspace.selfreview("undo").err
