"""The repository of a folder, and the completion of what a killed process left in it."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from selfreview.app.loading import open_store, patches_folder
from selfreview.apply import JOURNAL
from selfreview.git.repo import Repo

if TYPE_CHECKING:
    from selfreview.app.ui import Ui
    from selfreview.apply.journal import Journal


def find_repo(folder: Path, ui: Ui, *, completes: bool = True) -> Repo:
    """Find the repository of a folder, and complete what a killed process left there.

    Args:
        folder: The folder.
        ui: Is told what is completed.
        completes: False where git waits, and holds the index: then what was left is left to the next command.

    Raises:
        GitError: If there is none.
        ApplyError: If what was left cannot be completed.
    """
    from selfreview.git.repo import discover

    repo = discover(folder, os.environ)
    # Not Path.exists, which raises where the folder is another user's: that is told of where something in it is needed.
    if completes and os.path.exists(repo.git_dir / "selfreview" / JOURNAL):  # noqa: PTH110
        recover(repo, ui)
    return repo


def recover(repo: Repo, ui: Ui) -> None:
    """Complete an apply or an undo that was interrupted, or take it back.

    Raises:
        ApplyError: If that cannot be done.
        StoreError: If what was kept is damaged.
    """
    from selfreview.apply.applier import Applier, named
    from selfreview.apply.patches import PatchStore

    done = Applier(repo, PatchStore(patches_folder(repo)), ui.uninterrupted).recover()
    if done is None:
        return
    what = f"{'undo' if done.journal.undo else 'apply'} of {done.journal.patch}"
    if done.completed:
        if not done.journal.undo:
            _waits_no_more(repo, done.journal)
        ui.note(f"note: the {what} was interrupted, and has been completed now")
        tell_unstaged(done.unstaged, ui, undo=done.journal.undo)
        return
    where = " in your tree and in the index" if done.journal.staged else ""
    ui.warn(f"the {what} was interrupted; it is undone{where} except for {named(done.skipped)}, "
                 "which you have edited since and which stays as it is in your tree")  # fmt: skip


def _waits_no_more(repo: Repo, journal: Journal) -> None:
    """Note in the branch's session that a patch is applied, unless that is noted already."""
    from selfreview.git.revisions import current_branch
    from selfreview.model.session import Event
    from selfreview.store.runs import utc_now

    with open_store(repo) as store:
        session = store.session(str(repo.root), current_branch(repo.git) or "")
        if session is None or session.patch != journal.patch:
            return
        session.patch, session.updated = None, utc_now()
        data: dict[str, object] = {"patch": journal.patch, "reason": "it was interrupted"}
        store.save_session(session, Event(kind="patch.applied", at=session.updated, session=session.id, data=data))


def tell_unstaged(left: Mapping[str, str], ui: Ui, *, undo: bool = False) -> None:
    """Report the files that could not be changed in the index as intended, and why.

    Args:
        left: Why, by path.
        ui: Is told.
        undo: Whether it was to be put back, and not to be staged.
    """
    from selfreview.apply.applier import named

    what = "left as it is in the index" if undo else "not staged"
    for why in dict.fromkeys(left.values()):
        ui.note(f"note: {what}: {named([path for path, each in left.items() if each == why])}; {why}")
