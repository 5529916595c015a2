"""The hooks that ``selfreview init agents`` writes, in the agents themselves: sent back once, and only for a change."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.agents.conftest import Installed
from tests.agents.server import ModelServer, Step, Use

pytestmark = pytest.mark.real_agents

BAD = 'def load(items=[]):\n    return f"{itmes}"\n'
CODEX_PATCH = '*** Begin Patch\n*** Add File: new.py\n+def load(items=[]):\n+    return f"{itmes}"\n*** End Patch\n'
WRITES: Mapping[str, Step] = {
    "claude": Use("Write", {"file_path": "new.py", "content": BAD}),
    "codex": Use("apply_patch", CODEX_PATCH),
    "gemini": Use("write_file", {"file_path": "new.py", "content": BAD}),
}
ARGV = {
    "claude": ["claude", "-p", "--output-format", "json", "--permission-mode", "acceptEdits"],
    "codex": ["codex", "exec", "--sandbox", "workspace-write", "--dangerously-bypass-hook-trust", "-"],
    "gemini": ["gemini", "--output-format", "json", "--approval-mode", "auto_edit"],
}
SENT_BACK = "fix each cause, then run the same review again"

VERSIONS = [(agent, "newest") for agent in ARGV] + [("claude", "oldest"), ("gemini", "oldest")]
"""The oldest version of Codex runs no hook of a project in ``codex exec``."""


def keys(url: str) -> dict[str, str]:
    return {
        "ANTHROPIC_API_KEY": "made-up", "ANTHROPIC_BASE_URL": url, "CODEX_API_KEY": "made-up",
        "GEMINI_API_KEY": "made-up", "GOOGLE_GEMINI_BASE_URL": url,
    }  # fmt: skip


def work(installed: Installed, agent: str, *steps: Step) -> tuple[subprocess.CompletedProcess[str], ModelServer]:
    """Have an agent work in the repository as a person would start it."""
    root = installed.workspace.root
    assert installed.workspace.selfreview("init", "agents").code == 0
    installed.workspace.git("add", "-A")
    installed.workspace.git("commit", "-q", "-m", "agents")
    with ModelServer(*steps) as model:
        installed.configure(model.url)
        config = installed.home / ".codex" / "config.toml"
        config.write_text(f'{config.read_text()}[projects."{root}"]\ntrust_level = "trusted"\n')
        trusted = {"projects": {str(root): {"hasTrustDialogAccepted": True}}, "hasCompletedOnboarding": True}
        (installed.home / ".claude.json").write_text(json.dumps(trusted))
        (installed.home / ".gemini" / "trustedFolders.json").write_text(json.dumps({str(root): "TRUST_FOLDER"}))
        path = f"{Path(sys.executable).parent}{os.pathsep}{installed.path}"
        (installed.home / ".bash_profile").write_text(f"export PATH='{path}'\n")  # Codex starts login shells
        env = {**os.environ, "PATH": path, "HOME": str(installed.home), **keys(model.url)}
        ran = subprocess.run(
            ARGV[agent], input="Do it.", cwd=root, env=env, capture_output=True, text=True, check=False, timeout=240
        )
    return ran, model


@pytest.mark.parametrize(("agent", "age"), VERSIONS)
def test_an_issue_sends_it_back_once(installed: Installed, agent: str) -> None:
    ran, model = work(installed, agent, WRITES[agent], "Done.", "I leave it.", "Still here?")
    assert (installed.workspace.root / "new.py").exists(), ran
    told = [SENT_BACK in request.text for request in model.requests]
    assert told == [False, False, True], ran


@pytest.mark.parametrize("agent", ARGV)
def test_a_turn_without_a_change_is_not_reviewed(installed: Installed, agent: str) -> None:
    installed.workspace.write("bad.py", BAD)
    ran, model = work(installed, agent, "Nothing to do.", "Again?")
    assert len(model.requests) == 1, ran


COMMAND = "selfreview hook turn review"
RUNS: Mapping[str, Step] = {
    "claude": Use("Bash", {"command": COMMAND, "description": "Review"}),
    "codex": Use("exec_command", {"cmd": COMMAND}),
    "gemini": Use("run_shell_command", {"command": COMMAND, "description": "Review"}),
}


@pytest.mark.parametrize("agent", ARGV)
def test_the_command_of_the_skill_is_permitted(installed: Installed, agent: str) -> None:
    installed.workspace.write("bad.py", BAD)
    ran, model = work(installed, agent, RUNS[agent], "Done.")
    assert SENT_BACK in model.requests[-1].text, ran
    assert "| bad.py" in model.requests[-1].text
