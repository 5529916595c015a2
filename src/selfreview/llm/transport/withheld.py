"""Files that are kept from models and agents: files with secrets, and files with settings or orders for agents."""

from __future__ import annotations

import re

_AGENTS = (
    r"agents?|aider|amazonq|amp|augment|claude|clinerules|cline|codex|continue|copilot|crush|cursor|devin|factory|gemini|goose"
    r"|iflow|junie|kilocode|kiro|opencode|openhands|qoder|qwen|roo|trae|warp|windsurf|zencoder"
)
_SETTINGS = re.compile(
    rf"\.({_AGENTS})(rules|modes|hints|ignore|rc)?([-._].*)?|\.rules|\.aiexclude|\.?mcp\.json|(opencode|crush)\.jsonc?|\.env",
    re.IGNORECASE | re.DOTALL,
)
"""Files and folders of agents, by their name."""
_IN_HIDDEN = re.compile(
    r"(skills?|commands?|agents?|prompts?|rules|instructions|chatmodes|modes|hooks|steering|memory|memories)(-.*)?"
    r"|mcp[^/]*\.json",
    re.IGNORECASE | re.DOTALL,
)
"""Names that mark any hidden folder as an agent's: new agents use them, and so does GitHub in ``.github``."""
_LAUNCH = re.compile(
    r"bunfig\.toml|\.bin|\.tool-versions|\.prototools|\.?mise(\.[^/]+)?\.toml|\.(node|python)-version|\.nvmrc",
    re.IGNORECASE | re.DOTALL,
)
"""Files that decide, in the folder that a program starts in, which code it runs: Bun loads code that its settings
name, and managers of versions choose Node, or take the program from ``node_modules/.bin``."""
_INSTRUCTIONS = re.compile(
    r"(agents?|claude|gemini|qwen|crush|copilot-instructions)(\.(override|local))?\.md|skill\.md"
    r"|.+\.(instructions|prompt|chatmode|agent)\.md",
    re.IGNORECASE | re.DOTALL,
)
_PRIVATE = re.compile(
    r"\.env(\..+)?|\.envrc|.*\.(pem|key|p12|pfx|jks|keystore|kdbx|ppk)|id_(rsa|dsa|ecdsa|ed25519)"
    r"|[._]netrc|\.npmrc|\.pypirc|\.pgpass|\.htpasswd|\.git-credentials",
    re.IGNORECASE,
)
_HARMLESS = re.compile(r".*\.(example|sample|template|dist)", re.IGNORECASE)


def keeps_secrets(path: str) -> bool:
    """Return whether a file usually keeps secrets, by its name."""
    name = path.rpartition("/")[2]
    return _PRIVATE.fullmatch(name) is not None and not _HARMLESS.fullmatch(name)


def instructs(path: str) -> bool:
    """Return whether agents take a file for instructions, by its name."""
    return _INSTRUCTIONS.fullmatch(path.rpartition("/")[2]) is not None


def agent_settings(path: str) -> str | None:
    """Return the part of a path that holds an agent's settings, skills, commands or rules, or None.

    The repository has no say in who reviews it: hooks, servers to start, addresses for keys, orders.
    """
    return _part(path, _SETTINGS)


def withheld(path: str) -> str | None:
    """Return the part of a path that is kept from the folder that an agent starts in, settings or code; or None."""
    return _part(path, _SETTINGS, _LAUNCH)


def _part(path: str, *patterns: re.Pattern[str]) -> str | None:
    parts = path.split("/")
    for depth, part in enumerate(parts, 1):
        in_hidden = depth > 1 and parts[depth - 2].startswith(".") and _IN_HIDDEN.fullmatch(part)
        if in_hidden or any(pattern.fullmatch(part) for pattern in patterns):
            return "/".join(parts[:depth])
    return None
