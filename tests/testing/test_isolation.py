"""Tests see neither the CI that they run in nor the keys of who runs them."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from selfreview.agents.claude import ClaudeAgent
from selfreview.agents.codex import CodexAgent
from selfreview.agents.gemini import GeminiAgent
from selfreview.agents.opencode import OpenCodeAgent
from selfreview.testing.isolation import isolate
from selfreview.testing.workspace import Workspace

AGENTS = (ClaudeAgent, CodexAgent, GeminiAgent, OpenCodeAgent)
KEYS = sorted({name for agent in AGENTS for name in agent.variables})
OTHERS = [
    *("AWS_PROFILE", "CLOUD_ML_REGION", "CI", "NO_COLOR", "FORCE_COLOR", "CI_MERGE_REQUEST_IID", "GITLAB_CI"),
    *("GITHUB_ACTIONS", "GITHUB_STEP_SUMMARY", "RUNNER_TEMP", "ACTIONS_RUNTIME_TOKEN"),
]


@pytest.fixture
def patch(tmp_path: Path) -> Iterator[pytest.MonkeyPatch]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HOME", str(tmp_path))
        yield patch


@pytest.mark.parametrize("name", KEYS + OTHERS)
def test_what_is_the_machines_is_gone_until_the_test_is_over(
    name: str, patch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    patch.setenv(name, "of the machine")
    with pytest.MonkeyPatch.context() as inner:
        isolate(inner, tmp_path)
        assert name not in os.environ
    assert os.environ[name] == "of the machine"


@pytest.mark.parametrize("name", ["CIRCLE", "NO_COLORS", "PATH"])
def test_what_only_sounds_like_it_stays(name: str, patch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    patch.setenv(name, "another")
    isolate(patch, tmp_path)
    assert os.environ[name] == "another"


def test_in_a_job_of_a_ci_the_workspace_is_in_none(
    selfreview_workspace: Workspace, patch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    event, summary = tmp_path / "event.json", tmp_path / "summary.md"
    event.write_text(json.dumps({"pull_request": {"base": {"ref": "main", "sha": "1" * 40}}}), encoding="utf-8")
    summary.touch()
    patch.setenv("GITHUB_ACTIONS", "true")
    patch.setenv("GITHUB_EVENT_PATH", str(event))
    patch.setenv("GITHUB_STEP_SUMMARY", str(summary))
    isolate(patch, tmp_path)
    selfreview_workspace.write("app.py", "x = 1\n")
    selfreview_workspace.stage("app.py")
    selfreview_workspace.commit("next")
    done = selfreview_workspace.run_inprocess("gate", "--base", "main", "--format", "github")
    assert done.exit_code == 0, done.stdout + done.stderr
    assert summary.read_text(encoding="utf-8") == ""
