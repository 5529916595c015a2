"""Every format by its name on the command line, with the exit code that the review has."""

from __future__ import annotations

import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from click.testing import CliRunner

from selfreview.api import Registry
from selfreview.app.outputs import parse_outputs
from selfreview.cli.main import group
from selfreview.errors import ExitCode
from selfreview.plugins.builtins import Builtins
from tests.conftest import Ran, Workspace
from tests.reporters.schemas import check_json, check_junit

REPORTERS = "selfreview.reporters."
FORMATS = [name for name, module in Builtins().modules.items() if module.startswith(REPORTERS)]


@pytest.mark.parametrize("command", ["run", "gate"])
def test_the_help_names_every_format_of_ours(command):
    help_text = CliRunner().invoke(group, [command, "--help"]).output
    told = " ".join(help_text.split())
    assert {"sarif", "junit", "gitlab", "rdjson"} <= {*FORMATS}
    assert f"{', '.join(FORMATS)}, or a plugin's; to stdout or FILE" in told


@pytest.mark.parametrize("command", ["run", "gate"])
def test_a_colon_without_a_file_is_refused(workspace: Workspace, command: str) -> None:
    ran = workspace.selfreview(command, "--base", "main", "--format", "json:")
    assert (ran.code, "--format json: names no file" in ran.err) == (ExitCode.USAGE, True), ran


SHOWN = re.compile(r"--format[ =]([\w-]+[^\s\"'`),;]*)")
"""A value of the option as hints, help texts and comments show it."""


def test_every_format_that_is_shown_can_be_typed() -> None:
    registry: Registry[Any] = Registry("name")
    for name in FORMATS:
        registry.add(SimpleNamespace(name=name))
    root = Path(__file__).parents[2]
    files = [
        *(root / "src/selfreview/app").rglob("*.py"),
        *(root / "src/selfreview/cli").rglob("*.py"),
        *(root / "templates").rglob("*.*"),
    ]
    shown = {text for file in files for text in SHOWN.findall(file.read_text("utf-8"))}
    assert "json:FILE" in shown
    for text in shown - {"NAME", "NAME[:FILE]", "names"}:
        parse_outputs([text], registry, Path.cwd())


BAD = 'def load(items=[]):\n    return f"{itmes}"\n'


def reports(workspace: Workspace, *args: str) -> tuple[Ran, dict[str, Any]]:
    """Run a gate that writes every format for other programs; return how it ended, and each as its schema took it."""
    files = {name: workspace.root.parent / f"report.{name}" for name in ("sarif", "junit", "gitlab", "rdjson")}
    formats = [word for name, file in files.items() for word in ("--format", f"{name}:{file}")]
    ran = workspace.selfreview("gate", *args, *formats, "--format", "json")
    texts = {name: file.read_text(encoding="utf-8") for name, file in files.items() if file.exists()}
    return ran, {
        "sarif": check_json("sarif-2.1.0.json", texts["sarif"])["runs"][0] if "sarif" in texts else None,
        "junit": check_junit(texts["junit"]),
        "gitlab": check_json("gitlab-codequality.schema.json", texts["gitlab"]),
        "rdjson": check_json("rdjson.schema.json", texts["rdjson"])["diagnostics"],
    }


def test_an_issue_is_in_every_format_at_once(workspace: Workspace) -> None:
    workspace.commit("bad", **{"app.py": BAD})
    ran, told = reports(workspace, "--base", "main")
    (mark,) = (issue["fingerprint"] for issue in ran.json["issues"] if issue["rule"] == "F821")
    assert ran.code == told["sarif"]["invocations"][0]["exitCode"] == ExitCode.ISSUES
    assert mark in [found["partialFingerprints"]["selfreview/v1"] for found in told["sarif"]["results"]]
    assert mark in [entry["fingerprint"] for entry in told["gitlab"]]
    assert int(told["junit"].get("failures")) > 0
    (diagnostic,) = (each for each in told["rdjson"] if each["code"]["value"] == "F821")
    assert diagnostic["location"] == {"path": "app.py", "range": {"start": {"line": 2, "column": 15}}}


def test_a_clean_change_is_green_in_every_format(workspace: Workspace) -> None:
    workspace.commit("clean", **{"app.py": "LIMIT = 3\n"})
    ran, told = reports(workspace, "--base", "main")
    assert ran.code == told["sarif"]["invocations"][0]["exitCode"] == ExitCode.PASSED
    assert (told["sarif"]["results"], told["gitlab"], told["rdjson"]) == ([], [], [])
    assert (told["junit"].get("failures"), told["junit"].get("errors")) == ("0", "0")


@pytest.mark.parametrize(
    ("args", "code"),
    [
        (("--base", "main", "--require", "claude", "--offline"), ExitCode.INCOMPLETE),
        (("--base", "nowhere"), ExitCode.USAGE),
    ],
)
def test_a_review_that_did_not_happen_is_green_in_no_format(
    workspace: Workspace, args: tuple[str, ...], code: ExitCode
) -> None:
    workspace.commit("clean", **{"app.py": "LIMIT = 3\n"})
    (workspace.root.parent / "report.sarif").write_text("of an earlier run")
    ran, told = reports(workspace, *args)
    assert (ran.code, told["sarif"]) == (code, None)  # uploaded, it would close every alert
    assert "report.sarif is not written: the review is incomplete" in ran.err
    (invocation,) = workspace.selfreview("gate", *args, "--format", "sarif").json["runs"][0]["invocations"]
    assert (invocation["exitCode"], invocation["executionSuccessful"]) == (code, False)
    assert int(told["junit"].get("errors")) > 0
    assert [entry["severity"] for entry in told["gitlab"]] == ["blocker"]
    assert [each["severity"] for each in told["rdjson"]] == ["ERROR"]
