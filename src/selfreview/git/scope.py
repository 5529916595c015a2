"""The scope: which two sides are compared for the review that a person asks for."""

from __future__ import annotations

import dataclasses

from selfreview.errors import GitError, ScopeError, UsageError
from selfreview.git.repo import Repo
from selfreview.git.revisions import (
    Base,
    CheckedOut,
    behind,
    checked_out,
    commit_of,
    common_ancestors,
    current_branch,
    discover_base,
    head_of,
    named_base,
)
from selfreview.model.change import Scope, path_from_bytes


@dataclasses.dataclass(frozen=True, kw_only=True)
class ScopeRequest:
    """A request to review: at most one of the modes.

    Attributes:
        base: A base by name, or None to find one.
        head: With ``base``: committed content only, up to here.
        staged: The index against HEAD.
        commit: One commit.
        range: ``A..B`` or ``A...B``; in ``A..B``, A may be the id of the empty tree.
        paths: Limit to these, relative to the repository's root, ``/``-separated; a folder stands for what is below.
        merge: Whether the paths are those that a merge takes from none of its parents: then they are all of it.
        checked_out: What is checked out, where that was looked up already.
    """

    base: str | None = None
    head: str | None = None
    staged: bool = False
    commit: str | None = None
    range: str | None = None
    paths: tuple[str, ...] = ()
    merge: bool = False
    checked_out: CheckedOut | None = None


@dataclasses.dataclass(frozen=True)
class Resolved:
    """Both sides of the comparison.

    Attributes:
        scope: As the result names it, still without the tree.
        old: Commit or tree on the old side.
        new: Commit on the new side, or None for the index or the working tree.
        cached: Whether the new side is the index.
        commits: The commits under review as ``git log`` takes them: up to which one, and without the history of
            which; nothing where no commit is reviewed by itself.
        own: The checked-out branch where it is what is under review, or None.
    """

    scope: Scope
    old: str
    new: str | None
    cached: bool = False
    commits: tuple[str, ...] = ()
    own: str | None = None


def resolve(repo: Repo, request: ScopeRequest) -> Resolved:
    """Find both sides of a request.

    Raises:
        ScopeError: If something named does not exist here, or history is cut off.
        UsageError: If the request contradicts itself.
    """
    modes = [bool(request.staged), request.commit is not None, request.range is not None]
    if sum(modes) > 1 or (any(modes) and (request.base is not None or request.head is not None)):
        raise UsageError("--base/--head, --staged, --commit and --range exclude one another")
    if "" in (request.base, request.head, request.commit, request.range):
        raise UsageError("an option that names a revision is empty", hint="is a variable unset?")
    if request.commit is not None:
        return _commit(repo, request.commit)
    if request.range is not None:
        return _range(repo, request.range)
    if request.head is not None:
        return _head(repo, request, request.head)
    head, branch = head_of(repo)
    if request.staged:
        scope = Scope(mode="staged", base="HEAD", merge_base=head, head=head, branch=branch, uncommitted=True)
        return Resolved(scope, head or repo.empty_tree(), None, cached=True)
    if head is None:
        if request.base is not None:
            raise ScopeError("this branch has no commit yet, so it has no merge base", hint="leave --base out")
        scope = Scope(mode="branch", branch=branch, uncommitted=True, notes=("this branch has no commit yet",))
        return Resolved(scope, repo.empty_tree(), None)
    base = _base_of(repo, request.base, head, branch)
    ancestor, *others = common_ancestors(repo, base, head)
    notes = (*_crossed(base, others), *_behind(repo, base, head))
    scope = Scope(mode="branch", base=base.name, merge_base=ancestor, head=head, branch=branch, notes=notes)
    return Resolved(scope, ancestor, None, commits=_between(base.commit, head), own=branch)


def _between(old: str, new: str) -> tuple[str, ...]:
    """Return the commits in the history of one and not in that of another, as ``git log`` takes them."""
    return (new, f"^{old}") if old != new else ()


def _crossed(base: Base, others: list[str]) -> tuple[str, ...]:
    """Say where history crosses over, so that the change is more than what is shown."""
    what = f"{base.name} has {len(others) + 1} merge bases with this, and one of them is compared with"
    return (f"{what}; merge {base.name} to see all that changes",) if others else ()


def _behind(repo: Repo, base: Base, head: str) -> tuple[str, ...]:
    note = behind(repo, base, head)
    return (note,) if note is not None else ()


def _head(repo: Repo, request: ScopeRequest, name: str) -> Resolved:
    head = _named_commit(repo, name)
    now, branch = request.checked_out or checked_out(repo.git)
    own = branch if head == now else None  # others have the default base
    base = _base_of(repo, request.base, head, own)
    ancestor, *others = common_ancestors(repo, base, head)
    notes = (*_crossed(base, others), *_behind(repo, base, head))
    scope = Scope(mode="head", base=base.name, merge_base=ancestor, head=head, branch=branch, notes=notes)
    return Resolved(scope, ancestor, head, commits=_between(base.commit, head), own=own)


def _base_of(repo: Repo, name: str | None, head: str, own: str | None) -> Base:
    return named_base(repo, name) if name is not None else discover_base(repo, head, own)


def usual_merge_base(repo: Repo, resolved: Resolved, base: str | None) -> str | None:
    """Return the commit that a branch or a revision would be compared with if nobody had named its base.

    Args:
        repo: The repository.
        resolved: The branch or the revision.
        base: The base by configuration, or None to find one.

    Returns:
        The merge base, or None where there is no commit yet.

    Raises:
        ScopeError: If there is no such base, or history is cut off.
    """
    head = resolved.scope.head
    if head is None:
        return None
    return common_ancestors(repo, _base_of(repo, base, head, resolved.own), head)[0]


def _commit(repo: Repo, name: str) -> Resolved:
    commit = _named_commit(repo, name)
    parent = commit_of(repo.git, commit + "^1")
    if parent is None and b"\nparent " in repo.git.run(["cat-file", "commit", commit]).partition(b"\n\n")[0]:
        raise ScopeError(f"the parent of {name} is beyond the end of this shallow clone", hint="git fetch --deepen=1")
    merge = commit_of(repo.git, commit + "^2") is not None
    notes = (f"{name} is a merge, compared with its first parent: all that it merged counts as new",) if merge else ()
    branch = current_branch(repo.git)
    scope = Scope(mode="commit", base=parent, merge_base=parent, head=commit, branch=branch, notes=notes)
    return Resolved(scope, parent or repo.empty_tree(), commit)


def _range(repo: Repo, text: str) -> Resolved:
    symmetric = "..." in text
    left, separator, right = text.partition("..." if symmetric else "..")
    if not separator:
        raise UsageError(
            f"{text!r} is not a range", hint="--range A..B compares both ends, A...B starts at the merge base"
        )
    head = _named_commit(repo, right or "HEAD")
    if not symmetric and left == repo.empty_tree():
        return Resolved(Scope(mode="range", head=head), left, head, commits=(head,))
    old = _named_commit(repo, left or "HEAD")
    commits = _between(old, head)
    if symmetric:
        old = common_ancestors(repo, Base(left or "HEAD", old), head)[0]
    branch = current_branch(repo.git)
    scope = Scope(mode="range", base=left or "HEAD", merge_base=old, head=head, branch=branch)
    return Resolved(scope, old, head, commits=commits)


def _named_commit(repo: Repo, name: str) -> str:
    commit = commit_of(repo.git, name)
    if commit is None:
        raise ScopeError(f"{name!r} names no commit in this repository")
    return commit


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
