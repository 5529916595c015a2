"""Every reviewer that comes with selfreview keeps the contract."""

from __future__ import annotations

import sys
from collections.abc import Iterator

import pytest

from selfreview.plugins.builtins import Builtins
from selfreview.reviewers import hadolint, shellcheck, zizmor
from selfreview.reviewers.agents import AgentReviewer
from selfreview.reviewers.claude import ClaudeReviewer
from selfreview.reviewers.command import CommandReviewer
from selfreview.reviewers.gate import GateReviewer
from selfreview.reviewers.ruff import RuffReviewer
from selfreview.reviewers.rules import RulesReviewer
from selfreview.reviewers.secrets import SecretsReviewer
from selfreview.reviewers.semgrep import SemgrepReviewer
from selfreview.reviewers.text import TextReviewer
from selfreview.reviewers.tools.reviewer import ToolReviewer
from selfreview.testing.context import MemoryConfig, default_config
from selfreview.testing.contracts import ReviewerContract
from selfreview.testing.fakes import FakeAgent, FakeReviewer, finding
from selfreview.testing.messages import MessagesServer

TOKEN = "ghp_" + "a1B2c3D4e5F6g7H8i9J0" * 2


class TestRuff(ReviewerContract):
    sample = "print(missing)\n"

    @pytest.fixture
    def reviewer(self):
        return RuffReviewer()


class TestRules(ReviewerContract):
    sample = "import subprocess\n\n\ndef f(x):\n    subprocess.run(f'ls {x}', shell=True)\n"

    @pytest.fixture
    def reviewer(self):
        return RulesReviewer()


class TestSecrets(ReviewerContract):
    sample = f"TOKEN = '{TOKEN}'\n"

    @pytest.fixture
    def reviewer(self):
        return SecretsReviewer()


class TestText(ReviewerContract):
    sample = "<<<<<<< ours\na\n=======\nb\n>>>>>>> theirs\n"

    @pytest.fixture
    def reviewer(self):
        return TextReviewer()


class TestShellcheck(ReviewerContract):
    path = "bin/run.sh"
    sample = '#!/bin/sh\nrm -rf "$D/"*\n'

    @pytest.fixture
    def reviewer(self):
        return ToolReviewer(shellcheck.RECORD)


class TestHadolint(ReviewerContract):
    path = "Dockerfile"
    sample = "FROM ubuntu\nRUN sudo true\n"

    @pytest.fixture
    def reviewer(self):
        return ToolReviewer(hadolint.RECORD)


class TestZizmor(ReviewerContract):
    path = ".github/workflows/a.yml"
    sample = (
        "on: push\npermissions: {}\njobs:\n  x:\n    runs-on: ubuntu-latest\n    steps:\n"
        "      - run: echo ${{ github.event.pull_request.title }}\n"
    )

    @pytest.fixture
    def reviewer(self):
        return ToolReviewer(zizmor.RECORD)


class TestSemgrep(ReviewerContract):
    @pytest.fixture
    def reviewer(self):
        return SemgrepReviewer()


class TestGate(ReviewerContract):
    sample = "import os  # noqa\n"

    @pytest.fixture
    def reviewer(self):
        return GateReviewer(lenient=False)


FIRST_LINES = """
import json, sys
places = [{"path": name, "range": {"start": {"line": 1}}} for name in sys.argv[1:]]
print(json.dumps({"diagnostics": [{"message": "a first line", "location": place} for place in places]}))
"""


class TestCommand(ReviewerContract):
    sample = "x = 1\n"

    @pytest.fixture
    def reviewer(self):
        run = [sys.executable, "-S", "-c", FIRST_LINES, "{files}"]
        return CommandReviewer("tool", {"run": run, "format": "rdjson", "files": ["*.py"]})


class TestClaude(ReviewerContract):
    @pytest.fixture
    def config(self, monkeypatch: pytest.MonkeyPatch) -> Iterator[dict]:
        monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-test-key")
        with MessagesServer(default='{"issues": [], "summary": "Fine.", "verdict": "pass"}') as server:
            module = sys.modules[ClaudeReviewer.__module__]
            yield {**default_config(module), "claude.base_url": server.base_url, "claude.effort": "quick"}

    @pytest.fixture
    def reviewer(self, config):
        return ClaudeReviewer(MemoryConfig(config))


class TestAgent(ReviewerContract):
    test_odd_content_is_reviewed_or_named = None  # what is sent is made as for the model: once is enough

    @pytest.fixture
    def config(self):
        return default_config()

    @pytest.fixture
    def reviewer(self, config, tmp_path):
        answer = '{"issues": [], "summary": "Fine.", "verdict": "pass"}'
        return AgentReviewer(FakeAgent(tmp_path, answer=answer), MemoryConfig(config))


class TestFake(ReviewerContract):
    sample = "x = 1\n"

    @pytest.fixture
    def reviewer(self):
        return FakeReviewer(findings=lambda file, context: [finding(file.path, 1)] if file.added else [])


def test_none_is_forgotten() -> None:
    """A reviewer among the built-ins has a class above."""
    tested = {"Ruff", "Rules", "Secrets", "Text", "Command", "Shellcheck", "Hadolint", "Zizmor", "Semgrep", "Claude"}
    modules = [m for m in Builtins().modules.values() if m.startswith("selfreview.reviewers.")]
    assert {module.rpartition(".")[2].capitalize() for module in modules} == tested
    assert {f"Test{name}" for name in tested} <= set(globals())
