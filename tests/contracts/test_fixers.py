"""Every fixer that comes with selfreview keeps the contract."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from typing import Any

import pytest

from selfreview.api import Edit, Issue
from selfreview.fixers import claude, command, mechanical
from selfreview.fixers.claude import ClaudeFixer
from selfreview.fixers.command import CommandFixer
from selfreview.fixers.mechanical import EditFixer
from selfreview.plugins.builtins import Builtins
from selfreview.reviewers import claude as reviewer
from selfreview.testing.context import MemoryConfig, default_config
from selfreview.testing.contracts import FixerContract
from selfreview.testing.fakes import FakeFixer
from selfreview.testing.fixing import FixBench
from selfreview.testing.messages import MessagesServer, RecordedRequest, Reply
from tests.fixers.talks import answer, edit, reports, says, told


class TestEdits(FixerContract):
    module = mechanical.__name__
    files = {"app.py": "import os\n\nprint(1)\n"}

    @pytest.fixture(params=["ruff", "rules"])
    def fixer(self, request: pytest.FixtureRequest):
        self.reviewer = request.param
        return EditFixer(self.reviewer)

    def issue(self, bench: FixBench) -> Issue:
        edit = Edit(line_start=1, column_start=0, line_end=2, column_end=0, replacement="")
        return bench.issue("app.py", 1, "unused import", reviewer=self.reviewer, evidence="import os", edits=[edit])


TOOL = """
import pathlib, sys
for name in sys.argv[1:]:
    path = pathlib.Path(name)
    path.write_bytes(path.read_bytes().replace(b"bad", b"good"))
"""


class TestCommand(FixerContract):
    module = command.__name__
    files = {"a.txt": "bad\n"}

    @pytest.fixture
    def fixer(self):
        table = {"run": ["tool"], "format": "sarif", "fix": [sys.executable, "-S", "-c", TOOL, "{files}"]}
        return CommandFixer("tool", table)

    def issue(self, bench: FixBench) -> Issue:
        return bench.issue("a.txt", 1, "bad", reviewer="tool")


class TestFake(FixerContract):
    files = {"a.txt": "bad\n"}

    @pytest.fixture
    def fixer(self):
        return FakeFixer(edits={"a.txt": lambda old: old.replace(b"bad", b"good")})

    def issue(self, bench: FixBench) -> Issue:
        return bench.issue("a.txt", 1, "bad")


def talk(request: RecordedRequest) -> Reply:
    """Answer as a model that mends ``a.txt`` and says what came of it."""
    ids = sorted(set(re.findall(r"sr-[0-9a-f]{8}", json.dumps(request.body["messages"]))))
    if request.body["messages"][-1]["role"] == "user" and not told(request):
        return says(edit("a.txt", "bad", "good"))
    failed = any(block.get("is_error") for block in told(request))
    return reports(*(answer(found, "not_addressed" if failed else "addressed") for found in ids))


class TestClaude(FixerContract):
    files = {"a.txt": "bad\n"}

    @pytest.fixture
    def config(self, monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, Any]]:
        monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-test-key")
        with MessagesServer(default=talk) as server:
            yield {**default_config(claude, reviewer), "claude.base_url": server.base_url}

    @pytest.fixture
    def fixer(self, config: dict[str, Any]):
        return ClaudeFixer(MemoryConfig(config))

    def issue(self, bench: FixBench) -> Issue:
        return bench.issue("a.txt", 1, "bad")


def test_none_is_forgotten() -> None:
    """A fixer among the built-ins has a class above; agents edit by themselves."""
    places = {m for m in Builtins().modules.values() if m.startswith("selfreview.fixers.")}
    modules = {place.partition(":")[0] for place in places}
    assert modules == {module.__name__ for module in (claude, command, mechanical)}
