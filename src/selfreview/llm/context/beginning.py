"""Files as they were at the beginning of refinement: what was a secret in them stays hidden from models."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from selfreview.api import ConfigView
    from selfreview.git.workspace import Workspace
    from selfreview.secrets.redactor import Redactor

BEGINNING = "refining.beginning"
"""Key of a workspace's configuration: what :func:`beginning` returned. No person sets it."""
MAX_BYTES = 2_000_000
"""Maximum bytes of a file that a model is shown or edits."""


def beginning(workspace: Workspace) -> dict[str, bytes]:
    """Return the content at the beginning of refinement of the files that were edited since, by path.

    Raises:
        GitError: If git cannot read the workspace.
    """
    entries = {
        path: workspace.at(workspace.start, path) for path in workspace.changed(workspace.start, workspace.tree())
    }
    return {path: b"" if entry is None else entry.data for path, entry in entries.items()}


def learn_beginning(
    redactor: Redactor, config: ConfigView, now: Callable[[Iterable[str]], Mapping[str, bytes]]
) -> None:
    """Learn the secrets of files as they were, and find where they are exposed by now.

    Args:
        redactor: What is to hide them.
        config: The configuration that reviewers or fixers are given.
        now: Returns the content of those of some paths that are files.
    """
    before: Mapping[str, bytes] = config.get(BEGINNING, {})
    if not before:  # nothing was refined
        return
    there = now(before)
    for data in before.values():
        redactor.learn(_text(data))
    for path, data in before.items():
        redactor.keep_hidden(_text(data), _text(there.get(path, b"")))


def _text(data: bytes) -> str:
    """Return a file's text; the empty text for a file that no model is shown."""
    return "" if len(data) > MAX_BYTES or b"\0" in data else data.decode("utf-8", "surrogateescape")
