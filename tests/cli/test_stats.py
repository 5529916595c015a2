"""``selfreview stats``: numbers through the command line, on a terminal, as JSON and as a file."""

from __future__ import annotations

import json
from typing import Any

import pytest

from selfreview.errors import ExitCode
from selfreview.model.issue import Category, IssueStatus, Severity
from selfreview.model.usage import Usage
from selfreview.store import Store
from selfreview.store.database import Database
from tests.cli.refining.lab import Lab
from tests.conftest import Workspace
from tests.store.builders import make_issue, make_result


@pytest.fixture
def lab(workspace: Workspace) -> Lab:
    return Lab(workspace)


def stored(workspace: Workspace) -> Store:
    return Store.open(workspace.root / ".git" / "selfreview")


def numbers(lab: Lab, *arguments: str) -> dict[str, Any]:
    said = lab.call("stats", "--format", "json", *arguments)
    assert said.code == ExitCode.PASSED, said
    found: dict[str, Any] = json.loads(said.out)
    return found


def test_runs_are_counted_with_what_they_caught_and_fixed(lab: Lab) -> None:
    assert "no review yet" in lab.call("stats").out
    assert lab.refine("--apply").code == ExitCode.PASSED
    found = numbers(lab)
    assert (found["reviews"], found["firstReviews"], found["firstPassed"]) == (1, 1, 0)
    fixed = sum(rule["fixed"] for rule in found["rules"])
    assert fixed == sum(found["fixes"].values()) > 0
    assert sum(rule["issues"] for rule in found["rules"]) == sum(one["issues"] for one in found["issues"])
    assert found["minutesSaved"] == 5 * fixed
    assert numbers(lab, "-o", "stats_minutes_per_fix=2")["minutesSaved"] == 2 * fixed


def test_a_terminal_shows_what_is_common_what_is_noise_and_what_it_cost(workspace: Workspace, lab: Lab) -> None:
    noisy = [
        make_issue(f"v1:aa{n}", status=IssueStatus.SUPPRESSED if n else IssueStatus.ACCEPTED, rule="loud")
        for n in range(3)
    ]
    other = make_issue("v1:bb", category=Category.SECURITY, severity=Severity.LOW, rule="quiet")
    result = make_result(*noisy, other)
    result.usage = Usage(requests=1, input_tokens=1200, output_tokens=30, cost_usd=0.5)
    result.duration_ms = 1500
    with stored(workspace) as store:
        store.add_result(result)
    text = lab.call("stats").out
    for line in (
        "reviews   1 of 1 branch; half took at most 1.5s, nine of ten 1.5s",
        "first     0 of 1 passed at the first review (0 %)",
        "models    reviewers: 1,200 tokens in, 30 out, $0.50",
        "  logic     3  ###  3 high",
        "  security  1  #    1 low",
        "  rules/loud   3  ###  1 accepted, 2 suppressed",
        "  rules/quiet  1  #    1 open",
        "  rules/loud: 3 of 3 suppressed, accepted or refuted; to turn it off: ignore",
        "(selfreview rule loud)",
    ):
        assert line in text, text
    assert "2026-11-23  4  ####  3 logic, 1 security in 1 review; 1,200 tokens in" in text


def test_since_and_branch_leave_out_the_rest(workspace: Workspace, lab: Lab) -> None:
    with stored(workspace) as store:
        store.add_result(make_result(make_issue("v1:aa"), timestamp="2026-10-01T00:00:00Z"))
        store.add_result(make_result(make_issue("v1:bb"), timestamp="2026-11-01T00:00:00Z", branch="other"))
    assert numbers(lab)["reviews"] == 2
    assert [one["reviews"] for one in (numbers(lab, "--since", "2026-10-15"), numbers(lab, "--branch", "main"))] == [
        1,
        1,
    ]
    assert "no review to count" in lab.call("stats", "--branch", "none").out
    refused = lab.call("stats", "--since", "soon")
    assert (refused.code, "'soon' is no time" in refused.err) == (ExitCode.USAGE, True)


def test_an_export_is_a_file_beside_the_store(workspace: Workspace, lab: Lab) -> None:
    with stored(workspace) as store:
        store.add_result(make_result(make_issue()))
    said = lab.call("stats", "--format", "json", "--export")
    path = workspace.root / ".git" / "selfreview" / "analytics" / "review-loop.json"
    assert path.read_text("utf-8") == said.out
    assert f"written to {path}" in said.err


def test_reading_numbers_creates_nothing(workspace: Workspace, lab: Lab) -> None:
    lab.call("stats")
    assert not (workspace.root / ".git" / "selfreview").exists()


def test_control_characters_of_names_are_shown(workspace: Workspace, lab: Lab) -> None:
    with stored(workspace) as store:
        store.add_result(make_result(make_issue(rule="\x1b[2Jeval", reviewer="ru\u202eles")))
    assert not {"\x1b", "\u202e"} & set(lab.call("stats").out)


def test_a_pruned_run_and_its_issues_are_told_of(workspace: Workspace, lab: Lab) -> None:
    folder = workspace.root / ".git" / "selfreview"
    with Store(Database(folder / "store.db"), keep_runs=1) as store:
        gone = store.add_result(make_result(make_issue("v1:aa11")))
        kept = store.add_result(make_result(timestamp="2026-11-28T21:00:00Z"))
    told = f"the run {gone} of 2026-11-27 was pruned: not passed, 1 open issue"
    for arguments in (("report", "--run", gone), ("show", "--iteration", "1", gone)):
        said = lab.call(*arguments)
        assert (said.code, told in said.err) == (ExitCode.USAGE, True), said
    said = lab.call("show", "sr-aa11")
    assert "endless-loop of rules, high, last seen on 2026-11-27 on main: gone" in said.err
    newest, oldest = lab.call("history").out.splitlines()[1:]
    assert newest.startswith(kept)
    assert (oldest.startswith(gone), "(pruned)  needs_work  1 high" in oldest) == (True, True)
    runs = json.loads(lab.call("history", "--format", "json").out)["runs"]
    assert [(run["runId"], run.get("pruned", False), run["counts"]["high"]) for run in runs] == [
        (kept, False, 0),
        (gone, True, 1),
    ]
    assert set(runs[0]) < set(runs[1])
    assert lab.call("history", "--limit", "1").out.count("r-2026") == 1
