"""The baseline of a working tree, and where the files of its entries are now."""

from __future__ import annotations

from pathlib import Path

from selfreview.config.files import worktree_reader
from selfreview.errors import GitError
from selfreview.git.repo import Repo
from selfreview.git.safeopen import native
from selfreview.review.baseline import Entry, parse_baseline

_MOST_NAMES = 20
_RENAMED = ("-r", "--find-renames", "--diff-filter=R", "--name-status", "-z")


def read_baseline(root: Path, name: str) -> dict[str, Entry] | None:
    """Return the entries of a working tree's baseline by fingerprint, or None where there is no such file.

    Raises:
        ConfigError: If it cannot be read.
    """
    data = worktree_reader(root)(name)
    return None if data is None else parse_baseline(data, name)


def name_now(repo: Repo, name: str) -> str | None:
    """Return the path that a file of an entry has now, as git sees its renames; None where it is gone."""
    for _ in range(_MOST_NAMES):
        if native(repo.root, name).is_file():
            return name
        new = _renamed(repo, name)
        if new is None:
            return None
        name = new
    return None


def _renamed(repo: Repo, name: str) -> str | None:
    """Return the new name of a renamed file, in the working tree or else in the last commit that concerns it."""
    try:
        commit = repo.git.line(["rev-list", "-1", "HEAD", "--", name])
        looks = [["diff-index", *_RENAMED, "HEAD"]]
        if commit:
            looks.append(["diff-tree", *_RENAMED, "--no-commit-id", commit])
        for look in looks:
            fields = repo.git.run(look).decode("utf-8", "surrogateescape").split("\0")
            for old, new in zip(fields[1::3], fields[2::3], strict=False):
                if old == name:
                    return new
    except GitError:
        return None  # no commit yet
    return None
