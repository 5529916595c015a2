"""A gate never lacks what is required, whoever its command line names besides."""

from __future__ import annotations

import sys

import pytest

from selfreview.errors import ExitCode
from tests.conftest import Ran, Workspace

BAD = 'def load(items=[]):\n    return f"{itmes}"\n'
"""What ruff reports, and the text reviewer does not."""


def gate(workspace: Workspace, *args: str) -> Ran:
    return workspace.selfreview("gate", "--format", "json", "--base", "main", *args)


def settle(workspace: Workspace, text: str) -> None:
    """Put settings on the base."""
    workspace.git("switch", "-q", "main")
    workspace.commit("settings", **{"selfreview.toml": text})
    workspace.git("switch", "-q", "work")
    workspace.git("merge", "-q", "main")


@pytest.mark.parametrize("how", ["option", "settings"])
def test_one_that_is_required_takes_part_beside_those_that_are_named(workspace: Workspace, how: str) -> None:
    if how == "settings":
        settle(workspace, 'required_reviewers = ["ruff"]\n')
    workspace.commit("bad", **{"app.py": BAD})
    assert gate(workspace, "--reviewer", "text", "--require", "text").code == (
        ExitCode.PASSED if how == "option" else ExitCode.ISSUES
    )
    ran = gate(workspace, "--reviewer", "text", *(["--require", "ruff"] if how == "option" else []))
    assert ran.code == ExitCode.ISSUES
    assert {report["name"]: report["required"] for report in ran.json["reviewers"]} == {
        "ruff": True, "text": True, "gate": False
    }  # fmt: skip


@pytest.mark.parametrize("how", ["option", "settings"])
def test_one_that_is_required_and_missing_makes_it_incomplete(workspace: Workspace, how: str) -> None:
    if how == "settings":
        settle(workspace, 'required_reviewers = ["claude"]\n')
    workspace.commit("clean", **{"app.py": "LIMIT = 3\n"})
    ran = gate(workspace, "--reviewer", "ruff", *(["--require", "claude"] if how == "option" else []))
    assert ran.code == ExitCode.INCOMPLETE
    assert any("claude was skipped though required" in reason for reason in ran.json["incompleteReasons"])


def test_the_option_adds_to_what_the_base_requires(workspace: Workspace) -> None:
    settle(workspace, 'required_reviewers = ["claude"]\n')
    workspace.commit("clean", **{"app.py": "LIMIT = 3\n"})
    assert gate(workspace, "--require", "ruff").code == ExitCode.INCOMPLETE


def test_a_command_of_the_base_that_is_required_makes_it_incomplete(workspace: Workspace) -> None:
    table = '[command.x]\nrun = ["true"]\nformat = "sarif"\nrequired = true\n'
    settle(workspace, f'reviewers = ["auto", "x"]\n{table}')
    workspace.commit("clean", **{"app.py": "LIMIT = 3\n"})
    assert gate(workspace, "--reviewer", "text").code == ExitCode.INCOMPLETE


def test_a_command_that_may_not_run_counts_by_no_earlier_result(workspace: Workspace) -> None:
    pattern = r"pattern = '(?P<file>.+):(?P<line>\d+): (?P<message>.*)'"
    command = f"run = [{sys.executable!r}, '-c', 'pass', '{{files}}']\nformat = 'pattern'\n{pattern}\n"
    settle(workspace, f"[command.x]\n{command}inputs = []\nrequired = true\n")
    workspace.commit("clean", **{"app.py": "LIMIT = 3\n"})
    assert workspace.selfreview("trust").code == ExitCode.PASSED
    assert gate(workspace, "--allow-head-code").code == ExitCode.PASSED
    assert [r["cached"] for r in gate(workspace, "--allow-head-code").json["reviewers"] if r["name"] == "x"] == [True]
    refused = gate(workspace)
    assert refused.code == ExitCode.INCOMPLETE
    assert [r["status"] for r in refused.json["reviewers"] if r["name"] == "x"] == ["skipped"]
    assert workspace.selfreview("run", "--no-fix").code == ExitCode.PASSED
    assert workspace.selfreview("untrust").code == ExitCode.PASSED
    assert workspace.selfreview("run", "--no-fix").code == ExitCode.INCOMPLETE


def test_a_check_that_the_base_insists_on_is_no_less_so_beside_named_reviewers(workspace: Workspace) -> None:
    check = f"run = [{sys.executable!r}, '-c', 'raise SystemExit(1)']\n"
    settle(workspace, f"[checks.x]\n{check}required = true\n[checks.y]\n{check}")
    workspace.commit("clean", **{"app.py": "LIMIT = 3\n"})
    assert gate(workspace, "--reviewer", "text").code == ExitCode.INCOMPLETE
    ran = gate(workspace, "--reviewer", "text", "--allow-head-code")
    assert ran.code == ExitCode.ISSUES
    assert [report["name"] for report in ran.json["reviewers"] if report["name"].startswith("check-")] == ["check-x"]


def test_a_run_of_named_reviewers_says_who_is_missing(workspace: Workspace) -> None:
    """There a person looks at a part, and the result says that it is one."""
    workspace.commit("bad", **{"app.py": BAD, "selfreview.toml": 'required_reviewers = ["ruff"]\n'})
    ran = workspace.selfreview("run", "--no-fix", "--format", "json", "--reviewer", "text")
    assert ran.json["scope"]["partial"]
    assert "partial: only the reviewers given took part: text (without ruff, though required)" in ran.json["notes"]
