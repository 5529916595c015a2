"""A private copy of the tree under review, in which an agent may do what it likes."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator, Mapping, Set
from pathlib import Path

from selfreview.api import ReviewContext
from selfreview.git.worktree_files import native
from selfreview.llm.transport.confinement import instructs, keeps_secrets, withheld

LARGEST = 20 * 1024 * 1024
"""Bytes of the largest file that is copied."""

_FILES_AT_ONCE = 500
_BYTES_AT_ONCE = 32 * 1024 * 1024


def copy_tree(
    context: ReviewContext, folder: Path, instructions: Mapping[str, bytes], absent: Set[str] = frozenset()
) -> list[str]:
    """Write every file of the tree to a folder, but for agents' settings, keepers of secrets, and very large files.

    A link becomes a file that holds its target's name, so that nothing leads out of the folder.

    Args:
        context: The change.
        folder: An empty folder.
        instructions: The files that agents take for instructions, as they count for this change.
        absent: Files that are left out.

    Returns:
        The paths that are left out because they are too large.

    Raises:
        GitError: If git fails.
    """
    for path, data in instructions.items():
        _write(folder, path, data)
    too_large = []
    shown = (
        path for path in context.list_paths() if _is_shown(path) and path not in instructions and path not in absent
    )
    for paths in _batches(shown, context.config.root):
        for path, data in context.read_paths(paths).items():
            if len(data) > LARGEST:
                too_large.append(path)
            else:
                _write(folder, path, data)
    return too_large


def _is_shown(path: str) -> bool:
    return not instructs(path) and not keeps_secrets(path) and withheld(path) is None


def _write(folder: Path, path: str, data: bytes) -> None:
    target = native(folder, path)
    # A folder in which there were instructions may have become a file, or the other way round: the instructions stay.
    with contextlib.suppress(FileExistsError, IsADirectoryError, NotADirectoryError):
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(data)


def _batches(paths: Iterable[str], root: Path | None) -> Iterator[list[str]]:
    """Split paths so that one batch fits into memory, as far as the sizes in the person's own tree tell."""
    batch: list[str] = []
    size = 0
    for path in paths:
        expected = _size(root, path)
        if batch and (len(batch) == _FILES_AT_ONCE or size + expected > _BYTES_AT_ONCE):
            yield batch
            batch, size = [], 0
        batch.append(path)
        size += expected
    if batch:
        yield batch


def _size(root: Path | None, path: str) -> int:
    """Return a file's size in a tree; one that is not there counts as one of many in a batch."""
    try:
        return _BYTES_AT_ONCE // _FILES_AT_ONCE if root is None else native(root, path).lstat().st_size
    except (OSError, ValueError):
        return _BYTES_AT_ONCE // _FILES_AT_ONCE
