"""Edits that hooks of the repository make on an applied fix: put back, and recognised where they undo the fix."""

from __future__ import annotations

import difflib
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path

from selfreview.apply.patches import Patch
from selfreview.git.repo import Repo
from selfreview.git.worktree_files import LINK, read_file, write_file
from selfreview.model.wire import display_path
from selfreview.pullrequest.feedback.suggestions import split


def as_applied(root: Path, patch: Patch) -> frozenset[str]:
    """Return the files of a patch that are in a tree as the patch has them."""
    files = {file.name: patch.entry(file.new) for file in patch.manifest.files}
    return frozenset(path for path, entry in files.items() if _is(root, path, entry))


def put_back(repo: Repo, patch: Patch, applied: Collection[str]) -> list[str]:
    """Restore files to the applied patch where they were changed since; git keeps the changed content.

    Args:
        repo: Where.
        patch: What was applied.
        applied: The files that were as applied before hooks ran; what others are is somebody's work, and stays.

    Returns:
        Where what was made of them can be seen, as sentences.

    Raises:
        GitError: If it cannot be kept; then it stays where it is.
        OSError: If a file cannot be written.
    """
    notes = []
    for file in patch.manifest.files:
        entry = patch.entry(file.new)
        if file.name not in applied or _is(repo.root, file.name, entry):
            continue
        there = read_file(repo.root, file.name)
        if there is not None and there.mode != LINK:
            kept = repo.git.run(["hash-object", "-w", "--no-filters", "--stdin"], stdin=there.data).decode().strip()
            notes.append(f"what it made of {display_path(file.name)} is shown by: git cat-file -p {kept[:12]}")
        write_file(repo.root, file.name, entry)
    return notes


def left_over(dirty: Collection[str]) -> list[str]:
    """Return the report on uncommitted changes that remain though the fix is taken back."""
    if not dirty:
        return []
    first, *others = sorted(map(display_path, dirty))
    what = f"{first} and {len(others)} more were" if others else f"{first} was"
    return [f"{what} edited meanwhile, by the hook or by somebody, and left so"]


def is_taken_back(texts: Sequence[bytes], lines: Sequence[int]) -> bool:
    """Return whether nothing remains of a fix's edits at some lines; if it had none there, of all its edits.

    Args:
        texts: The file before the fix, with it, and with what hooks made of that.
        lines: The first and the last one, in the file before the fix; 0 for the whole file.
    """
    (old, fixed, now), (first, last) = texts, lines
    edits = list(_edits(old, fixed))
    here = [edit for edit in edits if first and _meet(edit, (first - 1, last))] or edits
    left = list(_edits(old, now))
    return bool(here) and not any(_meet(edit, other) for edit in here for other in left)


def _edits(old: bytes, new: bytes) -> Iterator[tuple[int, int]]:
    """Yield the ranges of edited lines, start included and end excluded; both are the same for an insertion."""
    matcher = difflib.SequenceMatcher(None, split(old), split(new), autojunk=False)
    return ((first, end) for kind, first, end, _, _ in matcher.get_opcodes() if kind != "equal")


def _meet(one: tuple[int, int], other: tuple[int, int]) -> bool:
    inserts = one[0] == one[1] or other[0] == other[1]
    return max(one[0], other[0]) < min(one[1], other[1]) + inserts


def _is(root: Path, path: str, entry: object) -> bool:
    try:
        return read_file(root, path) == entry
    except OSError:
        return False
