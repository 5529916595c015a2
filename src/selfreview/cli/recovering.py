"""What a killed process left is completed or taken back by the next command, which says so."""

from __future__ import annotations

from collections.abc import Sequence

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
        tell_unstaged(done.unstaged)
        return
    where = " in your tree and in the index" if done.journal.staged else ""
    console.warn(f"the {what} had been cut off; it is taken back{where} but for {named(done.left)}, "
                 "which you have edited since and which stays as it is in your tree")  # fmt: skip


def tell_unstaged(paths: Sequence[str]) -> None:
    """Say which files were not staged though that was asked for."""
    if paths:
        from selfreview.loop.apply import named

        console.note(f"note: not staged: {named(paths)}; what you had staged of it was not what was reviewed")
