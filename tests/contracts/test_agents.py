"""Every agent that comes with selfreview keeps the contract."""

from __future__ import annotations

import json

import pytest

from selfreview.agents.claude import ClaudeAgent
from selfreview.agents.codex import CodexAgent
from selfreview.agents.command import CommandAgent
from selfreview.agents.gemini import GeminiAgent
from selfreview.agents.opencode import OpenCodeAgent
from selfreview.plugins.builtins import Builtins
from selfreview.testing.contracts import AgentContract
from selfreview.testing.fakes import FakeAgent


class TestClaude(AgentContract):
    @pytest.fixture
    def agent(self):
        return ClaudeAgent()

    def output(self, text: str) -> bytes:
        return json.dumps({"type": "result", "subtype": "success", "is_error": False, "result": text}).encode()


class TestCodex(AgentContract):
    @pytest.fixture
    def agent(self):
        return CodexAgent()

    def output(self, text: str) -> bytes:
        return b"\n".join(self.event(said) for said in ("", text, " "))  # only the last that says something counts

    def event(self, text: str) -> bytes:
        item = {"type": "agent_message", "text": text}
        return json.dumps({"type": "item.completed", "item": item}, ensure_ascii=False).encode()


class TestGemini(AgentContract):
    @pytest.fixture
    def agent(self):
        return GeminiAgent()

    def output(self, text: str) -> bytes:
        return json.dumps({"response": text, "stats": {}}).encode()


class TestOpencode(AgentContract):
    @pytest.fixture
    def agent(self):
        return OpenCodeAgent()

    def output(self, text: str) -> bytes:
        parts = [{"type": "text", "text": said} for said in ("", text)]
        return b"\n".join(json.dumps({"type": "text", "part": part}, ensure_ascii=False).encode() for part in parts)


class TestCommand(AgentContract):
    @pytest.fixture
    def agent(self):
        return CommandAgent("mine", {"run": ["mine", "--ask"], "env": ["MINE_KEY"]})


class TestCommandThatPrintsJson(AgentContract):
    @pytest.fixture
    def agent(self):
        return CommandAgent("mine", {"run": ["mine"], "format": "json", "field": "said"})

    def output(self, text: str) -> bytes:
        return json.dumps({"said": text}).encode()


class TestFake(AgentContract):
    @pytest.fixture
    def agent(self, tmp_path):
        return FakeAgent(tmp_path)


def test_none_is_forgotten() -> None:
    """An agent among the built-ins has a class above."""
    modules = [m for m in Builtins().modules.values() if m.startswith("selfreview.agents.")]
    assert {f"Test{module.rpartition('.')[2].capitalize()}" for module in modules} <= set(globals())
