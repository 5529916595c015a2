"""Private folders for as long as something runs, and the sweeping up of those of processes that were killed."""

from __future__ import annotations

import contextlib
import os
import re
import tempfile
import weakref
from pathlib import Path

from selfreview.git.removal import remove_folder

_OURS = re.compile(r"selfreview-(?:[a-z]+-)?[a-z0-9_]{8}\.run")


class PrivateFolder:
    """A folder for temporary files that nobody else may read; locked, so that others know that it is in use.

    Args:
        purpose: A word for its name, lower-case letters.

    Attributes:
        name: Its path.

    Raises:
        OSError: If it cannot be made.
    """

    def __init__(self, purpose: str = "") -> None:
        # It gets the name by which others find it only once it is locked.
        made = tempfile.mkdtemp(prefix=f"selfreview-{purpose}-" if purpose else "selfreview-", suffix=".new")
        held = _lock(made)
        self.name = f"{made.removesuffix('.new')}.run"
        os.rename(made, self.name)  # noqa: PTH104 - a name, as tempfile has it
        self._end = weakref.finalize(self, _remove, self.name, held)

    def __enter__(self) -> str:
        return self.name

    def __exit__(self, *_: object) -> None:
        self.cleanup()

    def cleanup(self) -> None:
        """Remove it."""
        self._end()


def sweep_folders() -> int:
    """Remove the folders of one's own processes that are gone; return how many.

    Where folders cannot be locked, as on Windows, none is removed.
    """
    removed = 0
    with contextlib.suppress(OSError), os.scandir(tempfile.gettempdir()) as entries:
        for entry in entries:
            if not _OURS.fullmatch(entry.name) or not entry.is_dir(follow_symlinks=False) or not _is_mine(entry):
                continue
            held = _lock(entry.path)
            if held is not None:
                removed += _remove(entry.path, held)
    return removed


def _is_mine(entry: os.DirEntry[str]) -> bool:
    return hasattr(os, "getuid") and entry.stat(follow_symlinks=False).st_uid == os.getuid()


def _lock(path: str) -> int | None:
    """Lock a folder; return what holds it, or None where somebody else does or it cannot be locked."""
    if os.name == "nt":
        return None
    import fcntl

    try:
        held = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    except OSError:
        return None
    try:
        fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(held)
        return None
    return held


def _remove(name: str, held: int | None) -> bool:
    gone = remove_folder(Path(name))
    if held is not None:
        os.close(held)
    return gone
