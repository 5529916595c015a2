"""Codex."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from selfreview.agents import json_output
from selfreview.api import Agent, AgentAnswer, AgentCommand, AgentTask, ConfigView, Registry, Usage, hookimpl
from selfreview.errors import ToolError
from selfreview.text.toml import parse_toml

_SETTINGS = (
    'approval_policy="never"',
    'web_search="disabled"',
    'shell_environment_policy.inherit="core"',  # else commands of the model see the key
    "sandbox_workspace_write.network_access=false",
    "sandbox_workspace_write.writable_roots=[]",
    "sandbox_workspace_write.exclude_slash_tmp=true",
    "sandbox_workspace_write.exclude_tmpdir_env_var=true",
    "notify=[]",
    "analytics.enabled=false",
    "features.shell_snapshot=false",  # older versions keep the key in it
    "features.hooks=false",
    "features.memories=false",
    "features.apps=false",
    "features.plugins=false",
    "features.unbounded_connection_retries=false",  # else it waits for the network until the deadline
)
"""Overrides of the person's own settings, which can reopen what the sandbox closes."""


def _command_line(sandbox: str) -> tuple[str, ...]:
    options = (part for setting in _SETTINGS for part in ("-c", setting))
    return ("codex", "exec", "--json", "--sandbox", sandbox, "--ignore-rules", "--skip-git-repo-check", "--ephemeral",
            "--color", "never", *options, "-")  # fmt: skip


class CodexAgent:
    """Reads in codex's own sandbox, which forbids writing and the network to what it starts; asks nobody.

    To fix, the sandbox lets it write below the folder that it starts in; the network stays forbidden.

    ``OPENAI_API_KEY`` is none of its variables: it takes no notice of it, and a person who is signed in with a
    subscription would not want to be charged for it.
    """

    name = "codex"
    argv = _command_line("read-only")
    fix_argv = _command_line("workspace-write")
    sandboxes = True
    variables = ("CODEX_API_KEY", "CODEX_HOME")
    allowed_by = None
    oldest = "0.142.0"
    """Older ones let what they run write the memories that a later session takes for orders."""
    install = "npm install -g @openai/codex"

    @property
    def state(self) -> tuple[str, ...]:
        """The folder that Codex writes."""
        return (os.environ.get("CODEX_HOME") or ".codex",)

    @property
    def credentials(self) -> tuple[str, ...]:
        """The file of credentials."""
        return (str(_home() / "auth.json"),)

    def command(self, task: AgentTask) -> AgentCommand:
        """Bind the answer to a schema, and leave out the servers of tools that the person's settings name."""
        argv = self.fix_argv if task.fixing else self.argv
        servers = ",".join(f"{json.dumps(name)}={{enabled=false}}" for name in _servers())
        # Older versions note in the person's settings that they trust where they edit, unless something is said of it.
        projects = f'{{{json.dumps(str(task.start))}={{trust_level="untrusted"}}}}'
        more = ["-c", f"mcp_servers={{{servers}}}", "-c", f"projects={projects}"]
        if task.schema is not None:
            file = task.folder / "schema.json"
            file.write_text(json.dumps(task.schema), encoding="utf-8")
            more += ["--output-schema", str(file)]
        return AgentCommand([*argv[:-1], *more, argv[-1]], {"RUST_LOG": "off"})  # its events tell what went wrong

    def read(self, output: bytes) -> AgentAnswer:
        """Read the events, one JSON document a line: the last message, and what was used."""
        text, usage = "", None
        for event in map(_event, json_output.lines(self.name, output)):
            item, counts = event.get("item"), event.get("usage")
            if isinstance(item, dict) and item.get("type") == "agent_message":
                text = json_output.text(item, "text") or text
            elif isinstance(counts, dict):
                usage = _usage(counts)
        if not text:
            raise ToolError("codex printed no answer: no event has a message")
        return AgentAnswer(text, usage)


def _home() -> Path:
    return Path(os.environ.get("CODEX_HOME") or "~/.codex").expanduser()


def _event(line: str) -> dict[str, Any]:
    try:
        value = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise ToolError("codex printed a line that is no event, or half of one") from error
    return value if isinstance(value, dict) else {}


def _usage(counts: dict[str, Any]) -> Usage:
    cached = json_output.count(counts, "cached_input_tokens")
    return Usage(
        requests=1,
        input_tokens=max(json_output.count(counts, "input_tokens") - cached, 0),
        cache_read_tokens=cached,
        output_tokens=json_output.count(counts, "output_tokens"),
    )


def _servers() -> Iterator[str]:
    """Yield the names of the servers of tools in the person's own settings: no option leaves all of them out."""
    try:
        named = parse_toml((_home() / "config.toml").read_text(encoding="utf-8")).get("mcp_servers")
    except (OSError, ValueError):
        return  # codex says itself what is wrong with its settings
    yield from named if isinstance(named, dict) else ()


@hookimpl
def selfreview_register_agents(registry: Registry[Agent], config: ConfigView) -> None:
    """Register it, unless ``[agents.codex]`` takes its place."""
    if "codex" not in config.table("agents"):
        registry.add(CodexAgent())
