"""Claude Code's command line: what confines it, at every version, and what of the person's settings it is given."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest

from selfreview.agents.claude import ClaudeAgent
from selfreview.api import AgentTask
from selfreview.errors import ExitCode
from tests.conftest import Workspace
from tests.reviewers.fakes import agent_program, program

CONFINES = (
    "--restricted",
    "--tools",
    "--setting-sources",
    "--settings",
    "--strict-mcp-config",
    "--no-session-persistence",
)


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    for name in list(os.environ):
        if name.startswith(("AWS_", "ANTHROPIC_", "CLAUDE_")):
            monkeypatch.delenv(name)
    (tmp_path / ".claude").mkdir()
    (tmp_path / "call").mkdir()
    return tmp_path


def task(home: Path, *, fixing: bool = False, schema: Any = None) -> AgentTask:
    return AgentTask(fixing, home / "call", schema, (2, 1, 248), home)


def settings(home: Path, **theirs: Any) -> Any:
    """Return the settings that it is started with, of what the person's own say."""
    (home / ".claude" / "settings.json").write_text(json.dumps(theirs))
    argv = ClaudeAgent().command(task(home)).argv
    return json.loads(Path(argv[argv.index("--settings") + 1]).read_text())


@pytest.mark.parametrize("value", ["", "0", "false"])
def test_a_cloud_that_is_switched_off_opens_no_keeper_of_secrets(
    home: Path, monkeypatch: pytest.MonkeyPatch, value: str
) -> None:
    monkeypatch.setenv("CLAUDE_CODE_USE_BEDROCK", value)
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "x")
    command = ClaudeAgent().command(task(home))
    assert (command.reads, "AWS_SECRET_ACCESS_KEY" in command.environment) == ((), False)


@pytest.mark.parametrize(
    ("cloud", "folder"), [("BEDROCK", ".aws"), ("VERTEX", ".config/gcloud"), ("FOUNDRY", ".azure")]
)
def test_it_reads_the_sign_in_of_the_cloud_that_it_is_to_use_and_of_no_other(
    home: Path, monkeypatch: pytest.MonkeyPatch, cloud: str, folder: str
) -> None:
    monkeypatch.setenv(f"CLAUDE_CODE_USE_{cloud}", "1")
    assert ClaudeAgent().command(task(home)).reads == (folder,)


@pytest.mark.parametrize("fixing", [False, True])
def test_what_confines_it_is_never_left_out(home: Path, fixing: bool) -> None:
    argv = list(ClaudeAgent().command(task(home, fixing=fixing)).argv)
    assert set(CONFINES) <= set(argv)
    assert argv[argv.index("--setting-sources") + 1] == ""
    assert argv[argv.index("--permission-mode") + 1] == ("acceptEdits" if fixing else "dontAsk")
    assert argv[argv.index("--tools") + 1] == ("Read,Grep,Glob,Edit,Write" if fixing else "Read,Grep,Glob")
    assert not [word for word in argv if "allow" in word.lower() or "dangerously" in word or "bypass" in word]


def test_of_the_persons_settings_it_is_given_those_that_sign_in(home: Path) -> None:
    given = settings(
        home,
        permissions={"allow": ["Read(//**)", "Edit"], "defaultMode": "bypassPermissions"},
        hooks={"Stop": [{"hooks": [{"type": "command", "command": "touch x"}]}]},
        apiKeyHelper="/opt/key",
        env={"CLAUDE_CODE_USE_BEDROCK": "1"},
    )
    assert given == {"apiKeyHelper": "/opt/key", "env": {"CLAUDE_CODE_USE_BEDROCK": "1"}, "disableAllHooks": True}


@pytest.mark.parametrize("text", ["", "[]", "{", '{"env": 3}', "[" * 100_000])
def test_settings_that_cannot_be_read_count_for_nothing(home: Path, text: str) -> None:
    (home / ".claude" / "settings.json").write_text(text)
    argv = ClaudeAgent().command(task(home)).argv
    assert json.loads(Path(argv[argv.index("--settings") + 1]).read_text()) == {"disableAllHooks": True}


def test_it_is_given_keys_of_a_cloud_only_where_it_is_to_use_that(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "s3cret")
    assert "AWS_SECRET_ACCESS_KEY" not in ClaudeAgent().command(task(home)).environment
    monkeypatch.setenv("CLAUDE_CODE_USE_BEDROCK", "1")
    assert ClaudeAgent().command(task(home)).environment["AWS_SECRET_ACCESS_KEY"] == "s3cret"
    monkeypatch.delenv("CLAUDE_CODE_USE_BEDROCK")
    settings(home, env={"CLAUDE_CODE_USE_BEDROCK": "1"})
    assert ClaudeAgent().command(task(home)).environment["AWS_SECRET_ACCESS_KEY"] == "s3cret"


def test_its_answer_is_bound_to_a_schema_where_there_is_one(home: Path) -> None:
    argv = list(ClaudeAgent().command(task(home, schema={"type": "object"})).argv)
    assert json.loads(argv[argv.index("--json-schema") + 1]) == {"type": "object"}
    assert "--json-schema" not in ClaudeAgent().command(task(home)).argv


@pytest.mark.skipif(sys.platform == "win32", reason="scripts as programs")
@pytest.mark.parametrize("version", ["1.0.60 (Claude Code)", "2.1.0 (Claude Code)", "2.1.196"])
def test_a_version_that_cannot_be_confined_is_refused_with_what_to_install(
    workspace: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, version: str
) -> None:
    folder = tmp_path / "bin"
    folder.mkdir()
    agent_program(folder, f"open({str(tmp_path / 'asked')!r}, 'w')", "claude", version=version)
    monkeypatch.setenv("PATH", str(folder), prepend=os.pathsep)
    workspace.write("app.py", "x = 1\n")
    ran = workspace.selfreview("run", "--format", "json", "--reviewer", "agent-claude")
    (found,) = ran.json["reviewers"]
    assert ran.code == ExitCode.INCOMPLETE
    assert found["error"].endswith("is too old: 2.1.248 is the oldest that works here")
    assert "npm install -g @anthropic-ai/claude-code" in found["hint"]
    assert not (tmp_path / "asked").exists()


@pytest.mark.skipif(sys.platform == "win32", reason="scripts as programs")
@pytest.mark.parametrize(
    ("body", "said"),
    [("print('what?')", "claude --version printed no version; it said: what?"),
     ("sys.exit('node 18.1.0: no such module')",
      "claude --version ended with status 1; it said: node 18.1.0: no such module")],
)  # fmt: skip
def test_a_program_that_tells_no_version_is_refused_with_what_it_said(
    workspace: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, body: str, said: str
) -> None:
    (folder := tmp_path / "bin").mkdir()
    program(folder, body, "claude")
    monkeypatch.setenv("PATH", str(folder), prepend=os.pathsep)
    workspace.write("app.py", "x = 1\n")
    ran = workspace.selfreview("run", "--format", "json", "--reviewer", "agent-claude")
    (found,) = ran.json["reviewers"]
    assert (ran.code, found["error"]) == (ExitCode.INCOMPLETE, said)
    assert found["hint"].startswith("reinstall it: claude update, or npm install")
