"""Files of Git LFS."""

from __future__ import annotations

from collections.abc import Iterator

from selfreview.git.entry import Entry
from selfreview.loop.guard.model import Rejection
from selfreview.loop.guard.patch import Patch

_HEAD = (b"version https://git-lfs.github.com/spec/", b"version https://hawser.github.com/spec/")
_NAME = ".lfsconfig"


def lfs_pointer(patch: Patch) -> Iterator[Rejection]:
    """Reject an edited or a new pointer of Git LFS, one replaced by content, and changed settings of it."""
    for edit in patch.edits:
        if _is_pointer(edit.old) or _is_pointer(edit.new) or edit.path == _NAME:
            yield Rejection(edit.path, "lfs-pointer", "Leave files that Git LFS keeps as they are.")


def _is_pointer(entry: Entry | None) -> bool:
    return entry is not None and entry.data.startswith(_HEAD)
