"""An issue that several reviewers report is one, whichever of them reports it this time."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from selfreview.errors import ExitCode
from tests.conftest import Workspace

DATA = Path(__file__).with_name("data") / "identity"
"""A store in which ``python-or-literal`` is accepted, and a baseline, both of :data:`CHECK`, as they were written while
the digits of fingerprints decided which duplicate stays. They are never made anew."""
CHECK = """\
def check(x):
    if not x in (1, 2, 3):
        return 1
    if x == "a" or "b":
        return 2
    return 0
"""
BESIDE = CHECK.replace("        return 1\n", "        return 7\n")
BOTH = ("SIM222", "python-or-literal")


def statuses(space: Workspace, *rules: str, **env: str) -> dict[str, str]:
    issues = space.review("--no-fix", "--fail-on", "low", **env)["issues"]
    return {issue["rule"]: issue["status"] for issue in issues if not rules or issue["rule"] in rules}


ADJACENT = """\
def check(x):
    ok = not x in (1, 2, 3)
    if x == "a" or "{name}":
        return ok
    return 0
"""
BETWEEN = """\
def load(x):
    if not x in (1, 2, 3):
        assert (x, "no")
    if x == "a" or "b":
        assert (x, "no")
"""


@pytest.mark.parametrize(
    ("text", "mended"),
    [
        (ADJACENT.format(name="valid"), ["E713"]),  # their first duplicates were another one before and after
        (ADJACENT.format(name="parse"), ["E713"]),
        (BETWEEN, ["E713", "python-assert-tuple", "python-assert-tuple"]),
    ],
)
def test_an_edit_beside_an_issue_mends_it_for_none_of_its_reviewers(
    workspace: Workspace, text: str, mended: list[str]
) -> None:
    workspace.write("app.py", text)
    result = workspace.review("--apply", "--fail-on", "low")
    (iteration,) = result["iterations"]
    assert sorted(issue["rule"] for issue in iteration["addressed"]) == mended
    assert iteration["refinement"]["newIssuesIntroduced"] == []
    left = [issue["id"] for issue in result["issues"] if issue["status"] == "open"]
    assert iteration["refinement"]["unaddressedIssueIds"] == left


PLUGIN = """
from selfreview.api import *

class Looks:
    depth, default = Depth.STATIC, True

    def __init__(self, name, what):
        self.name, self.what = name, what

    def selects(self, file):
        return file.path == "app.txt"

    def cache_key(self, context):
        return None

    def review(self, files, context):
        return Review(findings=[
            Finding(file=file.path, line_start=number, severity=Severity(severity), category=Category.LOGIC,
                    description=words, rule=rule)
            for file in files
            for number, line in enumerate(context.text(file).lines, 1)
            for mark, rule, severity, words in self.what
            if mark in line
        ])

class Mends:
    name, is_mechanical = "mends", True

    def takes(self, issue, config):
        return issue.rule == "draft"

    def fix(self, request, context):
        path = context.root / "app.txt"
        path.write_text(path.read_text().replace("draft: ", ""))
        return Fix(answers=[FixAnswer(issue=one.id, outcome=FixOutcome.ADDRESSED) for one in request.issues])

@hookimpl
def selfreview_register_reviewers(registry):
    registry.add(Looks("alpha", [("draft", "draft", "medium", "this is a draft"),
                                 ("draft: total", "sum", "medium", "the total counts one twice")]))
    registry.add(Looks("beta", [("total", "addition", "medium", "one counts twice in the total"),
                                ("=worse", "worst", "high", "this counts one item twice, and loses it")]))
    registry.add(Looks("gamma", [("worse", "less", "medium", "this counts one item twice")]))

@hookimpl
def selfreview_register_fixers(registry):
    registry.add(Mends())
"""


def refined(space: Workspace, text: str) -> tuple[Any, Any]:
    name = space.plugin(PLUGIN, name="looks")
    space.write("app.txt", text)
    env = {"PYTHONPATH": str(space.root.parent / "plugins")}
    ran = space.selfreview("run", "-p", name, "--apply", "--format", "json", **env)
    return ran.json, ran.json["iterations"][0]


def test_an_issue_that_one_of_its_reviewers_says_no_more_is_still_open(workspace: Workspace) -> None:
    result, iteration = refined(workspace, "draft: total = 1\n")
    assert sorted(issue["rule"] for issue in iteration["addressed"]) == ["draft"]
    (left,) = (issue for issue in result["issues"] if issue["status"] == "open")
    assert left["rule"] == "addition"
    assert iteration["refinement"]["unaddressedIssueIds"] == [left["id"]]
    assert iteration["refinement"]["newIssuesIntroduced"] == []


def test_a_worse_issue_is_new_though_what_was_there_is_merged_into_it(workspace: Workspace) -> None:
    result, iteration = refined(workspace, "x =draft: worse\n")
    after = {issue["rule"]: issue for issue in iteration["review"]["issues"]}
    assert {rule: issue["status"] for rule, issue in after.items()} == {"worst": "open", "less": "duplicate"}
    assert [issue["rule"] for issue in iteration["addressed"]] == ["draft"]
    assert iteration["refinement"]["newIssuesIntroduced"] == [after["worst"]["id"]]
    assert (result["passed"], result["patch"]["applied"]) == (False, False)
    assert result["patch"]["reason"].endswith("1 new would block")


def test_what_was_accepted_as_one_stays_so_after_every_edit_beside_it(workspace: Workspace) -> None:
    workspace.write("app.py", CHECK)
    statuses(workspace)
    assert workspace.selfreview("accept", "python-or-literal", "--reason", "meant so").code == ExitCode.PASSED
    for number in range(3, 6):
        workspace.write("app.py", CHECK.replace("return 2", f"return {number}"))
        for _ in range(2):
            assert sorted(statuses(workspace, *BOTH).values()) == ["accepted", "duplicate"]


@pytest.mark.parametrize(("first", "second"), [("rules", "ruff"), ("ruff", "rules")])
def test_a_baseline_knows_an_issue_that_another_reviewer_reports_as_well(
    workspace: Workspace, first: str, second: str
) -> None:
    workspace.write("app.py", CHECK)
    workspace.write("pyproject.toml", f'[tool.selfreview]\nreviewers = ["{first}"]\n')
    workspace.selfreview("baseline", "create", "--reason", "older than the gate", "--fail-on", "low")
    workspace.write("pyproject.toml", f'[tool.selfreview]\nreviewers = ["{first}", "{second}"]\n')
    assert sorted(statuses(workspace, *BOTH).values()) == ["baselined", "duplicate"]


def test_an_entry_covers_nothing_worse_that_its_issue_is_merged_into(workspace: Workspace) -> None:
    query = 'def find(db, name):\n    return db.execute("SELECT id FROM users WHERE name = \'" + name + "\'")\n'
    workspace.write("app.py", query)
    workspace.write("pyproject.toml", '[tool.selfreview]\nreviewers = ["ruff"]\n')
    workspace.selfreview("baseline", "create", "--reason", "older than the gate", "--fail-on", "low")
    assert statuses(workspace, "S608") == {"S608": "baselined"}
    workspace.write("pyproject.toml", '[tool.selfreview]\nreviewers = ["ruff", "rules"]\n')
    issues = workspace.review("--no-fix")["issues"]
    assert [(issue["rule"], issue["severity"]) for issue in issues if issue["status"] == "open"] == [
        ("python-sql-injection", "high")
    ]


@pytest.fixture
def earlier(workspace: Workspace) -> Workspace:
    """A branch that the version before reviewed, and one of whose issues was accepted with it."""
    folder = workspace.root / ".git" / "selfreview"
    folder.mkdir()
    with closing(sqlite3.connect(folder / "store.db")) as connection:
        connection.executescript((DATA / "store.sql").read_text("utf-8").replace("/path/to/repo", str(workspace.root)))
    workspace.write("app.py", CHECK)
    return workspace


@pytest.mark.parametrize("text", [CHECK, "\n\n" + CHECK, BESIDE])
def test_what_the_version_before_accepted_stays_accepted(earlier: Workspace, text: str) -> None:
    earlier.write("app.py", text)
    for _ in range(2):
        assert statuses(earlier) == {"E713": "open", "SIM222": "accepted", "python-or-literal": "duplicate"}
    assert earlier.selfreview("accept", "--withdraw", "python-or-literal").code == ExitCode.PASSED
    assert statuses(earlier) == {"E713": "open", "SIM222": "open", "python-or-literal": "duplicate"}


def test_what_the_version_before_saw_is_known_by_its_id_with_its_history(earlier: Workspace) -> None:
    statuses(earlier)
    for name in ("sr-3063dd5b", "sr-edd1dc4f", "sr-aa771e0d"):
        shown = earlier.selfreview("show", name, "--format", "json").json
        assert shown["issue"]["id"] == name
        assert (shown["history"]["firstRun"], shown["history"]["runs"]) == ("r-20261129-090335-4428", 2)


@pytest.mark.parametrize("text", [CHECK, "\n\n" + CHECK, BESIDE])
def test_what_the_version_before_entered_stays_known(workspace: Workspace, text: str) -> None:
    workspace.write("app.py", text)
    workspace.write("selfreview-baseline.toml", (DATA / "selfreview-baseline.toml").read_bytes())
    assert statuses(workspace) == {"E713": "baselined", "SIM222": "baselined", "python-or-literal": "duplicate"}
    pruned = workspace.selfreview("baseline", "prune")
    assert pruned.out.startswith("0 entries removed, 3 remain")
