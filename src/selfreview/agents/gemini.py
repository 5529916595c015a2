"""Gemini CLI."""

from __future__ import annotations

from selfreview.agents import _output
from selfreview.api import Agent, AgentAnswer, ConfigView, Registry, hookimpl
from selfreview.errors import ToolError
from selfreview.llm.agents import reason


class GeminiAgent:
    """Approves nothing by itself: without a terminal, tools that would need a person's approval are refused.

    To fix, edits of files are approved; commands still are not.
    """

    name = "gemini"
    argv = ("gemini", "--output-format", "json", "--approval-mode", "default", "--extensions", "none")
    fix_argv = ("gemini", "--output-format", "json", "--approval-mode", "auto_edit", "--extensions", "none")
    variables = ("GEMINI_API_KEY", "GOOGLE_API_KEY", "GOOGLE_CLOUD_PROJECT", "GOOGLE_CLOUD_LOCATION",
                 "GOOGLE_GENAI_USE_VERTEXAI", "GOOGLE_APPLICATION_CREDENTIALS")  # fmt: skip
    allowed_by = None

    def read(self, output: bytes) -> AgentAnswer:
        """Read the one JSON document."""
        said = _output.document(self.name, output)
        if said.get("error"):
            why = reason(output)
            raise ToolError("gemini says that it failed" + (f": {why}" if why else ""))
        return AgentAnswer(_output.field(self.name, said, "response"))


@hookimpl
def selfreview_register_agents(registry: Registry[Agent], config: ConfigView) -> None:
    """Register it, unless ``[agents.gemini]`` takes its place."""
    if "gemini" not in config.table("agents"):
        registry.add(GeminiAgent())
