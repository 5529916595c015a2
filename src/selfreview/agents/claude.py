"""Claude Code."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from selfreview.agents import json_output
from selfreview.api import Agent, AgentAnswer, AgentCommand, AgentTask, ConfigView, Registry, Usage, hookimpl
from selfreview.errors import ToolError
from selfreview.llm.transport.agents import reason

_READING = ("Read", "Grep", "Glob")
_EDITING = ("Edit", "Write")
_CLOUDS = {
    "CLAUDE_CODE_USE_BEDROCK": (
        "AWS_REGION", "AWS_DEFAULT_REGION", "AWS_PROFILE", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY",
        "AWS_SESSION_TOKEN", "AWS_BEARER_TOKEN_BEDROCK", "ANTHROPIC_BEDROCK_BASE_URL", "CLAUDE_CODE_SKIP_BEDROCK_AUTH",
    ),
    "CLAUDE_CODE_USE_VERTEX": (
        "CLOUD_ML_REGION", "ANTHROPIC_VERTEX_PROJECT_ID", "GOOGLE_APPLICATION_CREDENTIALS",
        "ANTHROPIC_VERTEX_BASE_URL", "CLAUDE_CODE_SKIP_VERTEX_AUTH",
    ),
    "CLAUDE_CODE_USE_FOUNDRY": (
        "ANTHROPIC_FOUNDRY_RESOURCE", "ANTHROPIC_FOUNDRY_API_KEY", "ANTHROPIC_FOUNDRY_BASE_URL",
    ),
}  # fmt: skip
"""Variables that select another service than Anthropic's own, with those that are given only then."""
_CLOUD_FOLDERS = {
    "CLAUDE_CODE_USE_BEDROCK": ".aws",
    "CLAUDE_CODE_USE_VERTEX": ".config/gcloud",
    "CLAUDE_CODE_USE_FOUNDRY": ".azure",
}
"""Folders in which these services' own clients keep a sign-in."""
_OFF = ("", "0", "false", "no", "off")
"""Values by which people switch something off."""
_HELPERS = ("apiKeyHelper", "awsAuthRefresh", "awsCredentialExport", "gcpAuthRefresh")
_SIGNING_IN = (*_HELPERS, "forceLoginMethod", "forceLoginOrgUUID", "env", "model")
"""Settings that say which service and model is asked, and as whom."""


class ClaudeAgent:
    """Reads with three tools, none of which writes, runs or fetches anything; two more edit where it is to fix.

    No file of settings is loaded, the person's own neither: what these permit (``permissions.allow``) would hold for
    every path, and so would ``--allowedTools``. Without either, what lies outside of the folder is refused. Of the
    person's settings only those are handed over that sign in. Hooks, MCP servers and ``CLAUDE.md`` are left out, and no
    transcript is kept.
    """

    name = "claude"
    argv = ("claude",)
    fix_argv = argv
    variables = (
        *("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_BASE_URL", "ANTHROPIC_MODEL",
          "ANTHROPIC_CUSTOM_HEADERS", "CLAUDE_CODE_OAUTH_TOKEN", "CLAUDE_CONFIG_DIR"),
        *_CLOUDS,
    )  # fmt: skip
    allowed_by = None
    oldest = "2.1.248"
    """Older ones do not know ``--restricted``: without it, tasks can be read and memories written in ``~/.claude``."""
    install = "claude update, or npm install -g @anthropic-ai/claude-code"

    @property
    def state(self) -> tuple[str, ...]:
        """The paths that Claude Code writes."""
        return (str(_folder()),) if os.environ.get("CLAUDE_CONFIG_DIR") else (".claude", ".claude.json")

    @property
    def credentials(self) -> tuple[str, ...]:
        """The file of credentials; on macOS they are in the keychain."""
        return (str(_folder() / ".credentials.json"),)

    def command(self, task: AgentTask) -> AgentCommand:
        """Return the command line for a task."""
        signs_in = _sign_in()
        settings = task.folder / "settings.json"
        settings.write_text(json.dumps({**signs_in, "disableAllHooks": True}), encoding="utf-8")
        mode, tools = ("acceptEdits", (*_READING, *_EDITING)) if task.fixing else ("dontAsk", _READING)
        argv = [*self.argv, "-p", "--output-format", "json", "--permission-mode", mode, "--tools", ",".join(tools),
                "--setting-sources", "", "--settings", str(settings), "--strict-mcp-config",
                "--restricted", "--no-session-persistence"]  # fmt: skip
        if task.schema is not None:
            argv += ["--json-schema", json.dumps(task.schema)]
        switched = {**signs_in.get("env", {}), **os.environ}
        used = [switch for switch in _CLOUDS if switched.get(switch) not in (*_OFF, None)]
        names = (name for switch in used for name in _CLOUDS[switch])
        given = {name: os.environ[name] for name in names if name in os.environ}
        given["CLAUDE_CODE_MAX_RETRIES"] = "4"  # of ten, it takes minutes to say that a key is wrong
        given["CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC"] = "1"
        given["CLAUDE_CODE_DISABLE_AUTO_MEMORY"] = "1"  # else a folder for each call stays behind
        # A program of the person's that signs in reads what it likes; a cloud's own client reads that cloud's files.
        has_helper = any(name in signs_in for name in _HELPERS)
        reads = ("",) if has_helper else tuple(_CLOUD_FOLDERS[switch] for switch in used)
        return AgentCommand(argv, given, reads)

    def read(self, output: bytes) -> AgentAnswer:
        """Read the one JSON document."""
        reply = json_output.document(self.name, output)
        if reply.get("is_error") or reply.get("subtype", "success") != "success":
            kind = reply.get("subtype")
            how = f" ({kind})" if isinstance(kind, str) and kind != "success" else ""
            why = reason(output)
            raise ToolError(f"claude says that it failed{how}" + (f": {why}" if why else ""))
        return AgentAnswer(json_output.field(self.name, reply, "result"), _usage(reply))


def _folder() -> Path:
    return Path(os.environ.get("CLAUDE_CONFIG_DIR") or "~/.claude").expanduser()


def _sign_in() -> dict[str, Any]:
    """Return those of the person's own settings that sign in."""
    try:
        found = json.loads((_folder() / "settings.json").read_bytes())
    except (OSError, ValueError, RuntimeError):  # no home folder, or nested too deeply
        return {}  # without them it says itself that it is not signed in
    found = {name: found[name] for name in _SIGNING_IN if name in found} if isinstance(found, dict) else {}
    return found if isinstance(found.get("env", {}), dict) else {}


def _usage(reply: dict[str, Any]) -> Usage:
    def count(key: str) -> int:
        return json_output.count(reply, "usage", key)

    return Usage(
        requests=1,
        input_tokens=count("input_tokens"),
        cache_read_tokens=count("cache_read_input_tokens"),
        cache_write_tokens=count("cache_creation_input_tokens"),
        output_tokens=count("output_tokens"),
        cost_usd=json_output.dollars(reply.get("total_cost_usd")),
    )


@hookimpl
def selfreview_register_agents(registry: Registry[Agent], config: ConfigView) -> None:
    """Register it, unless ``[agents.claude]`` takes its place."""
    if "claude" not in config.table("agents"):
        registry.add(ClaudeAgent())
