"""Stage the files of an applied patch, so that the index is wholly old or wholly new whenever the process ends.

The new index is finished beside the old one, becomes ``index.lock`` by a hard link, which fails where git has a lock,
and then takes the place of the index. A lock that a killed process left is the same file as ours, so it is told from
git's.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import shutil
from collections.abc import Callable, Collection, Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

from selfreview.errors import ApplyError
from selfreview.git.objects import list_tree, read_blobs
from selfreview.git.repo import Repo
from selfreview.git.revisions import commit_of
from selfreview.git.run import Git
from selfreview.git.worktree_files import Entry
from selfreview.model.change import path_bytes, path_from_bytes

_HALF = "index.new."
ABSENT = ""
"""Index entry of a file that the index does not hold."""
_UNMERGED = "unmerged"
_UNTRACKED = "untracked: git add stages it"
_IN_CONFLICT = "in conflict in the index"
_NO_ROOM = "something else is in its place in the index"
_FLAGGED = "git was told to take it as unchanged (git update-index --assume-unchanged, --skip-worktree)"
_NOT_REVIEWED = "changes of yours that were not staged would be staged with it"


class _Edit(NamedTuple):
    """Edit of an index.

    Attributes:
        removed: Paths that go.
        added: By path, what git is to take: an entry as it writes it, or None for what is in the working tree.
    """

    removed: list[str]
    added: dict[str, str | None]


def indexed(git: Git, files: Mapping[str, Entry | None]) -> dict[str, str]:
    """Return the entries of the files of which the index holds what is given.

    Args:
        git: Git, with the index that is meant.
        files: By path, a file's content; None where it is absent.

    Returns:
        By path, mode and id as git writes them, or :data:`ABSENT`.

    Raises:
        GitError: If git fails.
    """
    known = _entries(git)
    found = {path: known.get(path, ABSENT) for path in files}
    return {path: found[path] for path, entry in files.items() if _is_of(git, path, found[path], entry)}


def stage(repo: Repo, folder: Path, was: Mapping[str, str], new: Mapping[str, Entry | None]) -> dict[str, str]:
    """Stage files as they are in the working tree, where the index holds what it did when that began.

    Args:
        repo: The person's repository.
        folder: A folder of our own on the same disk as the index.
        was: By path, what the index held; one of which it holds something else is left alone.
        new: By path, what the file is now.

    Returns:
        Why each of those is left alone that are, by path.

    Raises:
        ApplyError: If another process holds the index.
        GitError: If git fails.
    """
    skipped: dict[str, str] = {}

    def decide(git: Git) -> _Edit:
        known, flagged = _entries(git), _flagged(git)
        ours = [p for p in new if p in was and known.get(p, ABSENT) == was[p] and p not in flagged]
        removed = [path for path in ours if new[path] is None and was[path] != ABSENT]
        added = [path for path in ours if new[path] is not None]
        edit = _Edit(removed, dict.fromkeys(_without_blocked(added, known.keys() - set(removed)), None))
        others = {path: entry for path, entry in new.items() if path not in edit.added}
        done = {*edit.added, *removed, *indexed(git, others)}  # some were staged before a process was killed
        skipped.update((p, _FLAGGED if p in flagged else _why_skipped(p, known, removed)) for p in new if p not in done)
        return edit

    _replace(repo, folder, decide)
    return skipped


def committed(git: Git, since: str, files: Mapping[str, Entry | None]) -> dict[str, str]:
    """Return the entries of the files whose content was committed since some commit.

    Args:
        git: Git.
        since: The commit; empty: there was none.
        files: By path, a file's content; None where it is absent.

    Returns:
        By path, mode and id as git writes them, or :data:`ABSENT`.

    Raises:
        GitError: If git fails.
    """
    head = commit_of(git, "HEAD")
    if head in (None, since):
        return {}
    now, then = _committed(git, head), _committed(git, commit_of(git, since) if since else None)
    moved = {path: now.get(path, ABSENT) for path in files if now.get(path, ABSENT) != then.get(path, ABSENT)}
    return {path: found for path, found in moved.items() if _is_of(git, path, found, files[path])}


def unstage(repo: Repo, folder: Path, was: Mapping[str, str], new: Mapping[str, Entry | None]) -> None:
    """Restore the index entries of files, where the index still holds those that were staged since.

    Args:
        repo: The person's repository.
        folder: A folder of our own on the same disk as the index.
        was: By path, what the index held.
        new: By path, what was staged.

    Raises:
        ApplyError: If another process holds the index.
        GitError: If git fails.
    """

    def decide(git: Git) -> _Edit:
        known = _entries(git)
        moved = {path: new[path] for path in was if path in new and known.get(path, ABSENT) != was[path]}
        ours = indexed(git, moved)
        removed = [path for path in ours if was[path] == ABSENT]
        added = [path for path in ours if was[path] != ABSENT]
        return _Edit(removed, {path: was[path] for path in _without_blocked(added, known.keys() - set(removed))})

    _replace(repo, folder, decide)


def clear_index_lock(repo: Repo, folder: Path) -> None:
    """Remove the index lock of a killed selfreview process, and no other."""
    index = _index(repo)
    lock = index.with_name(index.name + ".lock")
    for half in _halves(folder):
        with contextlib.suppress(FileNotFoundError):
            if lock.samefile(half):
                lock.unlink()
        half.unlink(missing_ok=True)


def _replace(repo: Repo, folder: Path, decide: Callable[[Git], _Edit]) -> None:
    """Edit a copy of the index, and put it in its place, unless somebody has edited that meanwhile."""
    index = _index(repo)
    for half in _halves(folder):
        half.unlink(missing_ok=True)
    # A name that is new each time: git locks what it writes, and a git that was killed leaves that lock, too.
    half = folder / f"{_HALF}{secrets.token_hex(4)}"
    before = _stamp(index)
    shutil.copy2(index, half) if before is not None else None
    git = repo.git.with_env(GIT_INDEX_FILE=str(half))
    edit = decide(git)
    if not (edit.removed or edit.added):
        half.unlink(missing_ok=True)
        return
    _update(git, edit)
    lock = index.with_name(index.name + ".lock")
    try:
        os.link(half, lock)
    except FileExistsError:
        raise ApplyError("git's index is locked by another process", hint="try again when it is done") from None
    if _stamp(index) == before:
        lock.replace(index)
        half.unlink(missing_ok=True)
        return
    lock.unlink()
    half.unlink(missing_ok=True)
    raise ApplyError("the index was changed meanwhile")


def _index(repo: Repo) -> Path:
    """Return where the index is: what a link leads to is replaced and locked, as git does, and not the link."""
    return repo.index_file.resolve() if repo.index_file.is_symlink() else repo.index_file


def _update(git: Git, edit: _Edit) -> None:
    """Have git edit an index; removals come first, as a folder may take a file's place."""
    if edit.removed:
        git.run(["update-index", "-z", "--force-remove", "--stdin"], stdin=_listed(edit.removed))
    from_tree = [path for path, entry in edit.added.items() if entry is None]
    if from_tree:
        git.run(["update-index", "-z", "--add", "--stdin"], stdin=_listed(from_tree))
    lines = [entry.encode() + b"\t" + path_bytes(path) + b"\0" for path, entry in edit.added.items() if entry]
    if lines:
        git.run(["update-index", "-z", "--index-info"], stdin=b"".join(lines))


def _listed(paths: Iterable[str]) -> bytes:
    return b"".join(path_bytes(path) + b"\0" for path in paths)


def _halves(folder: Path) -> list[Path]:
    return list(folder.glob(f"{_HALF}*"))


def _entries(git: Git) -> dict[str, str]:
    """Return the index entries by path, as git writes them."""
    found: dict[str, str] = {}
    for line in git.run(["ls-files", "-z", "--stage"]).split(b"\0")[:-1]:
        state, _, name = line.partition(b"\t")
        mode, oid, number = state.decode().split(" ")
        found[path_from_bytes(name)] = f"{mode} {oid}" if number == "0" else _UNMERGED
    return found


def _flagged(git: Git) -> set[str]:
    """Return the paths whose files git takes as unchanged, so that it would stage nothing of them."""
    lines = git.run(["ls-files", "-z", "-v"]).split(b"\0")[:-1]
    return {path_from_bytes(line[2:]) for line in lines if line[:1] == b"S" or line[:1].islower()}


def _committed(git: Git, commit: str | None) -> dict[str, str]:
    """Return the entries of a commit by path; nothing where the commit is missing."""
    entries = list_tree(git, commit) if commit is not None else ()
    return {path_from_bytes(entry.path): f"{entry.mode.decode()} {entry.oid}" for entry in entries}


def _why_skipped(path: str, known: Mapping[str, str], removed: Collection[str]) -> str:
    """Return why a file of which the index holds something else was not staged."""
    if known.get(path) == _UNMERGED:
        return _IN_CONFLICT
    if not _without_blocked([path], known.keys() - {*removed, path}):
        return _NO_ROOM
    return _NOT_REVIEWED if path in known else _UNTRACKED


def _without_blocked(paths: Iterable[str], others: Collection[str]) -> list[str]:
    """Leave out the paths that cannot be in an index together with others: one would be a folder of the other."""
    taken = set(others)
    folders = {folder for path in taken for folder in _above(path)}
    return [path for path in paths if path not in folders and taken.isdisjoint(_above(path))]


def _above(path: str) -> list[str]:
    parts = path.split("/")
    return ["/".join(parts[:count]) for count in range(1, len(parts))]


def _is_of(git: Git, path: str, staged: str, entry: Entry | None) -> bool:
    """Return whether the index entry of a path has the mode and content of a file in the working tree."""
    if staged == ABSENT or entry is None:
        return staged == ABSENT and entry is None
    mode, _, oid = staged.partition(" ")
    if mode != entry.mode:
        return False
    if read_blobs(git, [oid]).get(oid) == entry.data:
        return True
    # Line ends or a filter: git says whether what was on disk is what it had stored.
    stored = git.run([b"hash-object", b"--path=" + path_bytes(path), b"--stdin"], stdin=entry.data)
    return stored.strip().decode() == oid


def _stamp(index: Path) -> tuple[int, int, int] | None:
    try:
        status = index.stat()
    except FileNotFoundError:
        return None
    return (status.st_ino, status.st_size, status.st_mtime_ns)
