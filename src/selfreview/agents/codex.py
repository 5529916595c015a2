"""Codex."""

from __future__ import annotations

from selfreview.agents import _output
from selfreview.api import Agent, AgentAnswer, ConfigView, Registry, hookimpl


class CodexAgent:
    """Reads in codex's own sandbox, which forbids writing and the network to what it starts; asks nobody.

    To fix, the sandbox lets it write below the folder that it starts in; the network stays forbidden.

    It prints its final message alone on standard output.
    """

    name = "codex"
    argv = ("codex", "exec", "--sandbox", "read-only", "--skip-git-repo-check", "--ephemeral", "--color", "never", "-")
    fix_argv = ("codex", "exec", "--sandbox", "workspace-write", "--skip-git-repo-check", "--ephemeral", "--color",
                "never", "-")  # fmt: skip
    variables = ("OPENAI_API_KEY", "CODEX_API_KEY", "OPENAI_BASE_URL", "CODEX_HOME")
    allowed_by = None

    def read(self, output: bytes) -> AgentAnswer:
        """Take all of it."""
        return AgentAnswer(_output.message(self.name, output))


@hookimpl
def selfreview_register_agents(registry: Registry[Agent], config: ConfigView) -> None:
    """Register it, unless ``[agents.codex]`` takes its place."""
    if "codex" not in config.table("agents"):
        registry.add(CodexAgent())
