"""A private copy of the tree under review, in which an agent may do what it likes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from selfreview.api import ReviewContext
from selfreview.git.safeopen import native
from selfreview.llm.guidelines import touched_paths

_OWN = frozenset((".claude", ".codex", ".gemini", ".mcp.json", ".env"))
"""What agents read settings from: hooks, servers to start, addresses for keys. The repository has no say there."""
_INSTRUCTIONS = frozenset(("agents.md", "claude.md", "gemini.md", "agents.override.md", "copilot-instructions.md"))
_AT_ONCE = 500


def copy_tree(context: ReviewContext, folder: Path) -> None:
    """Write every file of the tree to a folder, but for the agents' own settings.

    A link becomes a file that holds its target's name, so that nothing leads out of the folder.

    Raises:
        GitError: If git fails.
    """
    touched = touched_paths(context)
    known = [path for path in context.list_paths() if not _instructs(path) or path.casefold() not in touched]
    for paths in _batches(known):
        for path, data in context.read_paths(paths).items():
            target = native(folder, path)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(data)


def _instructs(path: str) -> bool:
    """Whether agents take a file for instructions; one that the change touches is not there for them."""
    return path.rpartition("/")[2].casefold() in _INSTRUCTIONS


def _batches(paths: list[str]) -> Iterator[list[str]]:
    wanted = [path for path in paths if not _OWN.intersection(path.casefold().split("/"))]
    for start in range(0, len(wanted), _AT_ONCE):
        yield wanted[start : start + _AT_ONCE]
