"""Storage of answers: a folder of the person's own that nobody else can write to, with one file each.

Nothing is read, changed and written back, so any number of processes can record and forget at once.
"""

from __future__ import annotations

import os
import shlex
import stat
from collections.abc import Iterator, Mapping
from pathlib import Path

from selfreview.access import access_hint
from selfreview.errors import TrustError
from selfreview.trust.subject import canonical

_HINT = "set SELFREVIEW_DATA_DIR to an absolute path"


class Folder:
    """A folder of small private files.

    Args:
        path: The folder; created, private to the user, when something is first recorded.
        what: What it holds, for messages (``"trust"``).
    """

    def __init__(self, path: Path, what: str) -> None:
        self.path = path
        self._what = what

    def read(self, name: str) -> bytes | None:
        """Return a file's content, or None where there is no file.

        Raises:
            TrustError: If it cannot be read, or others could have written it.
        """
        path = self.path / name
        try:
            path.stat()
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as error:
            raise TrustError(f"cannot read {path}: {error.strerror}", hint=access_hint(path)) from error
        self._refuse_if_shared()
        return _content(path)

    def write(self, name: str, data: bytes) -> None:
        """Write a file whole, with mode 0600.

        Raises:
            TrustError: If it cannot be written.
        """
        import tempfile

        temporary: str | None = None
        try:
            self.path.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._refuse_if_shared()
            descriptor, temporary = tempfile.mkstemp(dir=self.path, prefix=".new-")  # mode 0600
            with os.fdopen(descriptor, "wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            os.replace(temporary, self.path / name)  # noqa: PTH105
        except OSError as error:
            if temporary is not None:
                Path(temporary).unlink(missing_ok=True)
            raise TrustError(
                f"cannot record {self._what} in {self.path}: {error.strerror}", hint=access_hint(self.path)
            ) from error

    def remove(self, name: str) -> bool:
        """Remove a file, and say whether it was there.

        Raises:
            TrustError: If it cannot be removed.
        """
        try:
            (self.path / name).unlink()
        except (FileNotFoundError, NotADirectoryError):
            return False
        except OSError as error:
            raise TrustError(
                f"cannot remove {self._what} from {self.path}: {error.strerror}", hint=access_hint(self.path)
            ) from error
        return True

    def items(self) -> Iterator[tuple[Path, bytes]]:
        """Yield every file that was recorded, with its content.

        Raises:
            TrustError: If the folder or a file cannot be read.
        """
        try:
            paths = sorted(path for path in self.path.iterdir() if path.suffix == ".json")
        except (FileNotFoundError, NotADirectoryError):
            return
        except OSError as error:
            raise TrustError(f"cannot read {self.path}: {error.strerror}", hint=access_hint(self.path)) from error
        for path in paths:
            yield path, _content(path)

    def _refuse_if_shared(self) -> None:
        """Refuse a folder that another user could have put a file into."""
        if os.name != "posix":  # Windows profiles are private by their access control lists
            return
        info = self.path.stat()
        if info.st_uid != os.geteuid():
            raise TrustError(
                f"the {self._what} folder {self.path} belongs to another user", hint=access_hint(self.path)
            )
        if stat.S_IMODE(info.st_mode) & 0o022:
            raise TrustError(
                f"others can write to the {self._what} folder {self.path}",
                hint=f"run: chmod 700 {shlex.quote(str(self.path))}",
            )


def data_folder(environ: Mapping[str, str]) -> Path:
    """Return the user's own data folder, or ``SELFREVIEW_DATA_DIR`` where that is set.

    Raises:
        TrustError: If there is no such folder, or it is not an absolute path: a relative one could lie in the
            repository that is to be judged.
    """
    given = environ.get("SELFREVIEW_DATA_DIR")
    if given:
        folder = Path(given)
    else:
        import platformdirs

        try:
            folder = platformdirs.user_data_path("selfreview", appauthor=False)
        except RuntimeError as error:
            raise TrustError("you have no home folder to remember trust in", hint=_HINT) from error
    if not folder.is_absolute():
        raise TrustError(f"the data folder {str(folder)!r} is not an absolute path", hint=_HINT)
    return folder


def file_name(*parts: str) -> str:
    """Return the name of the file for a question; the first part is a path, whose bytes may be anything."""
    import hashlib

    key = canonical([os.fsencode(parts[0]), *parts[1:]])
    return f"{hashlib.sha256(key).hexdigest()}.json"


def _content(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise TrustError(f"cannot read {path}: {error.strerror}", hint=access_hint(path)) from error
