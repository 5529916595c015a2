"""The base of a gate: the tip with which the change is compared, and whose files are trusted."""

from __future__ import annotations

import builtins
from collections.abc import Iterable
from typing import NamedTuple

from selfreview.ci import CiChange, remote_branch
from selfreview.errors import ScopeError, UsageError
from selfreview.git.objects import find_blobs, list_top, list_tree, read_blobs
from selfreview.git.repo import Repo
from selfreview.git.revisions import Meaning, is_ancestor, merge_bases, no_such_base, only_commit, only_meaning
from selfreview.model.change import path_bytes, path_from_bytes
from selfreview.text.escape import visible

_DEEPEN = {
    "GitHub Actions": "check out with fetch-depth: 0",
    "GitLab CI": "set GIT_DEPTH: 0",
}


class Trusted(NamedTuple):
    """A trusted base.

    Attributes:
        commit: The id of its tip.
        name: What a person would call it.
        fork: Whether the change comes from another repository; None where nobody says.
        meaning: What the name means; None where only the name is known.
    """

    commit: str
    name: str
    fork: bool | None
    meaning: Meaning | None = None


class Head(NamedTuple):
    """The revision under review: its name for a person, and its commit, or None where it is not here."""

    name: str
    commit: str | None


def trusted_base(repo: Repo, given: str | None, head: Head, ci: CiChange | None) -> Trusted:
    """Return the base of a gate: from the command line, or else from the CI system, and from nowhere else.

    Args:
        repo: The repository.
        given: ``--base``, or None.
        head: The revision under review.
        ci: What the CI system says, or None outside of one.

    Raises:
        UsageError: If nobody names a base.
        ScopeError: If it is not in this clone, if a name can mean several commits or the change several things, or if
            what is checked out is not what the CI system says is reviewed.
    """
    found = _find_base(repo, given, head, ci)
    if ci is not None and ci.merged is not None and not _holds(repo, head.commit, ci.merged):
        raise ScopeError(
            f"{head.name} does not hold {ci.merged[:12]}, which {ci.system} says is under review",
            hint="check out the head of the pull request: under pull_request_target the base is checked out",
        )
    _check_merge_bases(repo, found, head)
    return found


def _check_merge_bases(repo: Repo, base: Trusted, head: Head) -> None:
    """Refuse a criss-cross history.

    Against one merge base a change does not show what a merge takes back that the other brought.
    """
    if head.commit is not None and len(merge_bases(repo, base.commit, head.commit)) > 1:
        raise ScopeError(
            f"{base.name} and {head.name} have several merge bases: no single diff shows all of the change",
            hint=f"merge {base.name} into the change, or rebase it",
        )


def _holds(repo: Repo, head: str | None, commit: str) -> bool:
    """Return whether a revision is the given commit or a descendant of it."""
    return head is not None and is_ancestor(repo, commit, f"{head}^{{commit}}")


def _find_base(repo: Repo, given: str | None, head: Head, ci: CiChange | None) -> Trusted:
    fork = ci.fork if ci is not None else None
    if given is not None:
        found = only_meaning(repo.git, given)
        if found is None:
            raise no_such_base(repo, given)
        return Trusted(found.commit, given, fork, found)
    if ci is None:
        raise UsageError(
            "the base to compare with is not known: none was given, and no CI system was recognised",
            hint="give --base REF, or set SELFREVIEW_CI_BASE; GitHub Actions and GitLab CI are recognised",
        )
    if not ci.bases:
        kind = f" ({visible(ci.kind)})" if ci.kind else ""
        hint = "let the gate run for pull or merge requests and pushes alone, or name the base with --base REF"
        raise UsageError(f"{ci.system} names no base for this run{kind}", hint=hint)
    parent = _first_parent(repo, head.commit, ci.merged)
    if parent is not None:
        _check_parent(repo, parent, ci)
        return Trusted(parent, ci.target or parent, fork)
    for name in ci.bases:
        commit = only_commit(repo.git, name)
        if commit is not None:
            return Trusted(commit, ci.target or name, fork)
    hint = _DEEPEN.get(ci.system, "fetch it before the gate runs")
    raise ScopeError(f"the base that {ci.system} names is not in this clone: {ci.bases[0]}", hint=hint)


def _check_parent(repo: Repo, parent: str, ci: CiChange) -> None:
    """Refuse a merge whose first parent is not of the target branch: its author could have made it, and the parent.

    Raises:
        ScopeError: If nothing that the author has no say in knows this parent.
    """
    if parent in ci.bases or any(_holds(repo, branch, parent) for branch in remote_branch(ci.target)):
        return
    branch = ci.target or "the target branch"
    raise ScopeError(
        f"what is checked out merges the change into {parent[:12]}, which is not known to be of {branch}",
        hint=_DEEPEN.get(ci.system, f"fetch {branch} before the gate runs"),
    )


def _first_parent(repo: Repo, head: str | None, merged: str | None) -> str | None:
    """Return the first parent where what is checked out is the CI's own merge of the base and the head.

    The base may have moved on since the event: with the base as it was then, others' commits would be reviewed too.
    """
    if head is None or merged is None or head == merged:
        return None
    parents = (repo.git.line(["rev-list", "--parents", "-n", "1", head]) or "").split()[1:]
    return parents[0] if len(parents) == 2 and parents[1] == merged else None


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
        found = find_blobs(self._git, self._commit, filter(self._may_be_there, map(path_bytes, paths)))
        blobs = read_blobs(self._git, found.values())
        return {path_from_bytes(path): blobs[oid] for path, oid in found.items() if oid in blobs}

    def list(self, folder: str) -> builtins.list[str]:
        """Return the paths of all files of the base below a folder, sorted."""
        below = path_bytes(f"{folder}/")
        if not self._may_be_there(below):
            return []
        return sorted(path_from_bytes(entry.path) for entry in list_tree(self._git, self._commit, below))

    def _may_be_there(self, path: bytes) -> bool:
        """Return whether the top level has the path's first part; it is listed for the gate's own settings anyhow."""
        return path.partition(b"/")[0] in list_top(self._git, self._commit)
