"""Configuration keys that a request sets."""

from __future__ import annotations

from typing import Any

from selfreview.app.change import repo_paths
from selfreview.app.state import RunState
from selfreview.errors import UsageError


def keys(run: RunState) -> dict[str, Any]:
    """Return the configuration keys that the request sets; None where it does not.

    Raises:
        UsageError: If a document of requirements is not there.
    """
    request = run.request
    return {
        "severity_threshold": request.threshold,
        "max_issues": None if request.max_issues is None else {"total": request.max_issues},
        "strict": True if request.strict else None,
        "offline": True if request.offline else None,
        "color": request.color,
        "claude.effort": request.effort,
        "requirements": _requirements(run) or None,
    }


def _requirements(run: RunState) -> list[str]:
    """Return the documents that the request names, as patterns for exactly these."""
    request = run.request
    if request.requirements and run.repo is None:
        raise UsageError("--requirements needs a repository")
    for name in request.requirements:
        if not (request.folder / name).is_file():
            several = set(name) & set(",*?")
            hint = "repeat --requirements for each file" if several else "a path from the current folder"
            raise UsageError(f"there is no file {name!r} (--requirements)", hint=hint)
    return ["/" + path for path in repo_paths(run.repo, request.requirements, request.folder)] if run.repo else []
