"""What happens on a pull request is in the log, each at its point, and plugins hear of it there."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from selfreview.errors import ExitCode
from tests.cli.event_hooks import EventHooks
from tests.pullrequest.lab import Lab
from tests.pullrequest.stories import fix, suggest


@pytest.fixture
def hooks(lab: Lab, tmp_path: Path) -> EventHooks:
    return EventHooks(tmp_path / "observers", lab.workspace.root)


def events(lab: Lab, kind: str = "*") -> list[dict[str, Any]]:
    out = lab.workspace.selfreview("events", "--kind", kind, "--format", "json").out
    return [json.loads(line) for line in out.splitlines()]


def kinds(found: list[dict[str, Any]]) -> list[str]:
    return [event["kind"] for event in found]


def test_a_pull_request_that_is_opened_for_what_passed(lab: Lab, hooks: EventHooks) -> None:
    assert lab.workspace.selfreview("run").code == ExitCode.PASSED
    before = len(events(lab))
    assert lab.pr("create", **hooks.environment).code == ExitCode.PASSED
    (pull,) = lab.repository.pulls
    told = events(lab)[before:]
    assert kinds(told) == [
        "session.state_changed",
        "session.state_changed",
        "request.created",
        "default.used",
        "default.used",
        "session.ready_for_human",
    ]  # fmt: skip
    created, remote, base, ready = told[2:]
    assert (created["data"]["request"], created["data"]["url"]) == (pull.number, ready["item"]["requestUrl"])
    assert [(event["data"]["what"], event["data"]["value"]) for event in (remote, base)] == [
        ("remote", "origin"), ("base", "main"),
    ]  # fmt: skip
    assert (ready["data"]["request"], ready["data"]["url"]) == (pull.number, created["data"]["url"])
    assert "the self-review passed" in ready["data"]["summary"]
    assert {event["item"]["branch"] for event in told} == {"topic"}
    assert lab.pr("create").code == ExitCode.PASSED
    assert kinds(events(lab)).count("request.created") == 1


def test_a_pull_request_that_is_opened_by_force_is_not_ready(lab: Lab) -> None:
    assert lab.pr("create", "--force", "--reason", "a spike", "--base", "main").code == ExitCode.PASSED
    told = events(lab)
    assert "session.ready_for_human" not in kinds(told)
    assert [event["data"]["what"] for event in told if event["kind"] == "default.used"] == ["remote"]


def test_a_fix_cycle_that_leaves_nothing_open(lab: Lab, hooks: EventHooks) -> None:
    pull = lab.open()
    suggest(lab, pull)
    assert fix(lab, pull, **hooks.environment).code == ExitCode.PASSED
    assert {"feedback_received": 1, "ready_for_human": 1}.items() <= hooks.check().items()
    told = events(lab)
    order = [
        "feedback.received", "review.completed", "cycle.pushing", "cycle.pushed", "review.requested", "cycle.ended",
        "session.ready_for_human",
    ]  # fmt: skip
    assert [kind for kind in dict.fromkeys(kinds(told)) if kind in order] == order
    (received,) = [event for event in told if event["kind"] == "feedback.received"]
    (piece,) = received["data"]["pieces"]
    assert (piece["who"], piece["file"], piece["line"], piece["meaning"]) == ("rev", "app.py", 6, "suggestion")
    assert (received["data"]["request"], received["data"]["overall"]) == (pull.number, "ready_to_fix")
    assert received["item"]["requestUrl"] == received["data"]["url"]
    (asked,) = [event for event in told if event["kind"] == "review.requested"]
    assert asked["data"]["who"] == ["rev"]
    reviews = [event["data"] for event in told if event["kind"] == "review.completed"]
    assert [review["iteration"] for review in reviews] == [0, 1]
    fix(lab, pull)
    assert kinds(events(lab)).count("session.ready_for_human") == 1


def test_a_fix_cycle_that_calls_a_person(lab: Lab, hooks: EventHooks) -> None:
    pull = lab.open()
    pull.comment(lab.rev, "This whole approach is wrong, let us talk.")
    assert fix(lab, pull, **hooks.environment).code == ExitCode.ISSUES
    assert hooks.check()["ready_for_human"] == 1
    (escalated,) = events(lab, "session.escalated")
    assert escalated["data"]["why"]
    assert escalated["data"]["request"] == pull.number
    assert events(lab, "session.ready_for_human") == []


def test_a_working_tree_that_is_used_again(lab: Lab, tmp_path: Path) -> None:
    pull = lab.open()
    suggest(lab, pull)
    lab.workspace.git("switch", "--quiet", "main")
    tree = tmp_path / "tree"
    lab.workspace.git("worktree", "add", "--quiet", str(tree), "topic")
    fix(lab, pull)
    (reused,) = events(lab, "worktree.reused")
    assert (reused["data"]["path"], reused["item"]["worktree"]) == (str(tree), str(tree))


def test_a_cycle_that_fails_is_an_error_with_its_stage(lab: Lab, hooks: EventHooks) -> None:
    pull = lab.open()
    suggest(lab, pull)
    fix(lab, pull)
    lab.forge.fail("GET", "*", status=404, times=50)
    assert lab.pr("fix", str(pull.number), **hooks.environment).code not in (ExitCode.PASSED, ExitCode.ISSUES)
    assert hooks.check() == {"error": 1}
    (error,) = events(lab, "error")
    assert error["data"]["stage"] == "pr fix"
