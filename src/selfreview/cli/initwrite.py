"""Writing a new file into a repository: never over another one, never through a link, never half."""

from __future__ import annotations

import os
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
