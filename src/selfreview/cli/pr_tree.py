"""The working tree of a pull request's branch: an existing one, or a new one where that is allowed."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

from selfreview.api import ChangeRequest
from selfreview.errors import GitError, NotHereError
from selfreview.git.repo import Repo, Tree, working_trees
from selfreview.git.run import Git, git_environment
from selfreview.model.wire import display_path


def session_branch(request: ChangeRequest) -> str:
    """Return the branch name under which a pull request's session is stored; that of a fork names the fork, too."""
    if request.same_repository:
        return request.head
    return f"{request.head_repository or 'gone'}:{request.head}#{request.number}"  # no branch can be called that


def find_tree(repo: Repo, branch: str) -> Tree | None:
    """Return the working tree that has a branch checked out, or None.

    Raises:
        GitError: If git cannot list them.
    """
    ref = f"refs/heads/{branch}"
    trees = working_trees(repo.git)
    found = next((tree for tree in trees if tree.branch == ref), None)
    if found is not None:
        return found
    return next((tree for tree in trees if not tree.gone and tree.branch is None and _rebased(tree.path) == ref), None)


def _rebased(folder: Path) -> str | None:
    """Return the branch that is being rebased in a working tree: during a rebase, none is checked out."""
    git_dir = Git(folder, git_environment(os.environ)).line(["rev-parse", "--absolute-git-dir"])
    for name in ("rebase-merge", "rebase-apply") if git_dir is not None else ():
        try:
            return (Path(git_dir or "") / name / "head-name").read_text("utf-8", "surrogateescape").strip()
        except OSError:
            continue
    return None


def tree_of(repo: Repo, remote: str, branch: str, *, recreate: bool) -> Path:
    """Return the folder of the working tree that has a branch.

    Args:
        repo: The repository.
        remote: Name of the remote that has the branch.
        branch: It.
        recreate: Whether one is made where there is none.

    Raises:
        NotHereError: If there is none, and none is made.
    """
    found = find_tree(repo, branch)
    if found is not None and not found.gone:
        return found.path
    what = f"the working tree of {branch} is gone: {display_path(str(found.path))}" if found is not None else (
        f"no working tree has {branch} checked out"
    )  # fmt: skip
    if not recreate:
        hint = f"git worktree add ../{branch.replace('/', '-')} {branch}, or set feedback.recreate_worktree"
        raise NotHereError(what, hint=hint)
    return _make(repo, remote, branch)


def own_folder(repo: Repo, branch: str) -> Path:
    """Return the folder of the working tree made, or to be made, for a branch.

    Raises:
        CycleError: If there is no place for it.
    """
    import platformdirs

    digest = hashlib.sha256(f"{repo.common_dir}\0{branch}".encode("utf-8", "surrogateescape")).hexdigest()[:12]
    try:
        return platformdirs.user_cache_path("selfreview", appauthor=False) / "worktrees" / digest
    except RuntimeError as error:  # nobody's home can be found
        raise NotHereError("there is no place for a working tree", hint="set XDG_CACHE_HOME") from error


def _make(repo: Repo, remote: str, branch: str) -> Path:
    folder = own_folder(repo, branch)
    repo.git.call(["worktree", "prune"])
    here = repo.git.line(["rev-parse", "--verify", "-q", f"refs/heads/{branch}"])
    which = [branch] if here is not None else ["--track", "-b", branch, f"refs/remotes/{remote}/{branch}"]
    try:
        folder.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        if here is None:
            refs = f"+refs/heads/{branch}:refs/remotes/{remote}/{branch}"
            repo.git.run(["fetch", "--no-tags", "--quiet", "--no-recurse-submodules", remote, refs])
        repo.git.run(["worktree", "add", "--quiet", *which[:-1], str(folder), which[-1]])
    except (GitError, OSError) as error:
        why = error.message if isinstance(error, GitError) else str(error)
        raise NotHereError(f"no working tree can be made for {branch}: {why}") from error
    return folder
