"""The table of agents in the guide is what the code and CI go by."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from selfreview.agents.claude import ClaudeAgent
from selfreview.agents.codex import CodexAgent
from selfreview.agents.gemini import GeminiAgent
from selfreview.agents.opencode import OpenCodeAgent
from selfreview.api import Agent
from tests.agents.conftest import row_of

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("agent", [ClaudeAgent(), CodexAgent(), GeminiAgent(), OpenCodeAgent()], ids=lambda a: a.name)
def test_the_guide_names_what_is_installed_and_tested(agent: Agent) -> None:
    install, oldest, newest, *_ = row_of(agent.name)
    assert install.replace("`", "") == agent.install  # type: ignore[attr-defined]
    assert oldest == agent.oldest  # type: ignore[attr-defined]
    package = agent.install.split()[-1]  # type: ignore[attr-defined]
    installed = ROOT.joinpath(".ci/run").read_text()
    assert f" {package}@{newest}" in installed
    assert f" {package}@{oldest}" in installed


@pytest.mark.parametrize("agent", [ClaudeAgent(), CodexAgent(), GeminiAgent(), OpenCodeAgent()], ids=lambda a: a.name)
def test_the_page_on_trust_names_those_that_the_system_does_not_hold(agent: Agent) -> None:
    page = ROOT.joinpath("docs/explanation/trust.md").read_text()
    assert (f"| `agent-{agent.name}` on Linux |" in page) == getattr(agent, "sandboxes", False)
    assert re.search(rf"^\| `{agent.name}` \| ", page, re.M)
