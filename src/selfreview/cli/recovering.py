"""What a killed process left is completed or taken back by the next command, which says so."""

from __future__ import annotations

from selfreview.cli import console
from selfreview.git.repo import Repo
from selfreview.model.wire import display_path


def recover(repo: Repo) -> None:
    """Complete an apply or an undo that was cut off.

    Raises:
        ApplyError: If that cannot be done.
        StoreError: If what was kept is damaged.
    """
    from selfreview.cli.session import patches_folder
    from selfreview.loop.apply import Applier
    from selfreview.loop.patches import PatchStore

    done = Applier(repo, PatchStore(patches_folder(repo))).recover()
    if done is None:
        return
    what = f"{'undo' if done.journal.undo else 'apply'} of {done.journal.patch}"
    if done.completed:
        console.note(f"note: the {what} had been cut off and is completed now")
        return
    left = ", ".join(display_path(path) for path in done.left[:3])
    more = f" and {len(done.left) - 3} more" if len(done.left) > 3 else ""
    console.warn(f"the {what} had been cut off; it is taken back but for {left}{more}, which you have edited since")
