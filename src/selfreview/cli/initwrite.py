"""Writing of files into a repository: atomically, never over another file, and never through a link."""

from __future__ import annotations

import os
import stat
import tempfile
from pathlib import Path

from selfreview.errors import OutputError


def write_new(root: Path, path: str, content: bytes, *, program: bool) -> bool:
    """Write a file that is not there yet.

    Args:
        root: The repository's root.
        path: Where below it, with ``/``.
        content: The whole file.
        program: Whether it is made executable.

    Returns:
        Whether it was written: False where something has that name already, be it a link to nothing.

    Raises:
        OutputError: If a folder on the way is a link or no folder, or it cannot be written.
    """
    folder = root
    try:
        for part in path.split("/")[:-1]:
            folder = folder / part
            if folder.is_symlink():
                raise OutputError(f"{folder} is a symbolic link, and nothing is written through it")
            folder.mkdir(exist_ok=True)
        target = root / path
        # O_EXCL: what is there is neither replaced nor, where it is a link, followed.
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
        descriptor = os.open(target, flags, 0o777 if program else 0o666)
    except FileExistsError:
        if folder.is_dir():
            return False
        raise OutputError(f"{folder} is no folder") from None
    except OSError as error:
        raise OutputError(f"{root / path} cannot be written: {error.strerror or error}") from error
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
    except OSError as error:
        target.unlink(missing_ok=True)  # half a file is worse than none
        raise OutputError(f"{target} cannot be written: {error.strerror or error}") from error
    return True


def replace(root: Path, path: str, content: bytes) -> None:
    """Replace an existing file, keeping its mode.

    Args:
        root: The repository's root.
        path: Where below it, with ``/``.
        content: The whole file.

    Raises:
        OutputError: If it or a folder on the way is a link, or it cannot be written.
    """
    target = checked(root, path)
    made: str | None = None
    try:
        descriptor, made = tempfile.mkstemp(dir=target.parent, prefix=".selfreview-")
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
        Path(made).chmod(stat.S_IMODE(target.stat().st_mode))
        Path(made).replace(target)
    except OSError as error:
        if made is not None:
            Path(made).unlink(missing_ok=True)
        raise OutputError(f"{target} cannot be written: {error.strerror or error}") from error


def checked(root: Path, path: str) -> Path:
    """Return a file's place, where neither it nor a folder on the way is a link.

    Raises:
        OutputError: If one is.
    """
    target = root
    for part in path.split("/"):
        target = target / part
        if target.is_symlink():
            raise OutputError(f"{target} is a symbolic link, and nothing is written through it")
    return target
