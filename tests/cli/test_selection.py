"""Rules that the settings choose: in a run, in an installed hook and in a gate, where a change loosens nothing."""

from __future__ import annotations

import random

import pytest

from selfreview.errors import ExitCode
from tests.conftest import Ran, Workspace
from tests.secrets import tokens

EVAL = {"app.py": "def f(text):\n    return eval(text)\n"}
"""What ``rules`` (python-eval) and ``ruff`` (S307) report, as one issue."""


def found(ran: Ran, file: str = "app.py") -> dict[str, tuple[str, str]]:
    return {one["rule"]: (one["severity"], one["status"]) for one in ran.json["issues"] if one["file"] == file}


def reasons(ran: Ran) -> dict[str, str]:
    return {one["rule"]: one["statusReason"] for one in ran.json["issues"] if one["statusReason"]}


def run(workspace: Workspace, *args: str) -> Ran:
    return workspace.selfreview("run", "--no-fix", "--format", "json", *args)


def gate(workspace: Workspace, fork: str = "true") -> Ran:
    return workspace.selfreview("gate", "--format", "json", SELFREVIEW_CI_BASE="main", SELFREVIEW_CI_FORK=fork)


def on_main(workspace: Workspace, **files: str) -> None:
    workspace.git("switch", "-q", "main")
    workspace.commit("settings", **files)
    workspace.git("switch", "-q", "work")
    workspace.git("merge", "-q", "main")


def test_a_rule_that_is_ignored_is_listed_with_the_setting_and_does_not_count(workspace: Workspace) -> None:
    workspace.commit("work", **EVAL)
    assert run(workspace).code == ExitCode.ISSUES
    workspace.write("selfreview.toml", '# ours\nignore = ["python-*", "S307"]\n')
    ran = run(workspace)
    assert ran.code == ExitCode.PASSED, ran
    assert {status for _, status in found(ran).values()} == {"suppressed"}
    assert reasons(ran)["python-eval"] == 'ignored by ignore = ["python-*"] (selfreview.toml:2)'


def test_what_is_not_selected_does_not_count_and_the_more_specific_selector_wins(workspace: Workspace) -> None:
    workspace.commit("work", **EVAL)
    assert run(workspace, "-o", "select=secrets,text").code == ExitCode.PASSED
    ran = run(workspace, "-o", "select=*,python-eval", "-o", "ignore=rules,ruff")
    assert ran.code == ExitCode.ISSUES
    assert found(ran)["python-eval"][1] == "open"


def test_a_rule_is_ignored_in_some_files_alone(workspace: Workspace) -> None:
    workspace.commit("work", **EVAL, **{"tools/app.py": EVAL["app.py"]})
    workspace.write("selfreview.toml", '[per_file_ignores]\n"/tools/" = ["rules", "ruff"]\n')
    ran = run(workspace)
    assert ran.code == ExitCode.ISSUES
    assert {status for _, status in found(ran, "tools/app.py").values()} == {"suppressed"}
    assert found(ran)["python-eval"][1] == "open"


def test_a_severity_counts_for_the_threshold_and_keeps_the_fingerprint(workspace: Workspace) -> None:
    workspace.commit("work", **EVAL)
    before = {one["rule"]: one["fingerprint"] for one in run(workspace).json["issues"]}
    workspace.write("selfreview.toml", 'ignore = ["ruff"]\n[severity]\n"python-*" = "low"\n')
    ran = run(workspace)
    assert (ran.code, found(ran)["python-eval"]) == (ExitCode.PASSED, ("low", "open"))
    assert {one["rule"]: one["fingerprint"] for one in ran.json["issues"]} == before
    assert run(workspace, "--fail-on", "low").code == ExitCode.ISSUES


def test_comments_and_baseline_entries_about_what_is_ignored_are_not_called_unused(workspace: Workspace) -> None:
    text = "def f(text):\n    return eval(text)\n\n\ndef g(text):\n    # selfreview: ignore[python-eval] ours\n"
    workspace.commit("work", **{"app.py": f"{text}    return eval(text)\n"})
    assert workspace.selfreview("baseline", "update", "--reason", "known").code == ExitCode.PASSED
    ran = run(workspace, "-o", "ignore=rules,ruff", "--strict")
    assert ran.code == ExitCode.PASSED, ran
    assert not {"unused-suppression", "stale-baseline"} & set(found(ran) | found(ran, "selfreview-baseline.toml"))


def test_a_commit_passes_the_installed_hook_once_the_rule_is_ignored(workspace: Workspace) -> None:
    assert workspace.selfreview("hook", "install").code == ExitCode.PASSED
    workspace.write("app.py", EVAL["app.py"])
    workspace.git("add", "app.py")
    assert workspace.selfreview("hook", "run", "pre-commit").code == ExitCode.ISSUES
    workspace.write("selfreview.toml", 'ignore = ["rules/python-eval", "ruff/S*"]\n')
    assert workspace.selfreview("hook", "run", "pre-commit").code == ExitCode.PASSED


@pytest.mark.parametrize("fork", ["true", "false"])
def test_a_gate_takes_the_bases_selection_and_tells_of_the_changes(workspace: Workspace, fork: str) -> None:
    on_main(workspace, **{"selfreview.toml": 'ignore = ["python-eval", "S307"]\n'})
    workspace.commit("work", **EVAL)
    assert gate(workspace, fork).code == ExitCode.PASSED
    workspace.commit("more", **{"selfreview.toml": 'ignore = ["*"]\n', "more.py": "import os\nos.system(input())\n"})
    ran = gate(workspace, fork)
    assert ran.code == ExitCode.ISSUES
    assert {status for _, status in found(ran, "more.py").values()} & {"open"}
    assert found(ran, "selfreview.toml")["own-configuration"][1] == "open"


@pytest.mark.parametrize(("fork", "status"), [("true", "open"), ("false", "out_of_scope")])
def test_a_file_that_leaves_a_name_where_rules_are_ignored_is_read_anew(
    workspace: Workspace, fork: str, status: str
) -> None:
    settings = '[per_file_ignores]\n"/tools/" = ["python-eval", "S307"]\n'
    on_main(workspace, **{"selfreview.toml": settings, "tools/a.py": EVAL["app.py"]})
    workspace.git("mv", "tools/a.py", "app.py")
    workspace.commit("work")
    assert found(gate(workspace, fork))["python-eval"][1] == status


def test_config_says_where_each_comes_from(workspace: Workspace) -> None:
    workspace.write("selfreview.toml", 'ignore = ["python-eval"]\n[severity]\nruff = "low"\n')
    out = workspace.selfreview("config", "select", "ignore", "severity", "-o", "select=ruff").out
    assert 'ignore   = ["python-eval"]  # selfreview.toml:1' in out
    assert 'select   = ["ruff"]  # command line' in out
    assert 'severity = { ruff = "low" }  # selfreview.toml:2' in out


@pytest.mark.parametrize(
    ("text", "line", "name", "hint"),
    [
        ('ignore = [\n  "E711",\n  "python-evel",\n]', 3, "python-evel", "did you mean 'python-eval'?"),
        ('ignore = ["no-eval"]', 1, "no-eval", "did you mean 'rules/javascript-eval'?"),
        ('select = ["*", "ruf/E711"]', 1, "ruf/E711", "did you mean 'ruff/E711'?"),
        ('[per_file_ignores]\n"/tests/" = ["E7"]', 2, "E7", "did you mean 'E7*'?"),
        ('[severity]\nnobody = "low"', 2, "nobody", "selfreview rule lists them"),
    ],
)
def test_a_name_of_nothing_is_an_error_with_its_line(
    workspace: Workspace, text: str, line: int, name: str, hint: str
) -> None:
    workspace.commit("work", **EVAL)
    workspace.write("selfreview.toml", text)
    for ran in (workspace.selfreview("run"), workspace.selfreview("run", "--staged")):
        assert ran.code == ExitCode.USAGE
        assert f"there is no rule or reviewer {name!r} (selfreview.toml:{line})" in ran.err
        assert hint in ran.err


def test_names_of_a_plugin_that_is_left_out_are_no_error(workspace: Workspace) -> None:
    workspace.commit("work", **EVAL)
    for args in (["-o", "ignore=ruff/E711"], ["-o", "ignore=E711"]):
        assert run(workspace, *args).code == run(workspace, *args, "-p", "no:ruff").code == ExitCode.ISSUES


def test_a_rule_of_the_repositorys_own_can_be_named(workspace: Workspace) -> None:
    rule = "id: no-print\nlanguage: Python\nseverity: error\nmessage: Printed.\nrule: {pattern: print($A)}\n"
    workspace.commit("work", **{"rules/own.yml": rule, "tool.py": "def f(a):\n    print(a)\n"})
    workspace.write("selfreview.toml", 'rules_path = ["rules"]\nignore = ["no-*"]\n[severity]\nno-print = "critical"\n')
    assert found(run(workspace), "tool.py")["no-print"] == ("critical", "suppressed")


def test_a_gate_stops_a_change_that_brings_a_name_of_nothing(workspace: Workspace) -> None:
    workspace.commit("work", **{"selfreview.toml": 'ignore = ["python-evel"]\n'})
    ran = gate(workspace, "false")
    assert ran.code == ExitCode.ISSUES
    assert found(ran, "selfreview.toml")["broken-settings"] == ("critical", "open")


def test_a_gate_whose_base_names_nothing_lets_only_the_repair_pass(workspace: Workspace) -> None:
    """As after an upgrade that took a rule away. What the base selects by such a name counts as everything."""
    on_main(workspace, **{"selfreview.toml": 'select = ["python-evel"]\nignore = ["E7111"]\n'})
    workspace.commit("work", **EVAL)
    ran = gate(workspace, "false")
    assert ran.code == ExitCode.USAGE
    assert "there is no rule or reviewer 'python-evel' (selfreview.toml:1)" in ran.err
    workspace.commit("repair", **{"selfreview.toml": 'ignore = ["E711"]\n'})
    ran = gate(workspace, "false")
    assert ran.code == ExitCode.ISSUES
    assert "the base's settings do not load" in ran.err
    assert found(ran)["python-eval"][1] == "open"
    workspace.commit("mended", **{"app.py": "def f(text):\n    return text\n"})
    assert gate(workspace, "false").code == ExitCode.PASSED


def test_a_name_in_the_call_of_a_gate_is_an_error(workspace: Workspace) -> None:
    workspace.commit("work", **EVAL)
    ran = workspace.selfreview("gate", "--base", "main", "-o", "ignore=python-evel")
    assert ran.code == ExitCode.USAGE
    assert "there is no rule or reviewer 'python-evel' (command line)" in ran.err


def test_a_secret_that_is_ignored_is_masked_all_the_same(workspace: Workspace) -> None:
    value = tokens.like("ghp_[A-Za-z0-9]{36}", random.Random(1))
    workspace.commit("work", **{"app.py": f'TOKEN = "{value}"\n'})
    assert run(workspace).code == ExitCode.ISSUES
    ran = run(workspace, "-o", "ignore=secrets/*", "-o", "severity.secrets=suggestion")
    assert ran.code == ExitCode.PASSED, ran
    assert {status for _, status in found(ran).values()} == {"suppressed"}
    assert value not in ran.out + ran.err


def test_a_refinement_mends_what_blocks_by_its_severity_and_leaves_what_is_ignored(workspace: Workspace) -> None:
    """By itself the rule is low, and blocks nothing."""
    settings = '[per_file_ignores]\n"/old.py" = ["F541"]\n[severity]\nF541 = "high"\n'
    text = "def f():\n    return f'x'\n"
    workspace.commit("work", **{"app.py": text, "old.py": text, "selfreview.toml": settings})
    ran = workspace.selfreview("run", "--apply", "--format", "json")
    assert ran.code == ExitCode.PASSED, ran
    assert [(workspace.root / name).read_text() for name in ("app.py", "old.py")] == [text.replace("f'x'", "'x'"), text]


LISTING = """
from pathlib import Path
from selfreview.api import Depth, Review, RuleInfo, hookimpl

class Mine:
    name, depth, default = "mine", Depth.TEXT, True

    def selects(self, file):
        return False

    def cache_key(self, context):
        return None

    def review(self, files, context):
        return Review()

    def rules(self):
        with Path("asked").open("a") as file:
            file.write("x")
        return [RuleInfo(id="mine-rule")]

@hookimpl
def selfreview_register_reviewers(registry, config):
    registry.add(Mine())
"""


def test_a_reviewer_is_asked_for_its_rules_once_for_the_same_settings(workspace: Workspace) -> None:
    settings = {"selfreview.toml": 'ignore = ["mine/mine-rule"]\n', ".gitignore": "asked\n"}
    workspace.commit("work", **{"app.py": "LIMIT = 3\n", "selfreview_conf.py": LISTING}, **settings)
    assert workspace.selfreview("trust").code == ExitCode.PASSED

    def asked(*args: str) -> int:
        ran = run(workspace, *args)
        assert ran.code == ExitCode.PASSED, ran
        return len((workspace.root / "asked").read_text())

    assert [asked(), asked(), asked("--no-cache"), asked("-o", "ignore=mine/mine-*")] == [1, 1, 2, 3]
    assert run(workspace, "-o", "ignore=mine/other").code == ExitCode.USAGE


def test_a_gate_knows_the_rules_of_a_local_plugin_that_the_change_leaves_alone(workspace: Workspace) -> None:
    on_main(workspace, **{"selfreview_conf.py": LISTING, ".gitignore": "asked\n"})
    workspace.commit("work", **{"selfreview.toml": 'ignore = ["mine/mine-rule"]\n'})
    assert "broken-settings" not in found(gate(workspace, "false"), "selfreview.toml")
    workspace.commit("typo", **{"selfreview.toml": 'ignore = ["mine/mine-rul"]\n'})
    assert found(gate(workspace, "false"), "selfreview.toml")["broken-settings"] == ("critical", "open")
