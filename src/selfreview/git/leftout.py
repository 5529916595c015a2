"""Work that the scope leaves out but somebody may take for reviewed: not staged, not committed, or committed later."""

from __future__ import annotations

from collections.abc import Iterator

from selfreview.git.base import is_ancestor
from selfreview.git.collect import Collected
from selfreview.git.repo import Repo
from selfreview.model.change import LeftOut

_OPTIONS = ("--porcelain=v2", "-z", "--no-renames", "--untracked-files=all", "--ignore-submodules=dirty")


def left_out(repo: Repo, collected: Collected) -> tuple[LeftOut, ...]:
    """Return what a scope leaves out of the work in this working tree, besides what lies outside of the paths given.

    Of a revision that HEAD does not hold, nobody takes the working tree for a part.

    Raises:
        GitError: If git cannot tell.
    """
    return tuple(one for one in _counted(repo, collected) if one.count)


def elsewhere(count: int, *, merge: bool = False) -> LeftOut:
    """Return the changed files that are not under the paths given, or that a merge takes as one side has them."""
    return LeftOut.of(count, "changed file", " taken from one side" if merge else " elsewhere")


def _counted(repo: Repo, collected: Collected) -> Iterator[LeftOut]:
    resolved, head = collected.resolved, collected.resolved.scope.head
    if resolved.scope.mode == "branch":
        return
    if not resolved.cached:
        now = repo.git.line(["rev-parse", "--verify", "-q", "HEAD^{commit}"])
        if head is None or now is None or not is_ancestor(repo, head, now):
            return
        yield LeftOut.of(int(repo.git.line(["rev-list", "--count", f"{head}..{now}"]) or 0), "later commit")
    signs = [entry[:4] for entry in repo.git.run(["status", *_OPTIONS]).split(b"\0")]
    changed = [sign[2:] for sign in signs if sign[:2] in (b"1 ", b"u ")]
    count = sum(1 for sign in changed if sign[1:] != b".") if resolved.cached else len(changed)
    yield LeftOut.of(count, "unstaged file" if resolved.cached else "uncommitted file")
    yield LeftOut.of(sum(1 for sign in signs if sign[:2] == b"? "), "untracked file")
