"""Symbolic links."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator

from selfreview.git.entry import LINK
from selfreview.loop.guard.gitfolder import goes_into_git
from selfreview.loop.guard.model import Edited, Rejection
from selfreview.loop.guard.patch import Patch
from selfreview.loop.guard.paths import leaves_tree
from selfreview.model.change import path_from_bytes


def symbolic_link(patch: Patch) -> Iterator[Rejection]:
    """Reject a file that was replaced by a link, and a new target that is outside of the tree or in git's folder."""
    for edit in patch.edits:
        reason = _why(edit)
        if reason is not None:
            yield Rejection(edit.path, "symbolic-link", reason)


def _why(edit: Edited) -> str | None:
    if edit.new is None or edit.new.mode != LINK or edit.new == edit.old:
        return None
    if edit.old is not None and edit.old.mode != LINK:
        return "Edit the file itself; do not put a symbolic link in its place."
    target = path_from_bytes(edit.new.data)
    whole = posixpath.normpath(posixpath.join(posixpath.dirname(edit.path), target))
    if leaves_tree(target.replace("..", "_")) or leaves_tree(whole) or goes_into_git(target) or goes_into_git(whole):
        return "Let a symbolic link lead to a file of the repository only, by a relative path, and not into .git."
    return None
