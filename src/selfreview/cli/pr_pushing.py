"""Pushing the branch that is checked out: exactly its commit, plainly."""

from __future__ import annotations

import os

from selfreview.errors import GitError, UsageError
from selfreview.feedback.branch import Branch
from selfreview.feedback.transient_errors import MOVED
from selfreview.git.repo import Repo


def push_branch(repo: Repo, remote: str, name: str) -> str:
    """Push the current commit to the branch of the same name, and return it.

    Raises:
        UsageError: If the remote has commits that are not here.
        GitError: If the remote refuses.
    """
    branch = Branch(repo, remote, name, os.environ)
    commit = branch.head()
    seen = branch.there()
    if seen == commit:
        return commit
    refused = branch.push(commit, seen, hooks=True)
    if branch.there() == commit:
        branch.track()
        return commit
    if refused == MOVED:
        raise UsageError(f"{remote} has commits on {name} that are not here", hint=f"git pull --rebase {remote} {name}")
    raise GitError(f"the push was refused: {refused or 'the remote does not say why'}", hint=branch.said or None)
