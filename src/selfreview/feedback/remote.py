"""Earlier answers as recorded on a remote's branch, read without any working tree of it."""

from __future__ import annotations

import os

from selfreview.errors import CycleError, GitError
from selfreview.feedback.branch import Branch
from selfreview.feedback.trailers import FixCommit, fix_commits
from selfreview.git.repo import Repo
from selfreview.model.feedback import ChangeRequest


def commits_of(repo: Repo, remote: str, path: str, request: ChangeRequest) -> list[FixCommit]:
    """Return the pushed commits that answer feedback on a pull request, oldest first; none for another repository's.

    Args:
        repo: Any working tree of the repository.
        remote: Name of the remote.
        path: ``owner/name`` of the repository.
        request: The pull request.
    """
    if not request.same_repository:
        return []
    branch = Branch(repo, remote, request.head, os.environ)
    try:
        branch.fetch(request.base)
    except (CycleError, GitError):  # the branch may be gone: then there is nothing on it
        return []
    base = f"refs/remotes/{remote}/{request.base}"
    return fix_commits(repo.git, f"{path}#{request.number}", branch.tracking, base)
