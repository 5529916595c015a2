"""Git hooks that a branch brings: nobody is made to run one that they have not checked out themselves."""

from __future__ import annotations

from selfreview.errors import NotFreeError
from selfreview.git.entry import LINK
from selfreview.git.hooksfolder import hooks_in_tree
from selfreview.git.repo import Repo
from selfreview.loop.guard.githooks import is_hook
from selfreview.model.change import path_from_bytes
from selfreview.model.wire import display_path

_MOST = 3


def demand_seen_hooks(repo: Repo, here: str, there: str) -> None:
    """Refuse to move a working tree from one commit to another where that changes its git hooks.

    Args:
        repo: The working tree.
        here: What the person has checked out.
        there: What others pushed.

    Raises:
        NotFreeError: If it does: the person has to look at it, and pull it themselves.
        HookError: If git does not say where hooks are.
    """
    changed = _changed_hooks(repo, here, there)
    if not changed:
        return
    names = ", ".join(display_path(path) for path in changed[:_MOST])
    more = f" and {len(changed) - _MOST} more" if len(changed) > _MOST else ""
    raise NotFreeError(
        f"the remote has other hooks, which git would run here: {names}{more}; look at what is new there, and pull it "
        f"yourself (git -C {display_path(str(repo.root))} pull)"
    )


def _changed_hooks(repo: Repo, here: str, there: str) -> list[str]:
    """Return the paths of hooks that differ between two commits."""
    places = hooks_in_tree(repo)
    if not places:
        return []
    said = repo.git.run(["diff-tree", "-r", "-z", "--raw", "--no-renames", here, there]).split(b"\0")
    found = []
    for about, name in zip(said[:-1:2], said[1::2], strict=True):
        path, mode = path_from_bytes(name), about.split()[1].decode("ascii")
        if is_hook(path, places, is_link=mode == LINK):
            found.append(path)
    return found
