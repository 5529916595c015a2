"""The files that tell tools how to review, as the tip of the base has them."""

from __future__ import annotations

import builtins
from collections.abc import Iterable

from selfreview.git.objects import find_blobs, read_blobs
from selfreview.git.repo import Repo
from selfreview.model.change import path_bytes, path_from_bytes


class BaseSettings:
    """Reader of the files of a commit.

    Args:
        repo: The repository.
        commit: The full id of the base's tip.
    """

    def __init__(self, repo: Repo, commit: str) -> None:
        self._git = repo.git
        self._commit = commit

    def find(self, paths: Iterable[str]) -> dict[str, bytes]:
        """Return the content of those of the paths that are regular files of the base."""
        found = find_blobs(self._git, self._commit, [path_bytes(path) for path in paths])
        blobs = read_blobs(self._git, found.values())
        return {path_from_bytes(path): blobs[oid] for path, oid in found.items() if oid in blobs}

    def list(self, folder: str) -> builtins.list[str]:
        """Return the paths of all files of the base below a folder, sorted."""
        below = path_bytes(f"{folder}/")
        asked = ("ls-tree", "-r", "-z", "--name-only", "--full-tree", self._commit, "--", below)
        return sorted(path_from_bytes(path) for path in self._git.run(asked, fixed=True).split(b"\0")[:-1])
