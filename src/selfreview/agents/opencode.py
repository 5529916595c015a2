"""OpenCode."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from selfreview.agents import json_output
from selfreview.api import Agent, AgentAnswer, AgentCommand, AgentTask, ConfigView, Registry, Usage, hookimpl
from selfreview.errors import ToolError
from selfreview.llm.transport.agents import reason

_READS = ("read", "glob", "grep", "list")
_NAME = "selfreview"
_PROGRAM = "opencode"
_FOLDERS = {"XDG_DATA_HOME": ".local/share", "XDG_STATE_HOME": ".local/state", "XDG_CACHE_HOME": ".cache",
            "XDG_CONFIG_HOME": ".config"}  # fmt: skip
"""Variables that name its folders, and their defaults below the home folder."""


class OpenCodeAgent:
    """Reads with four tools: an agent of its own, which no settings override, is permitted nothing else.

    To fix, edits of files below its folder are permitted, too. Its plugins are left out, and its database is kept in
    memory: no session stays behind.
    """

    name = "opencode"
    argv = ("opencode", "run", "--pure", "--format", "json", "--title", _NAME, "--agent", _NAME)
    fix_argv = argv
    variables = ("ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GEMINI_API_KEY", "GOOGLE_GENERATIVE_AI_API_KEY",
                 "OPENROUTER_API_KEY", "OPENCODE_API_KEY", "OPENCODE_CONFIG")  # fmt: skip
    allowed_by = None
    oldest = "1.17.0"
    install = "npm install -g opencode-ai"

    @property
    def state(self) -> tuple[str, ...]:
        """The folders that OpenCode writes."""
        return tuple(f"{os.environ.get(name) or usual}/{_PROGRAM}" for name, usual in _FOLDERS.items())

    @property
    def credentials(self) -> tuple[str, ...]:
        """The file of credentials."""
        return (str(Path("~", self.state[0], "auth.json")),)

    def command(self, task: AgentTask) -> AgentCommand:
        """Permit what the task needs, by settings that stand before the person's own."""
        permitted = (*_READS, "edit") if task.fixing else _READS
        permission = {"*": "deny", **dict.fromkeys(permitted, "allow"), "external_directory": "deny"}
        settings = {
            "agent": {_NAME: {"mode": "primary", "permission": permission}},
            "permission": permission,
            "share": "disabled",
            "autoupdate": False,
            "snapshot": False,  # else a copy of the tree stays behind
        }
        environment = {
            "OPENCODE_CONFIG_CONTENT": json.dumps(settings),
            "OPENCODE_PERMISSION": json.dumps(permission),
            "OPENCODE_DB": ":memory:",
            "OPENCODE_DISABLE_AUTOUPDATE": "1",
            "OPENCODE_DISABLE_LSP_DOWNLOAD": "1",
            "OPENCODE_DISABLE_MODELS_FETCH": "1",
            "OPENCODE_DISABLE_PROJECT_CONFIG": "1",
            "npm_config_offline": "true",  # else it installs what plugins need, which are left out
        }
        return AgentCommand(self.argv, environment)

    def read(self, output: bytes) -> AgentAnswer:
        """Read the events, one JSON document a line: the last step's text, and what all steps used."""
        text, usage = "", Usage()
        for line in json_output.lines(self.name, output):
            event = json_output.document(self.name, line.encode())
            kind, part = event.get("type"), event.get("part")
            if kind == "error":
                raise ToolError(f"opencode says that it failed: {reason(line.encode())}")
            if not isinstance(part, dict):
                continue
            if kind == "step_start":
                text = ""
            elif kind == "text":
                text += json_output.text(part, "text")
            elif kind == "step_finish":
                _add(usage, part)
        if not text.strip():
            raise ToolError("opencode printed no answer: no event has a text")
        return AgentAnswer(text, usage if usage.requests else None)


def _add(usage: Usage, part: dict[str, Any]) -> None:
    usage.requests += 1
    usage.input_tokens += json_output.count(part, "tokens", "input")
    usage.output_tokens += json_output.count(part, "tokens", "output") + json_output.count(part, "tokens", "reasoning")
    usage.cache_read_tokens += json_output.count(part, "tokens", "cache", "read")
    usage.cache_write_tokens += json_output.count(part, "tokens", "cache", "write")
    usage.cost_usd += json_output.dollars(part.get("cost"))


@hookimpl
def selfreview_register_agents(registry: Registry[Agent], config: ConfigView) -> None:
    """Register it, unless ``[agents.opencode]`` takes its place."""
    if "opencode" not in config.table("agents"):
        registry.add(OpenCodeAgent())
