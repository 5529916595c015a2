"""Errors of the store for a person, and recovery: a damaged file is put aside, and a new one is begun."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from selfreview.access import access_hint
from selfreview.errors import StoreError
from selfreview.model.wire import display_path

_HINT_BUSY = "try again when the other has ended"
_HINT_SPACE = "free some space and run again"
_HINT_DISK = "check the disk; deleting the store loses its history and nothing else"

# SQLite's primary result codes. The names that the sqlite3 module has for them need its import.
_BUSY, _CORRUPT, _NOTADB = 5, 11, 26
# What to do is None where it depends on whose the file is.
_EXPECTED: dict[int, tuple[str, str | None]] = {
    3: ("{error}", None),  # PERM
    _BUSY: ("another process is using it", _HINT_BUSY),  # BUSY
    6: ("another process is using it", _HINT_BUSY),  # LOCKED
    8: ("{error}", None),  # READONLY
    10: ("{error}", _HINT_DISK),  # IOERR
    _CORRUPT: ("{error}", _HINT_DISK),
    13: ("the disk is full", _HINT_SPACE),  # FULL
    14: ("{error}", None),  # CANTOPEN
    15: ("another process is using it", _HINT_BUSY),  # PROTOCOL: locks that time out
    22: ("{error}", _HINT_DISK),  # NOLFS: larger than the file system allows
    23: ("{error}", None),  # AUTH
    _NOTADB: ("{error}", _HINT_DISK),
}


class Damaged(Exception):  # noqa: N818 - never leaves the package
    """Error of a store that lost parts of itself."""


def is_damage(error: Exception) -> bool:
    """Return whether an error means that the file is damaged or no database."""
    return isinstance(error, Damaged) or _code(error) in (_CORRUPT, _NOTADB)


def is_busy(error: Exception) -> bool:
    """Return whether an error means that another process has a transaction under way."""
    return _code(error) == _BUSY


def store_error(error: Exception, path: Path) -> StoreError | None:
    """Return the error for a person, or None where it is a defect of this program."""
    hint: str | None
    if isinstance(error, OSError):
        why, hint = error.strerror or str(error), None
    elif isinstance(error, ImportError):  # a Python that was built without SQLite
        why, hint = str(error), "use a Python that has its sqlite3 module"
    elif isinstance(error, Damaged):
        why, hint = str(error), _HINT_DISK
    elif (expected := _EXPECTED.get(_code(error))) is not None:
        why, hint = expected[0].format(error=error), expected[1]
    else:
        return None
    return StoreError(f"cannot use the store {display_path(str(path))}: {why}", hint=hint or access_hint(path))


def _code(error: Exception) -> int:
    """Return SQLite's primary result code, or 0 where the error did not come from SQLite."""
    return int(getattr(error, "sqlite_errorcode", 0)) & 0xFF


MAX_ASIDE = 9
"""Maximum number of damaged stores kept. With more than that the disk is at fault and a person must look."""

Identity = tuple[int, int]
"""Device and inode of a file."""


def identity(path: Path) -> Identity | None:
    """Return the device and inode of a file, to notice that it was replaced, or None where there is no file.

    Raises:
        StoreError: If it is not a plain file: a link, a folder or a pipe is somebody's doing, not ours to move.
        OSError: If it cannot be looked at.
    """
    try:
        found = path.lstat()
    except FileNotFoundError:
        return None
    if not stat.S_ISREG(found.st_mode):
        raise StoreError(f"the store {display_path(str(path))} is not a plain file", hint="move it away and run again")
    return (found.st_dev, found.st_ino)


def create_file(path: Path) -> None:
    """Create an empty file, and its folder, that only their owner may read; an existing file is not changed.

    Raises:
        OSError: If it cannot be created.
    """
    path.parent.mkdir(mode=0o700, exist_ok=True)
    try:
        # SQLite would follow the umask. The journal takes over the modes of the file.
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
    except FileExistsError:  # another process was faster
        return


def put_aside(path: Path, damaged: Identity | None, busy_seconds: float) -> Path | None:
    """Rename a damaged store to ``store.db.corrupt-N``, its journal with it.

    Args:
        path: The store.
        damaged: The file in which the damage was seen.
        busy_seconds: How long to wait for another process that does the same.

    Returns:
        Its new name; None if another process was faster and a new store may stand there by now.

    Raises:
        StoreError: If there are ``MAX_ASIDE`` of them already.
        OSError: If it cannot be renamed.
        sqlite3.Error: If the lock cannot be had.
    """
    with _exclusive(path.with_name("recovery.lock"), busy_seconds):
        if identity(path) != damaged:
            return None
        for number in range(1, MAX_ASIDE + 1):
            aside = path.with_name(f"{path.name}.corrupt-{number}")
            if not os.path.lexists(aside):
                break
        else:
            raise StoreError(
                f"the store {display_path(str(path))} is damaged again, and {MAX_ASIDE} damaged ones lie beside it",
                hint="check the disk, then delete the files whose names have '.corrupt-' in them",
            )
        # The journal goes first: as soon as the database is gone, another process may begin a new one, and a journal
        # beside that is its own. A journal alone does no harm: it could not repair what is damaged with it.
        journal = path.with_name(path.name + "-journal")
        if journal.exists():
            journal.rename(aside.with_name(aside.name + "-journal"))
        path.rename(aside)
        return aside


@contextmanager
def _exclusive(path: Path, busy_seconds: float) -> Iterator[None]:
    """Hold a lock between processes that ends with the process, on every platform: SQLite's own, on an empty file."""
    import sqlite3

    create_file(path)
    connection = sqlite3.connect(path, timeout=busy_seconds, isolation_level=None)
    try:
        connection.execute("BEGIN EXCLUSIVE")
        yield
    finally:
        connection.close()
