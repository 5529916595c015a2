"""A call that asks for less than the files of settings do speaks for no branch: no session passes by it."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from itertools import chain
from pathlib import Path
from typing import Any

import pytest

from selfreview.app import weaker_request
from selfreview.errors import ExitCode
from tests.conftest import Workspace
from tests.rows import few

BAD = "def load(items=[]):\n    return eval(items)\n"
"""Ruff and the rules have something to say here, the text reviewer has not."""

SETTINGS = """
required_reviewers = ["ruff"]
severity_threshold = { default = "medium", style = "low" }
exclude = ["docs/**"]
max_issues = { total = 5 }
strict = true
rules_path = ["rules"]
"""

LESS: dict[str, tuple[Sequence[str], dict[str, str]]] = {
    "reviewers": (["-o", 'reviewers=["text"]', "-o", "required_reviewers=[]"], {}),
    "severity_threshold": (["--fail-on", "never"], {}),
    "max_issues": (["--max-issues", "6"], {}),
    "strict": (["-o", "strict=false"], {}),
    "exclude": (["-o", 'exclude=["docs/**", "src/**"]'], {}),
    "rules_path": (["-o", "rules_path=[]"], {}),
    "select": (["-o", "select=ruff"], {}),
    "ignore": (["-o", "ignore=python-eval"], {}),
    "per_file_ignores": (["-o", 'per_file_ignores={"*.py" = ["ruff"]}'], {}),
    "severity": (["-o", "severity.python-eval=low"], {}),
    "max_file_bytes": (["-o", "max_file_bytes=10"], {}),
    "baseline": (["-o", "baseline=other.toml"], {}),
    "base": (["--base", "HEAD"], {}),
    "plugins": (["-p", "no:rules"], {}),
}


def whole(workspace: Workspace) -> dict[str, Any]:
    return workspace.selfreview("status", "--format", "json").json


@pytest.fixture
def bad(workspace: Workspace) -> Workspace:
    workspace.commit("bad", **{"src/app.py": BAD, "selfreview.toml": SETTINGS, "rules/none.yml": "# none yet\n"})
    return workspace


@pytest.mark.parametrize("name", few([*LESS], "reviewers", "severity_threshold", "exclude", "base", "plugins"))
def test_what_asks_for_less_is_said_and_leaves_the_session_alone(bad: Workspace, name: str) -> None:
    args, env = LESS[name]
    ran = bad.selfreview("run", "--no-fix", "--format", "json", *args, **env)
    assert ran.json["scope"]["askedLess"], ran
    (note,) = [note for note in ran.json["notes"] if note.startswith("does not count as this branch's review")]
    assert f"{name} (" in note
    assert whole(bad)["session"] is None
    bad.review("--no-fix")
    before = whole(bad)
    assert before["session"]["state"] == "self_review_failed"
    bad.selfreview("run", "--no-fix", *args, **env)
    after = whole(bad)
    assert (after["session"]["state"], after["result"]["runId"]) == ("self_review_failed", before["result"]["runId"])


AS_MUCH = [
    ["--fail-on", "low"],
    ["--max-issues", "4"],
    ["--strict"],
    ["-o", "exclude=[]"],
    ["-o", "max_file_bytes=9000000"],
    ["-o", 'reviewers=["auto", "ruff"]'],
    ["-o", 'required_reviewers=["ruff", "text"]'],
    ["--base", "main~0"],
    ["--reviewer", "auto", "--reviewer", "ruff"],
    ["-o", "jobs=1", "-o", "color=never", "-o", "on_incomplete=warn"],
    ["-p", "no:notify-slack", "-p", "no:notify"],
    ["-p", "no:forge-github", "-p", "no:pullrequest"],
    ["-p", "no:fix-ruff", "-p", "no:html"],
]


@pytest.mark.parametrize(
    "args", few({"all of it": [*chain.from_iterable(AS_MUCH)]} | {" ".join(one): one for one in AS_MUCH}, "all of it")
)
def test_what_asks_for_as_much_or_more_counts(bad: Workspace, args: Sequence[str]) -> None:
    ran = bad.selfreview("run", "--no-fix", "--format", "json", *args)
    assert not ran.json["scope"]["askedLess"], ran
    assert whole(bad)["session"]["state"] == "self_review_failed"


def test_the_environment_is_a_part_of_the_call_and_files_of_settings_are_not(workspace: Workspace) -> None:
    workspace.commit("bad", **{"app.py": BAD})
    ran = workspace.selfreview("run", "--no-fix", "--format", "json", SELFREVIEW_SEVERITY_THRESHOLD="never")
    assert any("severity_threshold (env SELFREVIEW_SEVERITY_THRESHOLD)" in note for note in ran.json["notes"])
    assert whole(workspace)["session"] is None
    workspace.write("selfreview.toml", 'severity_threshold = "never"\n')
    assert workspace.review("--no-fix")["passed"]
    assert whole(workspace)["session"]["state"] == "self_review_passed"


def test_named_reviewers_leave_the_session_alone_and_concise_says_what_was_less(bad: Workspace) -> None:
    assert bad.selfreview("run", "--no-fix", "--reviewer", "text").code == ExitCode.PASSED
    assert whole(bad)["session"] is None
    assert "pass, no issues in a part of it;" in bad.selfreview("status").out
    assert "does not count as this branch's review" in bad.selfreview("run", "--fail-on", "never", "-f", "concise").out
    assert "1 file with weaker options than the settings;" in bad.selfreview("status").out


def test_checks_that_named_reviewers_leave_out_are_missed_and_the_automatic_set_leaves_none_out(
    workspace: Workspace,
) -> None:
    workspace.commit("clean", **{"app.py": "LIMIT = 3\n", "selfreview.toml": '[checks]\nfine = "true"\n'})
    assert workspace.selfreview("trust").code == ExitCode.PASSED
    text = ["ruff", "rules", "secrets", "text", "shellcheck", "hadolint", "zizmor"]
    ran = workspace.selfreview("run", "--format", "json", *(f"--reviewer={name}" for name in text))
    assert any("checks (left out by --reviewer)" in note for note in ran.json["notes"])
    ran = workspace.selfreview("run", "--format", "json", "--reviewer", "auto", "--reviewer", "text")
    assert "check-fine" in [report["name"] for report in ran.json["reviewers"]]
    assert whole(workspace)["session"]["state"] == "self_review_passed"


def test_a_branch_on_another_one_is_reviewed_against_that(workspace: Workspace) -> None:
    workspace.commit("bad", **{"app.py": BAD})
    workspace.git("switch", "-q", "-c", "next")
    workspace.commit("clean", **{"more.py": "LIMIT = 3\n"})
    assert workspace.review("--base", "work")["passed"]
    assert whole(workspace)["session"]["state"] == "self_review_passed"
    ran = workspace.review("--base", "HEAD~1")
    assert (ran["passed"], ran["scope"]["askedLess"]) == (True, True)


def test_a_gate_that_accepts_or_asks_for_less_is_not_what_status_tells_of(bad: Workspace) -> None:
    bad.git("branch", "-f", "main", "HEAD~1")
    reviewed = bad.review("--no-fix")
    failed, marks = reviewed["runId"], [issue["fingerprint"] for issue in reviewed["issues"]]
    for args in (["--fail-on", "never"], [f"--accept={mark}" for mark in marks]):
        ran = bad.selfreview("gate", "--base", "main", "--format", "json", *args)
        assert (ran.code, ran.json["scope"]["askedLess"]) == (ExitCode.PASSED, True), ran
        assert not [note for note in ran.json["notes"] if note.startswith("does not count")]
        assert whole(bad)["result"]["runId"] == failed


MODEL = """
reviewers = ["auto", "claude", "lint"]
[claude]
effort = "thorough"
[command.lint]
run = ["true"]
format = "sarif"
"""


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["--offline"], "offline (command line)"),
        (["--effort", "quick"], "claude.effort (command line)"),
        (["-o", 'command.lint.run=["false"]'], "command (selfreview.toml:"),
        (["-p", "no:claude"], "plugins (no:claude)"),
        (["--effort", "thorough"], ""),
    ],
    ids=" ".join,
)
def test_a_model_that_is_asked_less_or_not_at_all_is_missed(
    workspace: Workspace, args: Sequence[str], said: str
) -> None:
    workspace.commit("clean", **{"app.py": "LIMIT = 3\n", "selfreview.toml": MODEL})
    more = ["-o", 'reviewers=["auto", "lint"]'] if args == ["-p", "no:claude"] else []
    ran = workspace.selfreview("run", "--no-fix", "--format", "json", *args, *more)
    notes = [note for note in ran.json["notes"] if note.startswith("does not count as this branch's review")]
    assert (bool(notes), said in "".join(notes)) == (bool(said), True), ran


def test_the_keys_that_are_looked_at_are_those_that_the_documentation_names() -> None:
    tree = ast.parse(Path(weaker_request.__file__).read_text(encoding="utf-8"))
    yielded = {text for node in ast.walk(tree) if isinstance(node, ast.Yield) for text in _first_texts(node.value)}
    named = {*yielded, *weaker_request.TABLES, *weaker_request.SELECTION} - {"plugins"}
    page = (Path(__file__).parents[2] / "docs/explanation/refinement.md").read_text(encoding="utf-8")
    paragraph = page[page.index("Looked at are ") :].partition("; a value that is stricter")[0]
    assert set(re.findall(r"`([^`]+)`", paragraph)) == named


def _first_texts(node: ast.AST | None) -> set[str]:
    """Return the texts that an expression gives, each without what stands in brackets behind it."""
    texts = [one.value for one in ast.walk(node) if isinstance(one, ast.Constant)] if node is not None else []
    return {text.partition(" (")[0] for text in texts if isinstance(text, str)} - {")"}
