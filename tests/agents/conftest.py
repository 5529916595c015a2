"""The coding agents themselves, started through the command line against a scripted model."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from tests.agents.server import ModelServer, Step
from tests.conftest import Ran, Workspace

CODE = "def mean(values):\n    return sum(values) / len(values)\n"
MENDED = "def mean(values):\n    return sum(values) / max(len(values), 1)\n"
ISSUE = {
    "file": "app.py",
    "lineStart": 2,
    "lineEnd": 2,
    "evidence": "    return sum(values) / len(values)",
    "failure": "values is empty -> ZeroDivisionError -> should be 0",
    "description": "Divides by zero for an empty list.",
    "severity": "high",
    "category": "logic",
    "suggestedFix": "Divide by at least 1.",
    "confidence": 0.9,
}
FOUND = json.dumps({"issues": [ISSUE], "summary": "One defect.", "verdict": "needs_work"})
CLEAN = json.dumps({"issues": [], "summary": "Fine.", "verdict": "pass"})


class Installed:
    """A change to review, a home of its own, and the programs of a folder.

    Args:
        workspace: The repository.
        programs: Folder with ``claude``, ``codex``, ``gemini`` and ``opencode``.
        home: The agents' home folder; no other is theirs.
    """

    def __init__(self, workspace: Workspace, programs: Path, home: Path) -> None:
        self.workspace = workspace
        self.home = home
        self.path = f"{programs}{os.pathsep}{os.environ['PATH']}"
        self.settings: dict[str, Any] = {}
        """More of the person's own settings, by file; text of a file is added to the end."""
        workspace.write("app.py", CODE)

    def run(self, agent: str, url: str, *arguments: str, **env: str) -> Ran:
        """Run ``selfreview run`` with keys that are made up, for a model that listens at an address."""
        self._configure(url)
        own = {
            "claude": {"ANTHROPIC_API_KEY": "made-up", "ANTHROPIC_BASE_URL": url},
            "codex": {"CODEX_API_KEY": "made-up"},
            "gemini": {"GEMINI_API_KEY": "made-up", "GOOGLE_GEMINI_BASE_URL": url},
            "opencode": {"ANTHROPIC_API_KEY": "made-up"},
        }[agent]
        given = {"PATH": self.path, "HOME": str(self.home), **own, **env}
        return self.workspace.selfreview("run", "--format", "json", "--reviewer", f"agent-{agent}", *arguments, **given)

    def doctor(self) -> Ran:
        """Run ``selfreview doctor``."""
        return self.workspace.selfreview("doctor", PATH=self.path, HOME=str(self.home))

    def review(self, agent: str, *steps: Step, **env: str) -> tuple[Any, ModelServer]:
        """Have a scripted model review; return the result and what it was asked."""
        with ModelServer(*steps) as model:
            return self.run(agent, model.url, **env).json, model

    def _configure(self, url: str) -> None:
        files: dict[str, Any] = {
            ".codex/config.toml": f'openai_base_url = "{url}/v1"\n',
            ".gemini/settings.json": {"security": {"auth": {"selectedType": "gemini-api-key"}}},
            ".config/opencode/opencode.json": {
                "model": "anthropic/claude-sonnet-4-5",
                "provider": {"anthropic": {"options": {"baseURL": f"{url}/v1"}}},
            },
        }
        for name, more in self.settings.items():
            there = files.get(name, type(more)())
            files[name] = {**there, **more} if isinstance(more, dict) else there + more
        for name, content in files.items():
            path = self.home / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(content if isinstance(content, str) else json.dumps(content))


@pytest.fixture
def installed(workspace: Workspace, tmp_path: Path) -> Installed:
    folder = os.environ.get("REAL_AGENTS")
    if not folder:
        pytest.skip("REAL_AGENTS names no folder with the agents")
    home = tmp_path / "agents-home"
    home.mkdir()
    return Installed(workspace, Path(folder, "node_modules", ".bin"), home)
