"""Plugins hear of each event where it is stored: not before, and of no other in between."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from selfreview.errors import ExitCode
from tests.cli.event_hooks import EventHooks
from tests.cli.refining.lab import Lab
from tests.conftest import Ran, Workspace


@pytest.fixture
def lab(workspace: Workspace) -> Lab:
    return Lab(workspace)


@pytest.fixture
def hooks(lab: Lab, tmp_path: Path) -> EventHooks:
    return EventHooks(tmp_path / "observers", lab.person.root)


def call(lab: Lab, hooks: EventHooks, *arguments: str, **environment: str) -> Ran:
    path = os.pathsep.join(given["PYTHONPATH"] for given in (lab.environment, hooks.environment))
    given = {**lab.environment, **hooks.environment, "PYTHONPATH": path, "SELFREVIEW_PLUGINS": "marks,event_observers"}
    return lab.person.selfreview(*arguments, **{**given, **environment})


def events(lab: Lab, kind: str) -> list[dict[str, Any]]:
    out = lab.call("events", "--kind", kind, "--format", "json").out
    return [json.loads(line) for line in out.splitlines()]


RUN = ("run", "--fixer", "agent-mine", "--format", "json")


def test_of_a_loop_that_passes(lab: Lab, hooks: EventHooks) -> None:
    assert call(lab, hooks, *RUN, "--apply").code == ExitCode.PASSED
    assert hooks.check() == {"state_changed": 5, "review_completed": 3, "refinement_completed": 1}


def test_of_a_loop_that_calls_a_person_and_of_one_who_takes_over(lab: Lab, hooks: EventHooks) -> None:
    lab.use("empty")
    assert call(lab, hooks, *RUN).code == ExitCode.ISSUES
    assert hooks.check()["ready_for_human"] == 1
    (escalated,) = events(lab, "session.escalated")
    assert escalated["data"]["why"]
    assert call(lab, hooks, "ready", "--reason", "good enough").code == ExitCode.PASSED
    assert hooks.check()["ready_for_human"] == 2
    (ready,) = events(lab, "session.ready_for_human")
    assert ready["data"]["summary"] == "good enough"


def test_of_errors_of_any_command(lab: Lab, hooks: EventHooks) -> None:
    assert call(lab, hooks, "run", "--no-fix", "--format", "json").code == ExitCode.ISSUES
    for arguments in (("run", "--base", "nowhere"), ("apply",), ("accept", "sr-nothing", "--reason", "known")):
        assert call(lab, hooks, *arguments).code == ExitCode.USAGE
    assert hooks.check()["error"] == 3
    run, apply, accept = events(lab, "error")
    assert [event["data"]["stage"] for event in (run, apply, accept)] == ["run", "apply", "accept"]
    assert "nowhere" in run["data"]["message"]
    assert (run["data"]["code"], run["session"]) == (ExitCode.USAGE, lab.session().id)
    assert run["item"]["branch"] == "work"
    assert "selfreview" in accept["data"]["hint"]
