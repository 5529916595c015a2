"""Submodules and nested repositories."""

from __future__ import annotations

from collections.abc import Iterator

from selfreview.loop.guard.model import Rejection
from selfreview.loop.guard.patch import Patch

_GITLINK = "160000"


def submodule(patch: Patch) -> Iterator[Rejection]:
    """Reject submodules that are added, moved or removed, and repositories that were made in the tree."""
    for edit in patch.edits:
        modes = {entry.mode for entry in (edit.old, edit.new) if entry is not None}
        if not modes or _GITLINK in modes or edit.path.casefold() == ".gitmodules":
            reason = "Leave submodules as they are, and make no repository inside of this one."
            yield Rejection(edit.path, "submodule", reason)
