"""Creation of a workspace: check out the commit that the change begins with, copy what it adds, link what it shares."""

from __future__ import annotations

import contextlib
import dataclasses
import hashlib
import os
import re
from collections.abc import Iterable, Mapping
from pathlib import Path

from selfreview.errors import GitError
from selfreview.git.collect_change import Collected
from selfreview.git.repo import Repo, discover
from selfreview.git.run import Git
from selfreview.git.workspace import Blob, View, Workspace, quoted, workspace_environment
from selfreview.git.worktree_files import LINK, Entry, copy_file, make_room, mode_at, native, read_file, write_file
from selfreview.model.change import path_bytes, path_from_bytes

_SUBMODULE = b"160000"
_NOW = re.compile(rb"^\+Subproject commit ([0-9a-f]+)", re.MULTILINE)
_GIT_S = 300.0
"""Seconds that one git command may take in a workspace: what a program made there may keep it waiting for ever."""


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
        _check_out(repo, git, commit)
    brought: Mapping[str, Entry | Blob | None] = {}
    try:
        if resolved.cached:
            _bring_index(repo, collected, root, commit)
        elif resolved.new is None:
            brought = _bring_worktree(repo, collected, git, root, commit)
        if resolved.new is None:
            _bring_submodules(collected, git, root, commit or repo.empty_tree())
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


def _check_out(repo: Repo, git: Git, commit: str) -> None:
    try:
        git.run(["read-tree", "--reset", "-u", commit])
    except GitError as error:
        if repo.git.line(["config", "--get-regexp", r"^(extensions\.partialclone|remote\..*\.promisor)$"]) is None:
            raise
        hint = "a workspace needs all files of the commit: git sparse-checkout disable fetches them"
        raise GitError(f"this partial clone lacks files ({error.message})", hint=hint) from error


def _bring_index(repo: Repo, collected: Collected, root: Path, commit: str | None) -> None:
    """Copy the index's entries that differ from the commit."""
    against = commit or repo.empty_tree()
    raw = collected.git.run(["diff-index", "--cached", "-z", "--name-status", "--no-renames", against]).split(b"\0")
    pairs = list(zip(raw[::2], raw[1::2], strict=False))
    for status, name in pairs:
        if status == b"D":
            make_room(root, path_from_bytes(name))  # a submodule is a folder
            write_file(root, path_from_bytes(name), None)
    names = b"".join(name + b"\0" for status, name in pairs if status != b"D")
    prefix = os.fsencode(root) + b"/"
    collected.git.run([b"checkout-index", b"--force", b"-z", b"--stdin", b"--prefix=" + prefix], stdin=names)


def _bring_worktree(
    repo: Repo, collected: Collected, git: Git, root: Path, commit: str | None
) -> Mapping[str, Entry | Blob | None]:
    """Copy byte by byte the files that differ from the commit, and those of the change; return them by path."""
    against = commit or repo.empty_tree()
    options = ["-z", "--name-only", "--no-renames", "--ignore-submodules=all"]
    differing = {*map(path_from_bytes, collected.git.run(["diff", *options, against, "--"]).split(b"\0")[:-1])}
    changed = (path for file in collected.change.files for path in (file.path, file.path_at_base))
    apart = {file.path for file in collected.change.files if file.is_submodule or file.new_mode == "160000"}
    # What is not there, and no difference either, a sparse checkout leaves out: it is as it was committed.
    there = (path for path in changed if path in differing or mode_at(repo.root, path) is not None)
    paths = sorted({*differing, *there} - apart, key=path_bytes)
    for path in paths:
        if mode_at(repo.root, path) is None:
            write_file(root, path, None)  # before others are written: a folder may have become a file
    modes = {path: copy_file(repo.root, root, path) for path in paths}
    files = [path for path, mode in modes.items() if mode is not None and mode != LINK]
    # As they are, and not as git would keep them: it might write other line ends back.
    names = b"".join(quoted(path_bytes(path)) + b"\n" for path in files)
    oids = git.run(["hash-object", "-w", "--no-filters", "--stdin-paths"], stdin=names).decode().split()
    blobs = {path: Blob(modes[path] or "", oid) for path, oid in zip(files, oids, strict=True)}
    return {path: blobs.get(path) or read_file(root, path) for path in paths}


def _bring_submodules(collected: Collected, git: Git, root: Path, against: str) -> None:
    """Let the index say which commits of submodules are under review; their folders stay empty."""
    cached = ["--cached"] if collected.resolved.cached else []
    options = ["--no-ext-diff", "--no-renames", "--ignore-submodules=dirty", "--submodule=short", *cached]
    raw = collected.git.run(["diff", *options, "--raw", "-z", "--no-abbrev", against, "--"]).split(b"\0")
    for facts, name in zip(raw[::2], raw[1::2], strict=False):
        old, new = facts[1:].split(b" ")[:2]
        if _SUBMODULE not in (old, new):
            continue
        folder = native(root, path_from_bytes(name))
        now = _NOW.search(collected.git.run(["diff", *options, "--patch", against, "--", name]))
        if now is not None:
            folder.mkdir(parents=True, exist_ok=True)
            git.run([b"update-index", b"--add", b"--replace", b"--cacheinfo", b"160000,%s,%s" % (now.group(1), name)])
        elif old == _SUBMODULE:
            with contextlib.suppress(OSError):  # there is a file in its place
                folder.rmdir()


_CACHES = frozenset({".cache", ".vite", ".vite-temp", "__pycache__"})
"""Folders that tools fill whenever they run, and that are made again where they are gone: each tree has its own."""


def share(source: Path, root: Path, names: Iterable[str]) -> list[str]:
    """Make ignored folders of the person's tree usable in a workspace, as folders of links.

    A folder of links, not one link: a rule of ``.gitignore`` that ends in ``/`` ignores folders only. Caches at the top
    of a folder are not linked.

    Args:
        source: The person's top level.
        root: The workspace's.
        names: Paths below it.

    Returns:
        Those that are not there.
    """
    missing = []
    for name in names:
        there, here = source / name, root / name
        if not there.is_dir():
            missing.append(name)
            continue
        if here.exists():
            continue
        here.mkdir(parents=True)
        for item in there.iterdir():
            if item.name not in _CACHES:
                (here / item.name).symlink_to(item, target_is_directory=item.is_dir())
    return missing


def look_of(folder: Path) -> bytes:
    """Return a digest of a folder's entries: names, modes, sizes, inodes and times of change.

    The content is not read, so that large folders are quick. A time of the content that was set back is seen by the
    inode's own, where the system keeps one. Caches count: what an interpreter finds there, it runs.
    """
    digest = hashlib.sha256()
    folders = [os.fspath(folder)]
    while folders:
        try:
            entries = sorted(os.scandir(folders.pop()), key=lambda entry: entry.name)
        except OSError:  # gone meanwhile, or not to be read: neither is there for a program that runs as the person
            continue
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                folders.append(entry.path)
                continue
            try:
                status = entry.stat(follow_symlinks=False)
            except OSError:
                continue
            facts = (status.st_mode, status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino)
            digest.update(os.fsencode(entry.path) + b"\0" + repr(facts).encode())
    return digest.digest()
