"""``selfreview rule``: every rule listed, explained, and tried on its examples."""

from __future__ import annotations

import pytest

from selfreview.cli.setup.rule import COMMENTS
from selfreview.errors import ExitCode
from selfreview.review.tool_comments import names_in
from selfreview.syntax.suppression_comments import KINDS
from tests.conftest import Workspace

OWN = """\
id: no-print
language: Python
severity: warning
message: Printed.
note: Use a logger.
url: https://example.com/no-print
rule: {pattern: print($A)}
---
id: no-test
language: Go
rule: {pattern: panic($A)}
"""
TESTS = "id: no-print\nvalid:\n- log(1)\ninvalid:\n- print(1)\n"


@pytest.fixture
def ruled(workspace: Workspace) -> Workspace:
    workspace.write("selfreview.toml", 'rules_path = ["rules"]\n')
    workspace.write("rules/own.yml", OWN)
    workspace.write("rules/tests/own.yml", TESTS)
    return workspace


def test_all_rules_are_listed_with_who_has_them(ruled: Workspace) -> None:
    ran = ruled.selfreview("rule")
    lines = {line.split()[0]: line.split() for line in ran.out.splitlines()}
    assert ran.code == ExitCode.PASSED
    assert lines["python-eval"][1:3] == ["rules", "high"]
    assert lines["no-print"][1:4] == ["rules", "medium", "Printed."]
    assert {line[1] for line in lines.values()} == {"rules", "ruff", "secrets", "text", "gate"}


def test_every_page_says_what_it_is_and_how_to_let_it_be(ruled: Workspace) -> None:
    listed = ruled.selfreview("rule", "--format", "json").json
    names = [f"{rule['reviewer']}/{rule['id']}" for rule in listed]
    assert len(set(names)) == len(names) > 1000
    pages = ruled.selfreview("rule", *names).out
    assert pages.count("\nTurn it off\n") == len(names)
    for rule in listed:
        assert f"{rule['id']}  (reviewer {rule['reviewer']})" in pages


@pytest.mark.parametrize(
    ("rule", "where", "told"),
    [
        ("python-eval", "product", "high · security · Python · not in tests"),
        ("python-assert-constant", "tests", " · testing · Python · in tests alone"),
        ("python-yaml-load", "everywhere", "high · security · Python\n"),
    ],
)
def test_a_page_says_whether_a_rule_looks_at_tests(workspace: Workspace, rule: str, where: str, told: str) -> None:
    assert [found["where"] for found in workspace.selfreview("rule", rule, "--format", "json").json] == [where]
    assert told in workspace.selfreview("rule", rule).out


def test_one_is_explained(ruled: Workspace) -> None:
    page = ruled.selfreview("rule", "python-yaml-load").out
    for part in ("python-yaml-load  (reviewer rules)", "high · security · Python", "Instead", "ruff/S506"):
        assert part in page
    assert "\n  > data = yaml.load(stream)\n" in page
    assert "# selfreview: ignore[python-yaml-load] reason" in page
    assert 'ignore = ["python-yaml-load"]' in page
    assert 'per_file_ignores = { "tests/**" = ["python-yaml-load"] }' in page
    assert 'severity = { python-yaml-load = "low" }' in page
    own = ruled.selfreview("rule", "no-print").out
    for part in ("Printed.", "Use a logger.", "rules/own.yml:1", "https://example.com/no-print", "print(1)", "log(1)"):
        assert part in own
    unread = ruled.selfreview("rule", "line-too-long-to-review", "disguised-encoding").out
    assert unread.count('exclude = ["PATTERN"]') == 2
    assert " ignore = " not in unread
    assert "--accept FINGERPRINT" in ruled.selfreview("rule", "gate/suppression").out


def test_comments_for_other_tools_that_count_are_named(workspace: Workspace) -> None:
    page = workspace.selfreview("rule", "python-eval").out
    (line,) = (line for line in page.splitlines() if line.startswith("  other tools: "))
    for comment in ("# nosec B307", "# pylint: disable=eval-used", "# noqa: S307", "# nosemgrep: eval-detected"):
        assert comment in line
    workspace.write("a.py", "def f(a):\n    return eval(a)  # pylint: disable=eval-used\n")
    ran = workspace.selfreview("run", "--no-fix", "--reviewer", "rules", "--format", "json")
    assert [(issue["rule"], issue["status"]) for issue in ran.json["issues"]] == [("python-eval", "suppressed")]
    assert "other tools:" not in workspace.selfreview("rule", "private-key").out, "it is critical"


@pytest.mark.parametrize("tool", COMMENTS)
def test_each_comment_is_read_as_one_that_names_the_rule(tool: str) -> None:
    rule = {
        "bandit": "B307",
        "biome": "lint/security/noGlobalEval",
        "gosec": "G204",
        "ruff": "S307",
        "shellcheck": "SC2115",
        "rubocop": "Security/Eval",
    }.get(tool, "some-rule")
    comment = COMMENTS[tool].format(rule)
    marks = [(kind, mark) for kind, pattern in KINDS if (mark := pattern.search(comment))]
    assert f"{tool}/{rule}" in [name for kind, mark in marks for name in names_in(kind, mark)]


def test_a_page_names_only_ways_that_lead_somewhere(workspace: Workspace) -> None:
    page = workspace.selfreview("rule", "python-debug-print").out
    assert "milder:" not in page, "it is low already"
    assert '"legacy/**" = ["python-debug-print"]' in page, "it is not looked for in tests"
    page = workspace.selfreview("rule", "python-eval").out
    assert "milder:" in page


def test_an_unknown_name_is_an_error_with_what_was_meant(workspace: Workspace) -> None:
    for arguments, told in (
        (["B307"], "there is no rule 'B307'\nhint: did you mean 'rules/python-eval'?"),
        (["python-evel"], "there is no rule 'python-evel'\nhint: did you mean 'python-eval'?"),
        (["--reviewer", "ruf"], "there is no reviewer named 'ruf'\nhint: did you mean 'ruff'?"),
        (["--reviewer", "semgrep"], "the reviewer 'semgrep' does not list its rules"),
    ):
        ran = workspace.selfreview("rule", *arguments)
        assert (ran.code, told in ran.err) == (ExitCode.USAGE, True), ran


def test_only_one_reviewers_rules_are_listed(workspace: Workspace) -> None:
    listed = workspace.selfreview("rule", "--reviewer", "text", "--format", "json").json
    assert {rule["reviewer"] for rule in listed} == {"text"}


def test_the_examples_of_own_rules_are_tried(ruled: Workspace) -> None:
    ran = ruled.selfreview("rule", "--test", "no-print", "no-test")
    assert ran.code == ExitCode.PASSED, ran
    assert ran.out == "rules/own.yml:9: no-test has no test\n1 rule, 2 examples, 0 failed\n"


def test_an_example_that_fails_is_told_with_its_place(ruled: Workspace) -> None:
    ruled.write("rules/tests/own.yml", "# tests\nid: no-print\nvalid:\n- |\n  a = 1\n  print(a)\ninvalid:\n- log(1)\n")
    ran = ruled.selfreview("rule", "--test")
    assert ran.code == ExitCode.ISSUES
    assert "rules/tests/own.yml:2: rules/no-print: a bad example is not reported:\n    log(1)\n" in ran.out
    assert "a good example is reported in line 2:\n    a = 1\n    print(a)\n" in ran.out
    assert ran.out.endswith(" 2 failed\n")
    told = ruled.selfreview("rule", "--test", "no-print", "--format", "json")
    assert told.code == ExitCode.ISSUES
    assert [failure["place"] for failure in told.json["failures"]] == ["rules/tests/own.yml:2"] * 2
    assert (told.json["rules"], told.json["examples"], told.json["untested"]) == (1, 2, [])


def test_what_nobody_can_review_needs_no_test(workspace: Workspace) -> None:
    ran = workspace.selfreview("rule", "--test", "file-too-large-to-review")
    assert (ran.code, ran.out) == (ExitCode.PASSED, "0 rules, 0 examples, 0 failed\n")


def test_an_example_is_tried_whatever_files_its_rule_is_for(ruled: Workspace) -> None:
    ruled.write(
        "rules/own.yml", OWN.replace("rule: {pattern: print($A)}", "rule: {pattern: print($A)}\nfiles: [src/**]")
    )
    assert ruled.selfreview("rule", "--test", "no-print").code == ExitCode.PASSED


def test_one_that_is_off_is_not_tried(ruled: Workspace) -> None:
    ruled.write("rules/own.yml", OWN.replace("severity: warning", "severity: off"))
    ran = ruled.selfreview("rule", "--test", "no-print")
    assert (ran.code, ran.out) == (ExitCode.PASSED, "0 rules, 0 examples, 0 failed\n")


def test_it_works_outside_of_a_repository(workspace: Workspace, tmp_path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    ran = workspace.selfreview("rule", "python-eval", cwd=elsewhere)
    assert (ran.code, "python-eval  (reviewer rules)" in ran.out) == (ExitCode.PASSED, True)
