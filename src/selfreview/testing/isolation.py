"""An isolated environment for tests, without settings of the machine."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

import pytest

GIT_ENVIRONMENT: Mapping[str, str] = MappingProxyType(
    {
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": "maintenance.auto",
        "GIT_CONFIG_VALUE_0": "false",
        "GIT_AUTHOR_NAME": "Test Author",
        "GIT_AUTHOR_EMAIL": "author@localhost",
        "GIT_COMMITTER_NAME": "Test Committer",
        "GIT_COMMITTER_EMAIL": "committer@localhost",
        "GIT_AUTHOR_DATE": "2026-01-02T03:04:05Z",
        "GIT_COMMITTER_DATE": "2026-01-02T03:04:05Z",
    }
)
"""Git's environment in tests: no settings of the machine, one author, one time, and no background maintenance."""

_OF_THE_MACHINE = (
    *("GIT_", "SELFREVIEW_", "XDG_", "PRE_COMMIT"),
    *("ANTHROPIC_", "CLAUDE_", "OPENAI_", "CODEX_", "GEMINI_", "GOOGLE_", "AWS_", "CLOUD_ML_"),
    *("OPENCODE_", "OPENROUTER_"),  # models and agents
    *("SLACK_", "GH_"),  # who is told
    *("GITHUB_", "ACTIONS_", "RUNNER_", "GITLAB_", "CI_"),  # what gate and the formats for CI look at
)
_BY_NAME = frozenset({"CI", "NO_COLOR", "FORCE_COLOR"})


def isolate(monkeypatch: pytest.MonkeyPatch, home: Path) -> None:
    """Leave nothing in the environment of what this machine is set up with: git, keys, the CI that tests run in.

    Args:
        monkeypatch: Undoes it.
        home: The home folder from now on; configuration, trust and state are kept below it.
    """
    for name in list(os.environ):
        if (name.startswith(_OF_THE_MACHINE) or name in _BY_NAME) and name not in GIT_ENVIRONMENT:
            monkeypatch.delenv(name)
    monkeypatch.delenv("PYTHONDONTWRITEBYTECODE", raising=False)  # else every process compiles everything again
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("USERPROFILE", str(home))
    monkeypatch.setenv("SELFREVIEW_CONFIG_DIR", str(home / "config"))
    monkeypatch.setenv("SELFREVIEW_DATA_DIR", str(home / "data"))
    monkeypatch.setenv("XDG_STATE_HOME", str(home / "state"))
    for name, value in GIT_ENVIRONMENT.items():
        if os.environ.get(name) != value:
            monkeypatch.setenv(name, value)
