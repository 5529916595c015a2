"""What a hook of the repository leaves of a fix whose commit it refuses."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

from selfreview.git.entry import LINK, read_file, write_file
from selfreview.git.repo import Repo
from selfreview.loop.patches import Patch
from selfreview.model.wire import display_path


def as_applied(root: Path, patch: Patch) -> frozenset[str]:
    """Return which files of a patch are in a tree as the patch has them."""
    files = {file.name: patch.entry(file.new) for file in patch.manifest.files}
    return frozenset(path for path, entry in files.items() if _is(root, path, entry))


def put_back(repo: Repo, patch: Patch, applied: Collection[str]) -> list[str]:
    """Put files back to what was applied, where something was made of them since; all that was there is kept by git.

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
    told = []
    for file in patch.manifest.files:
        entry = patch.entry(file.new)
        if file.name not in applied or _is(repo.root, file.name, entry):
            continue
        there = read_file(repo.root, file.name)
        if there is not None and there.mode != LINK:
            kept = repo.git.run(["hash-object", "-w", "--no-filters", "--stdin"], stdin=there.data).decode().strip()
            told.append(f"what it made of {display_path(file.name)} is shown by: git cat-file -p {kept[:12]}")
        write_file(repo.root, file.name, entry)
    return told


def left_over(dirty: Collection[str]) -> list[str]:
    """Return what is said of files that are not as they are committed, though the fix is taken back."""
    if not dirty:
        return []
    first, *others = sorted(map(display_path, dirty))
    more = f" and {len(others)} more" if others else ""
    return [f"{first}{more} was edited meanwhile, by the hook or by somebody, and is left as it is"]


def _is(root: Path, path: str, entry: object) -> bool:
    try:
        return read_file(root, path) == entry
    except OSError:
        return False
