"""The coding agents themselves, started through the command line against a scripted model."""

from __future__ import annotations

import json
import os
import re
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

import pytest

from tests.agents.server import ModelServer, Step
from tests.conftest import Ran, Workspace

GUIDE = Path(__file__).parents[2] / "docs/guides/agents.md"
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


def table_of_attacks() -> dict[str, dict[str, str]]:
    """Return the guide's table of what a model can do, by what is tried and who prevents it."""
    head, *rows = re.findall(r"^\| .+ \|$", GUIDE.read_text().partition("## What a model can do")[2], re.MULTILINE)
    names, *cells = [[cell.strip(" `") for cell in row.strip("|").split("|")] for row in (head, *rows)]
    return {row[0]: dict(zip(names[1:], row[1:], strict=True)) for row in cells}


SAID = re.compile(rb"First word: |def mean|Divides by zero")
"""What a transcript, or a copy of the tree, would hold."""


def row_of(name: str) -> list[str]:
    """Return what the guide's table of agents says of one: how it is installed, its oldest version, its newest, …"""
    (row,) = re.findall(rf"^\| `{name}` \| (.*npm.*) \|$", GUIDE.read_text(), re.MULTILINE)
    return str(row).split(" | ")


def leaves(name: str, path: str) -> bool:
    """Return whether the guide says that a program leaves a file, by its path below the home folder."""
    return any(fnmatch(path, pattern) for pattern in re.findall("`(.+?)`", row_of(name)[-1]))


def asked_of_others(model: ModelServer) -> list[str]:
    """Return what a program asked of any server but the one that it was told of."""
    return [asked for asked in model.others if not asked.startswith(("GET /v1/", "HEAD /"))]


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
        self.configure(url)
        own = {
            "claude": {"ANTHROPIC_API_KEY": "made-up", "ANTHROPIC_BASE_URL": url},
            "codex": {"CODEX_API_KEY": "made-up"},
            "gemini": {"GEMINI_API_KEY": "made-up", "GOOGLE_GEMINI_BASE_URL": url},
            "opencode": {"ANTHROPIC_API_KEY": "made-up"},
        }[agent]
        # Whatever they want of anyone else is told to the model that is made up.
        proxies = {"HTTPS_PROXY": url, "https_proxy": url, "NO_PROXY": "127.0.0.1", "no_proxy": "127.0.0.1"}
        given = {"PATH": self.path, "HOME": str(self.home), **proxies, **own, **env}
        return self.workspace.selfreview("run", "--format", "json", "--reviewer", f"agent-{agent}", *arguments, **given)

    def doctor(self) -> Ran:
        """Run ``selfreview doctor``."""
        return self.workspace.selfreview("doctor", PATH=self.path, HOME=str(self.home))

    def review(self, agent: str, *steps: Step, **env: str) -> tuple[Any, ModelServer]:
        """Have a scripted model review; return the result and what it was asked."""
        with ModelServer(*steps) as model:
            return self.run(agent, model.url, **env).json, model

    def configure(self, url: str) -> None:
        """Write the person's settings, for a model that listens at an address."""
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


BOTH = pytest.mark.parametrize("age", ["newest", "oldest"])
"""Marks tests that matter for the oldest versions that are supported, too."""


@pytest.fixture
def age() -> str:
    """Which versions are meant."""
    return "newest"


@pytest.fixture
def installed(workspace: Workspace, tmp_path: Path, age: str) -> Installed:
    folder = os.environ.get("REAL_AGENTS")
    if not folder:
        pytest.skip("REAL_AGENTS names no folder with the agents")
    home = tmp_path / "agents-home"
    home.mkdir()
    return Installed(workspace, Path(folder, "oldest" if age == "oldest" else "", "node_modules", ".bin"), home)
