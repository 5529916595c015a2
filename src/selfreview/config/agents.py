"""Validation of ``[agents.NAME]`` tables: a program that answers a prompt on its standard input."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import PurePath
from typing import Any

from selfreview.config.values import Problem, describe_type

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]*")
_VARIABLE = re.compile(r"(?!GIT_)[A-Za-z_][A-Za-z0-9_]*")
_KEYS = ("run", "fix", "format", "field", "env", "state")


def check_agents(value: Mapping[str, Any]) -> Problem | None:
    """Return the error in the ``[agents]`` table, or None."""
    for name, agent in value.items():
        if not _NAME.fullmatch(name):
            return Problem("must be named with letters, digits, '-' and '_'", (name,))
        if not isinstance(agent, Mapping):
            return Problem(f"must be a table such as [agents.{name}], not {describe_type(agent)}", (name,))
        for key, item in agent.items():
            found = _check(key, item)
            if found is not None:
                return Problem(found, (name, key), found.hint)
    return None


def check_runnable(value: Mapping[str, Any]) -> Problem | None:
    """Return what an agent lacks once all files are merged, or None."""
    return next((Problem("lacks the key 'run'", (name,)) for name, agent in value.items() if "run" not in agent), None)


def _check(key: str, value: Any) -> Problem | None:
    if key not in _KEYS:
        from selfreview.plugins.names import did_you_mean

        return Problem("is not a known key", hint=did_you_mean(key, _KEYS))
    if key == "format":
        return None if value in ("text", "json") else Problem("must be text or json")
    if key == "field":
        return None if isinstance(value, str) and value else Problem("must be a string")
    if not isinstance(value, list) or not all(isinstance(item, str) and item for item in value):
        return Problem("must be a list of strings")
    if key in ("run", "fix"):
        return None if value else Problem("must be a program and its arguments")
    if key == "state":
        wrong = [path for path in value if not _is_below(PurePath(path))]
        said = f"must hold paths below the home folder, such as .my-agent, not {wrong[0]}" if wrong else ""
        return Problem(said) if wrong else None
    wrong = [name for name in value if not _VARIABLE.fullmatch(name)]
    return Problem(f"must name environment variables, not git's: {wrong[0]}") if wrong else None


def _is_below(path: PurePath) -> bool:
    return bool(path.parts) and not path.is_absolute() and ".." not in path.parts and not path.parts[0].startswith("~")
