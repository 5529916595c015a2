"""Set aside, while an agent works, what would tell it what to do, and what leads out of the workspace."""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path

from selfreview.api import FixContext
from selfreview.git.safeopen import native
from selfreview.model.change import path_from_bytes

_SETTINGS = frozenset((".claude", ".codex", ".gemini", ".mcp.json", ".env"))
"""What agents read settings from: hooks, servers to start, addresses for keys. The repository has no say there."""
_INSTRUCTIONS = frozenset(("agents.md", "claude.md", "gemini.md", "agents.override.md", "copilot-instructions.md"))
"""What agents take instructions from; what the change touches of it was not agreed on yet."""
_LS_FILES = ("git", "-c", "core.fsmonitor=false", "ls-files", "-z", "--cached", "--others", "--exclude-standard")
_DIFF = ("git", "-c", "core.fsmonitor=false", "diff", "--cached", "--name-only", "--no-renames", "--no-ext-diff", "-z")


@contextlib.contextmanager
def set_aside(context: FixContext) -> Iterator[None]:
    """Move it out of the workspace for as long as the context lasts; what is there then instead is removed.

    Raises:
        ToolError: If git cannot list the workspace.
        OSError: If something cannot be moved.
    """
    with tempfile.TemporaryDirectory(prefix="selfreview-aside-", ignore_cleanup_errors=True) as name:
        moved: list[tuple[Path, Path]] = []
        try:
            for number, path in enumerate(_wanted(context)):
                target, kept = native(context.root, path), Path(name, str(number))
                shutil.move(target, kept)
                moved.append((target, kept))
            yield
        finally:
            for target, kept in moved:
                _remove(target)
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.move(kept, target)


def _wanted(context: FixContext) -> list[str]:
    """Return the paths, folders as a whole, of which none lies in another."""
    there = _names(context.run(_LS_FILES).stdout)
    touched = {file.path.casefold() for file in context.change.files}
    base = context.change.scope.merge_base
    if base is not None:
        # The files under review may have been narrowed down; what the change touches is more than those.
        done = context.run([*_DIFF, base, "--"], ok=(0, 128))
        touched.update(path.casefold() for path in _names(done.stdout))
    wanted = {found for path in there if (found := _settings(path)) is not None}
    wanted.update(path for path in there if _instructs(path) and path.casefold() in touched)
    wanted.update(path for path in there if _leads_out(context.root, path))
    wanted.update(entry.name for entry in os.scandir(context.root) if entry.name.casefold() in _SETTINGS)
    outermost = (path for path in wanted if not any(path.startswith(f"{other}/") for other in wanted))
    return sorted(path for path in outermost if os.path.lexists(native(context.root, path)))


def _names(output: bytes) -> Iterable[str]:
    return [path_from_bytes(name) for name in output.split(b"\0")[:-1]]


def _settings(path: str) -> str | None:
    """Return the part of a path that is an agent's settings, or None."""
    parts = path.split("/")
    for depth, part in enumerate(parts, 1):
        if part.casefold() in _SETTINGS:
            return "/".join(parts[:depth])
    return None


def _instructs(path: str) -> bool:
    return path.rpartition("/")[2].casefold() in _INSTRUCTIONS


def _leads_out(root: Path, path: str) -> bool:
    """Whether there is a link that leads out of a tree, or into its git directory."""
    target = native(root, path)
    if not target.is_symlink():
        return False
    try:
        inside = target.resolve().relative_to(root.resolve())
    except (OSError, RuntimeError, ValueError):
        return True
    return inside.parts[:1] == (".git",)


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)
