"""What a killed process left is completed or taken back by the next command, which says so."""

from __future__ import annotations

from collections.abc import Mapping

from selfreview.cli import console
from selfreview.git.repo import Repo


def recover(repo: Repo) -> None:
    """Complete an apply or an undo that was cut off.

    Raises:
        ApplyError: If that cannot be done.
        StoreError: If what was kept is damaged.
    """
    from selfreview.cli.session import patches_folder
    from selfreview.loop.apply import Applier, named
    from selfreview.loop.patches import PatchStore

    done = Applier(repo, PatchStore(patches_folder(repo))).recover()
    if done is None:
        return
    what = f"{'undo' if done.journal.undo else 'apply'} of {done.journal.patch}"
    if done.completed:
        console.note(f"note: the {what} had been cut off and is completed now")
        tell_unstaged(done.unstaged, undo=done.journal.undo)
        return
    where = " in your tree and in the index" if done.journal.staged else ""
    console.warn(f"the {what} had been cut off; it is taken back{where} but for {named(done.left)}, "
                 "which you have edited since and which stays as it is in your tree")  # fmt: skip


def tell_unstaged(left: Mapping[str, str], *, undo: bool = False) -> None:
    """Say of which files the index was left alone though it was to be changed.

    Args:
        left: Why, by path.
        undo: Whether it was to be put back, and not to be staged.
    """
    from selfreview.loop.apply import named

    what = "left as it is in the index" if undo else "not staged"
    for why in dict.fromkeys(left.values()):
        console.note(f"note: {what}: {named([path for path, each in left.items() if each == why])}; {why}")
