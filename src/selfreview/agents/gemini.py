"""Gemini CLI."""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
from pathlib import Path
from typing import Any

from selfreview.agents import json_output
from selfreview.api import Agent, AgentAnswer, AgentCommand, AgentTask, ConfigView, Registry, Usage, hookimpl
from selfreview.errors import ToolError
from selfreview.llm.transport.agents import reason

_READS = ("glob", "grep_search", "search_file_content", "list_directory", "read_file", "read_many_files")
_EDITS = ("replace", "write_file")
_SIGN_IN = ("oauth_creds.json", "google_accounts.json", "gemini-credentials.json", "installation_id")
"""Files of the person's own that sign in."""
_ASSIGNED = re.compile(
    r"""^[ \t]*(?:export[ \t]+)?(\w+)[ \t]*=[ \t]*(?:"([^"\n]*)"|'([^'\n]*)'|([^\s#]*))""", re.MULTILINE
)
"""A line of ``.env``: name, and value in quotes or bare."""


def _command_line(mode: str) -> tuple[str, ...]:
    return ("gemini", "--output-format", "json", "--approval-mode", mode, "--extensions", "none",
            "--allowed-mcp-server-names", "none")  # fmt: skip


class GeminiAgent:
    """Reads with five tools: a policy that no settings override refuses every other, commands and the web among them.

    To fix, edits of files below its folder are approved; nothing else is.
    """

    name = "gemini"
    argv = _command_line("default")
    fix_argv = _command_line("auto_edit")
    variables = ("GEMINI_API_KEY", "GEMINI_MODEL", "GOOGLE_GEMINI_BASE_URL", "GOOGLE_API_KEY", "GOOGLE_CLOUD_PROJECT",
                 "GOOGLE_CLOUD_LOCATION", "GOOGLE_GENAI_USE_VERTEXAI", "GOOGLE_GENAI_USE_GCA",
                 "GOOGLE_APPLICATION_CREDENTIALS")  # fmt: skip
    allowed_by = None
    oldest = "0.45.2"
    install = "npm install -g @google/gemini-cli"
    state = ()

    @property
    def credentials(self) -> tuple[str, ...]:
        """The files of credentials."""
        return tuple(str(_folder() / name) for name in _SIGN_IN[:3])

    def command(self, task: AgentTask) -> AgentCommand:
        """Refuse all but what the task needs, and give it a home of its own that knows how to sign in.

        In the person's own, it would keep what was said, and take in memories of earlier sessions, hooks and folders.
        """
        policy = task.folder / "policy.toml"
        policy.write_text(_policy((*_READS, *_EDITS) if task.fixing else _READS), encoding="utf-8")
        home = task.folder / "home"
        signs_in_by = _make_home(home / ".gemini")
        own = self._own_variables()
        environment = {
            **own,
            "GEMINI_CLI_HOME": str(home),
            "GEMINI_CLI_TRUST_WORKSPACE": "true",
            "TMPDIR": str(task.folder),  # it leaves reports of errors there, with all that was said
        }
        argv = self.fix_argv if task.fixing else self.argv
        on_vertex = signs_in_by == "vertex-ai" or {**own, **os.environ}.get("GOOGLE_GENAI_USE_VERTEXAI") == "true"
        reads = (".config/gcloud",) if on_vertex else ()
        return AgentCommand([*argv, "--admin-policy", str(policy)], environment, reads)

    def _own_variables(self) -> dict[str, str]:
        """Return those of the person's ``.gemini/.env``, which it does not look for beyond an ``.env`` on its way."""
        try:
            text = (_folder() / ".env").read_text(encoding="utf-8", errors="replace")
        except OSError:
            return {}
        found = {name: double or single or bare for name, double, single, bare in _ASSIGNED.findall(text)}
        return {name: found[name] for name in self.variables if name in found and name not in os.environ}

    def read(self, output: bytes) -> AgentAnswer:
        """Read the one JSON document."""
        document = json_output.document(self.name, output)
        if document.get("error"):
            why = reason(output)
            raise ToolError("gemini says that it failed" + (f": {why}" if why else ""))
        return AgentAnswer(json_output.field(self.name, document, "response"), _usage(document.get("stats")))


def _folder() -> Path:
    return Path(os.environ.get("GEMINI_CLI_HOME") or "~").expanduser() / ".gemini"


def _make_home(folder: Path) -> object:
    """Write what signs in, and nothing else of the person's settings; return the way to sign in that they select."""
    folder.mkdir(parents=True)
    for name in _SIGN_IN:
        with contextlib.suppress(FileNotFoundError):
            shutil.copyfile(_folder() / name, folder / name)
    try:
        found = json.loads((_folder() / "settings.json").read_bytes())
    except (OSError, ValueError, RecursionError):
        found = {}  # without them it says itself that it is not signed in
    found = found if isinstance(found, dict) else {}
    security = found.get("security")
    auth = security.get("auth", {}) if isinstance(security, dict) else {}
    kept = {
        "security": {"auth": auth},
        "general": {"maxAttempts": 3},  # of ten, it takes minutes to say that there is no network, or no quota
        "privacy": {"usageStatisticsEnabled": False},
    }
    if isinstance(found.get("model"), dict):
        kept["model"] = found["model"]
    (folder / "settings.json").write_text(json.dumps(kept), encoding="utf-8")
    return auth.get("selectedType") if isinstance(auth, dict) else None


def _policy(tools: tuple[str, ...]) -> str:
    rules = (('"*"', "deny", 100), (json.dumps(tools), "allow", 200))
    return "\n".join(
        f'[[rule]]\ntoolName = {tool}\ndecision = "{decision}"\npriority = {priority}\n'
        for tool, decision, priority in rules
    )


def _usage(stats: Any) -> Usage | None:
    models = stats.get("models") if isinstance(stats, dict) else None
    if not isinstance(models, dict) or not models:
        return None
    usage = Usage()
    for model in models.values():
        cached = json_output.count(model, "tokens", "cached")
        usage.requests += json_output.count(model, "api", "totalRequests")
        usage.input_tokens += max(json_output.count(model, "tokens", "prompt") - cached, 0)
        usage.cache_read_tokens += cached
        usage.output_tokens += json_output.count(model, "tokens", "candidates") + json_output.count(
            model, "tokens", "thoughts"
        )
    return usage


@hookimpl
def selfreview_register_agents(registry: Registry[Agent], config: ConfigView) -> None:
    """Register it, unless ``[agents.gemini]`` takes its place."""
    if "gemini" not in config.table("agents"):
        registry.add(GeminiAgent())
