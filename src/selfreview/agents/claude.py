"""Claude Code."""

from __future__ import annotations

from typing import Any

from selfreview.agents import _output
from selfreview.api import Agent, AgentAnswer, ConfigView, Registry, Usage, hookimpl
from selfreview.errors import ToolError
from selfreview.llm.agents import reason

_MOST_COST = 1e6
"""Dollars: no answer costs as much."""


class ClaudeAgent:
    """Reads with three tools, none of which writes, runs or fetches anything; two more edit where it is to fix.

    ``--tools`` limits what there is; ``--allowedTools`` alone would only add. The settings of the project, with their
    hooks, and MCP servers are left out.
    """

    name = "claude"
    argv = ("claude", "-p", "--output-format", "json", "--tools", "Read,Grep,Glob", "--allowedTools", "Read,Grep,Glob",
            "--setting-sources", "user", "--strict-mcp-config")  # fmt: skip
    fix_argv = ("claude", "-p", "--output-format", "json", "--permission-mode", "acceptEdits",
                "--tools", "Read,Grep,Glob,Edit,Write", "--allowedTools", "Read,Grep,Glob,Edit,Write",
                "--setting-sources", "user", "--strict-mcp-config")  # fmt: skip
    variables = ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_BASE_URL", "ANTHROPIC_MODEL",
                 "CLAUDE_CODE_OAUTH_TOKEN", "CLAUDE_CONFIG_DIR")  # fmt: skip
    allowed_by = None

    def read(self, output: bytes) -> AgentAnswer:
        """Read the one JSON document."""
        said = _output.document(self.name, output)
        if said.get("is_error") or said.get("subtype", "success") != "success":
            kind = said.get("subtype")
            how = f" ({kind})" if isinstance(kind, str) and kind != "success" else ""
            why = reason(output)
            raise ToolError(f"claude says that it failed{how}" + (f": {why}" if why else ""))
        return AgentAnswer(_output.field(self.name, said, "result"), _usage(said))


def _usage(said: dict[str, Any]) -> Usage:
    counts, cost = said.get("usage"), said.get("total_cost_usd")

    def count(key: str) -> int:
        value = counts.get(key) if isinstance(counts, dict) else None
        return value if type(value) is int and value >= 0 else 0

    return Usage(
        requests=1,
        input_tokens=count("input_tokens"),
        cache_read_tokens=count("cache_read_input_tokens"),
        cache_write_tokens=count("cache_creation_input_tokens"),
        output_tokens=count("output_tokens"),
        cost_usd=float(cost) if isinstance(cost, (int, float)) and 0 <= cost < _MOST_COST else 0.0,
    )


@hookimpl
def selfreview_register_agents(registry: Registry[Agent], config: ConfigView) -> None:
    """Register it, unless ``[agents.claude]`` takes its place."""
    if "claude" not in config.table("agents"):
        registry.add(ClaudeAgent())
