"""Private temporary folders, and the removal of those of processes that were killed."""

from __future__ import annotations

import contextlib
import os
import re
import secrets
import tempfile
import time
import weakref
from pathlib import Path

from selfreview.git.removal import remove_folder

_OURS = re.compile(r"selfreview-(?:[a-z]+-)?[0-9a-f]{8}\.(?:run|new)")
_MAKING_S = 600
"""Seconds after which a folder that has not got its name is nobody's: that takes a moment."""


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
        start = f"selfreview-{purpose}-" if purpose else "selfreview-"
        made = os.path.join(tempfile.gettempdir(), f"{start}{secrets.token_hex(4)}.new")  # noqa: PTH118 - a name
        self.name = f"{made.removesuffix('.new')}.run"
        try:  # named before it is made, so that an interrupt leaves nothing behind that nobody knows of
            os.mkdir(made, 0o700)  # noqa: PTH102
            # It gets the name by which others find it only once it is locked.
            held = _lock(made)
            os.rename(made, self.name)  # noqa: PTH104
            self._end = weakref.finalize(self, _remove, self.name, held)
        except BaseException as error:
            if not isinstance(error, FileExistsError):
                remove_folder(Path(made))
                remove_folder(Path(self.name))
            raise

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
            if entry.name.endswith(".new") and entry.stat(follow_symlinks=False).st_mtime > time.time() - _MAKING_S:
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
    try:
        gone = remove_folder(Path(name))
    except KeyboardInterrupt:  # nobody comes here a second time
        remove_folder(Path(name))
        raise
    if held is not None:
        os.close(held)
    return gone
