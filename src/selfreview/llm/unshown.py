"""Files that are kept from models and agents: keepers of secrets, and what agents read settings and orders from."""

from __future__ import annotations

import re

SETTINGS = frozenset((".claude", ".codex", ".gemini", ".mcp.json", ".env"))
"""What agents read settings from: hooks, servers to start, addresses for keys. The repository has no say there."""

_INSTRUCTIONS = frozenset(("agents.md", "claude.md", "gemini.md", "agents.override.md", "copilot-instructions.md"))
_PRIVATE = re.compile(
    r"\.env(\..+)?|\.envrc|.*\.(pem|key|p12|pfx|jks|keystore|kdbx|ppk)|id_(rsa|dsa|ecdsa|ed25519)"
    r"|[._]netrc|\.npmrc|\.pypirc|\.pgpass|\.htpasswd|\.git-credentials",
    re.IGNORECASE,
)
_HARMLESS = re.compile(r".*\.(example|sample|template|dist)", re.IGNORECASE)


def keeps_secrets(path: str) -> bool:
    """Whether a file is one that usually keeps secrets, by its name."""
    name = path.rpartition("/")[2]
    return _PRIVATE.fullmatch(name) is not None and not _HARMLESS.fullmatch(name)


def instructs(path: str) -> bool:
    """Whether agents take a file for instructions, by its name."""
    return path.rpartition("/")[2].casefold() in _INSTRUCTIONS


def agent_settings(path: str) -> str | None:
    """Return the part of a path that holds an agent's settings, or None."""
    parts = path.split("/")
    for depth, part in enumerate(parts, 1):
        if part.casefold() in SETTINGS:
            return "/".join(parts[:depth])
    return None
