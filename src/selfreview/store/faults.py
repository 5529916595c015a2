"""SQLite's errors as messages for a person."""

from __future__ import annotations

from pathlib import Path

from selfreview.access import access_hint
from selfreview.errors import StoreError
from selfreview.model.wire import display_path

_HINT_BUSY = "try again when the other has ended"
_HINT_SPACE = "free some space and run again"
_HINT_DISK = "check the disk; deleting the store loses its history and nothing else"

# SQLite's primary result codes. The names that the sqlite3 module has for them need its import.
_CORRUPT, _NOTADB = 11, 26
# What to do is None where it depends on whose the file is.
_EXPECTED: dict[int, tuple[str, str | None]] = {
    3: ("{error}", None),  # PERM
    5: ("another process is using it", _HINT_BUSY),  # BUSY
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
