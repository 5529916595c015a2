"""Make a workspace: check out what the change begins with, and bring what it adds to that."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Mapping
from pathlib import Path

from selfreview.errors import GitError
from selfreview.git.collect import Collected
from selfreview.git.entry import Entry, read_file, write_file
from selfreview.git.repo import Repo, discover
from selfreview.git.run import Git
from selfreview.git.safeopen import native
from selfreview.git.workspace import Workspace
from selfreview.git.workspace_view import View, workspace_environment
from selfreview.model.change import path_bytes, path_from_bytes

_GIT_S = 300.0
"""Seconds that git may take for one thing in a workspace: what a program made there may keep it waiting for ever."""
_LARGEST_NEW = 64 * 1024 * 1024
"""Bytes."""


def make_workspace(repo: Repo, collected: Collected, root: Path) -> Workspace:
    """Make a workspace in an empty folder.

    Args:
        repo: The person's repository; it is only read.
        collected: What is under review.
        root: An empty folder, best on the same disk.

    Raises:
        GitError: If git cannot, or a file of the change cannot be read.
    """
    resolved = collected.resolved
    commit = resolved.new or resolved.scope.head
    view = View(repo, root, commit)
    git = _initialise(repo, root, view)
    if commit is not None:
        git.run(["read-tree", "--reset", "-u", commit])
    brought: Mapping[str, Entry | None] = {}
    try:
        if resolved.cached:
            _bring_index(repo, collected, root, commit)
        elif resolved.new is None:
            brought = _bring_worktree(repo, collected, root, commit)
    except OSError as error:
        raise GitError(f"the change cannot be copied: {error}") from error
    found = dataclasses.replace(discover(root, git.environ), git=git)
    made = Workspace(found, brought, view)
    made.refresh_view()
    return made


def _initialise(repo: Repo, root: Path, view: View) -> Git:
    """Make the git directory that we use, beside the workspace."""
    folder = root.with_name(f"{root.name}.git")
    git = Git(root, {**workspace_environment(repo), "GIT_DIR": str(folder), "GIT_WORK_TREE": str(root)}, timeout=_GIT_S)
    view.fill(git, folder)
    return git


def _bring_index(repo: Repo, collected: Collected, root: Path, commit: str | None) -> None:
    """Copy what the index holds beyond the commit."""
    against = commit or repo.empty_tree()
    raw = collected.git.run(["diff-index", "--cached", "-z", "--name-status", "--no-renames", against]).split(b"\0")
    pairs = list(zip(raw[::2], raw[1::2], strict=False))
    for status, name in pairs:
        if status == b"D":
            write_file(root, path_from_bytes(name), None)
    names = b"".join(name + b"\0" for status, name in pairs if status != b"D")
    prefix = os.fsencode(root) + b"/"
    collected.git.run([b"checkout-index", b"--force", b"-z", b"--stdin", b"--prefix=" + prefix], stdin=names)


def _bring_worktree(repo: Repo, collected: Collected, root: Path, commit: str | None) -> Mapping[str, Entry | None]:
    """Copy the files that differ from the commit, and those of the change, byte by byte; return them."""
    against = commit or repo.empty_tree()
    options = ["-z", "--name-status", "--no-renames", "--ignore-submodules=all"]
    raw = collected.git.run(["diff", *options, against, "--"]).split(b"\0")
    states = {path_from_bytes(name): state for state, name in zip(raw[::2], raw[1::2], strict=False)}
    changed = (path for file in collected.change.files for path in (file.path, file.path_at_base))
    apart = {file.path for file in collected.change.files if file.is_submodule or file.new_mode == "160000"}
    entries: dict[str, Entry | None] = {}
    for path in sorted({*states, *changed} - apart, key=path_bytes):
        if states.get(path) != b"A" or not _is_large(repo.root, path):
            entries[path] = read_file(repo.root, path)
    for path in sorted(entries, key=lambda path: entries[path] is not None):  # a folder may have become a file
        write_file(root, path, entries[path])
    return entries


def _is_large(root: Path, path: str) -> bool:
    """Whether a new file is so large that it is no part of a review; it is left behind."""
    try:
        return native(root, path).lstat().st_size > _LARGEST_NEW
    except (FileNotFoundError, NotADirectoryError):
        return False
