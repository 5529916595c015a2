"""Set aside, while an agent works, settings and instructions of agents, files with secrets, and links that lead out."""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Iterable, Iterator
from pathlib import Path

from selfreview.api import FixContext
from selfreview.git.entry import make_room
from selfreview.git.privatefolder import PrivateFolder
from selfreview.git.run import as_tool
from selfreview.git.safeopen import native
from selfreview.llm.transport.withheld import instructs, keeps_secrets, withheld
from selfreview.model.change import path_from_bytes

_LS_FILES = ("ls-files", "-z", "--cached", "--others", "--exclude-standard")
_DIFF = ("diff", "--cached", "--name-only", "--no-renames", "--no-ext-diff", "-z")


@contextlib.contextmanager
def set_aside(context: FixContext) -> Iterator[None]:
    """Move them out of the workspace for as long as the context lasts; files in their place are removed afterwards.

    Raises:
        ToolError: If git cannot list the workspace.
        OSError: If something cannot be moved.
    """
    with PrivateFolder("aside") as name:
        moved: list[tuple[str, Path]] = []
        try:
            for number, path in enumerate(_paths(context)):
                kept = Path(name, str(number))
                shutil.move(native(context.root, path), kept)
                moved.append((path, kept))
            yield
        finally:
            failures = [error for path, kept in moved if (error := _put_back(context.root, path, kept)) is not None]
            if failures:
                raise failures[0]


def _paths(context: FixContext) -> list[str]:
    """Return the paths to set aside, folders as a whole; none lies in another."""
    argv, env = as_tool(_LS_FILES)
    there = _names(context.run(argv, env=env).stdout)
    touched = {file.path.casefold() for file in context.change.files}
    base = context.change.scope.merge_base
    if base is not None:
        # The files under review may have been narrowed down; what the change touches is more than those.
        argv, env = as_tool([*_DIFF, base, "--"])
        done = context.run(argv, env=env, ok=(0, 128))
        touched.update(path.casefold() for path in _names(done.stdout))
    wanted = {found for path in there if (found := withheld(path)) is not None}
    wanted.update(path for path in there if keeps_secrets(path))
    wanted.update(path for path in there if instructs(path) and path.casefold() in touched)
    wanted.update(path for path in there if _leads_out(context.root, path))
    beside = list(os.scandir(context.root))  # also what git ignores
    wanted.update(entry.name for entry in beside if withheld(entry.name) is not None)
    wanted.update(entry.name for entry in beside if keeps_secrets(entry.name) and not entry.is_dir())
    outermost = (path for path in wanted if not any(path.startswith(f"{other}/") for other in wanted))
    return sorted(path for path in outermost if os.path.lexists(native(context.root, path)))


def _names(output: bytes) -> Iterable[str]:
    return [path_from_bytes(name) for name in output.split(b"\0")[:-1]]


def _leads_out(root: Path, path: str) -> bool:
    """Return whether a path is a link that leads out of a tree, or into its git directory."""
    target = native(root, path)
    if not target.is_symlink():
        return False
    try:
        inside = target.resolve().relative_to(root.resolve())
    except (OSError, RuntimeError, ValueError):
        return True
    return inside.parts[:1] == (".git",)


def _put_back(root: Path, path: str, kept: Path) -> OSError | None:
    """Restore a path; nothing is removed or written behind a link that the agent made on the way."""
    target = native(root, path)
    try:
        make_room(root, path)
        target.unlink(missing_ok=True)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.move(kept, target)
    except OSError as error:
        return error
    return None
