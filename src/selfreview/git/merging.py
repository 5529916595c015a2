"""Paths that a merge in progress takes from none of its parents."""

from __future__ import annotations

from selfreview.errors import GitError
from selfreview.git.repo import Repo
from selfreview.model.change import path_from_bytes


def resolved_paths(repo: Repo) -> frozenset[str] | None:
    """Return the paths that a merge in progress takes from none of its parents as they are there.

    These are the files that were in conflict, those that both sides changed, and what was changed on top. All others
    are somebody's commit already.

    Returns:
        Paths from the top level, or None if no merge is in progress.

    Raises:
        GitError: If git cannot tell.
    """
    try:
        merged = (repo.git_dir / "MERGE_HEAD").read_text().split()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise GitError(f"MERGE_HEAD cannot be read: {error.strerror or error}") from error
    options = ["--cached", "--name-only", "-z", "--no-renames", "--no-relative", "--ignore-submodules=none"]
    differing = [repo.git.run(["diff", *options, parent, "--"]).split(b"\0")[:-1] for parent in ("HEAD", *merged)]
    return frozenset(map(path_from_bytes, set(differing[0]).intersection(*differing[1:])))
