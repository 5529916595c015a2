"""Any program as an agent, from the configuration's ``[agents.NAME]`` tables."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from selfreview.agents import json_output
from selfreview.api import Agent, AgentAnswer, ConfigView, Registry, hookimpl


class CommandAgent:
    """Runs what a table says.

    Args:
        name: The table's name.
        table: ``run``, and perhaps ``fix``, ``format``, ``field``, ``env`` and ``state``.
    """

    def __init__(self, name: str, table: Mapping[str, Any]) -> None:
        self.name = name
        self.argv = tuple(table["run"])
        self.fix_argv = tuple(table["fix"]) if "fix" in table else None
        self.variables = tuple(table.get("env", ()))
        self.state = tuple(table.get("state", ()))
        self.allowed_by = f"agents.{name}"
        self._field = table.get("field", "result") if table.get("format") == "json" else None

    def read(self, output: bytes) -> AgentAnswer:
        """Take all of it, or one text of the JSON document that it is."""
        if self._field is None:
            return AgentAnswer(json_output.message(self.name, output))
        return AgentAnswer(json_output.field(self.name, json_output.document(self.name, output), self._field))


@hookimpl
def selfreview_register_agents(registry: Registry[Agent], config: ConfigView) -> None:
    """Register one agent for every table."""
    for name, table in config.table("agents").items():
        registry.add(CommandAgent(name, table))
