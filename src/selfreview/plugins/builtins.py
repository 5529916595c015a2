"""The plugins that come with selfreview: short name, as typed after ``-p``, to module, or to ``module:attribute``.

They are named as text so that nothing is imported before the manager decides to. To remove a built-in, delete its
line and its file.
"""

from __future__ import annotations

import dataclasses
import importlib
from collections.abc import Mapping
from types import MappingProxyType

ESSENTIAL: Mapping[str, str] = MappingProxyType(
    {
        "terminal": "selfreview.reporters.formats:terminal",
        "json": "selfreview.reporters.formats:json",
    }
)
"""Plugins that are always enabled: no result could be shown without them."""

DEFAULT: Mapping[str, str] = MappingProxyType(
    {
        "ruff": "selfreview.reviewers.ruff",
        "rules": "selfreview.reviewers.rules",
        "secrets": "selfreview.reviewers.secrets",
        "text": "selfreview.reviewers.text",
        "command": "selfreview.reviewers.command",
        "shellcheck": "selfreview.reviewers.shellcheck",
        "hadolint": "selfreview.reviewers.hadolint",
        "zizmor": "selfreview.reviewers.zizmor",
        "semgrep": "selfreview.reviewers.semgrep",
        "claude": "selfreview.reviewers.claude",
        "fix-ruff": "selfreview.fixers.mechanical:ruff",
        "fix-rules": "selfreview.fixers.mechanical:rules",
        "fix-command": "selfreview.fixers.command",
        "fix-claude": "selfreview.fixers.claude",
        "agent-claude": "selfreview.agents.claude",
        "agent-codex": "selfreview.agents.codex",
        "agent-gemini": "selfreview.agents.gemini",
        "agent-opencode": "selfreview.agents.opencode",
        "agent-command": "selfreview.agents.command",
        "pullrequest": "selfreview.cli.pr.plugin",
        "forge-github": "selfreview.pullrequest.forges.github.plugin",
        "concise": "selfreview.reporters.formats:concise",
        "agent": "selfreview.reporters.formats:agent",
        "jsonl": "selfreview.reporters.formats:jsonl",
        "github": "selfreview.reporters.formats:github",
        "markdown": "selfreview.reporters.formats:markdown",
        "sarif": "selfreview.reporters.formats:sarif",
        "junit": "selfreview.reporters.formats:junit",
        "gitlab": "selfreview.reporters.formats:gitlab",
        "rdjson": "selfreview.reporters.formats:rdjson",
        "html": "selfreview.reporters.formats:html",
        "notify": "selfreview.pullrequest.notify",
        "notify-slack": "selfreview.pullrequest.notifiers.slack",
        "notify-email": "selfreview.pullrequest.notifiers.mail",
        "notify-github": "selfreview.pullrequest.notifiers.forge",
        "notify-apprise": "selfreview.pullrequest.notifiers.apprise",
    }
)
"""Plugins that are enabled unless ``-p no:NAME``."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class Builtins:
    """The lists of built-in plugins as one value, so that a manager can be given others."""

    essential: Mapping[str, str] = dataclasses.field(default_factory=lambda: ESSENTIAL)
    default: Mapping[str, str] = dataclasses.field(default_factory=lambda: DEFAULT)

    @property
    def modules(self) -> dict[str, str]:
        """All short names with their modules, in order."""
        return {**self.essential, **self.default}


def load(place: str) -> object:
    """Import a plugin.

    Args:
        place: Its module, or ``module:attribute``.
    """
    module, _, attribute = place.partition(":")
    loaded = importlib.import_module(module)
    return getattr(loaded, attribute) if attribute else loaded
