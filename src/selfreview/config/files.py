"""Reading configuration files that may be anything: too large, a FIFO, a link that leaves the repository."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from pathlib import Path

from selfreview.access import access_hint
from selfreview.errors import ConfigError
from selfreview.trust import CONF_NAME

MAX_BYTES = 4 * 1024 * 1024
"""Size above which a file is not taken for configuration."""

RepoReader = Callable[[str], "bytes | None"]
"""Reads a file at the repository's top level by name; None where it is not there. Raises :class:`ConfigError`."""


class LinkError(ConfigError):
    """A configuration file is a symbolic link that is not followed."""


def worktree_reader(root: Path) -> RepoReader:
    """Return a reader of the working tree.

    A link is followed while it stays in the repository, where what it leads to is the repository's own content; the
    local plugin is never read through one, because a person who is asked about it looks at that file.
    """

    def read(name: str) -> bytes | None:
        path = root / name
        try:
            linked = stat.S_ISLNK(path.lstat().st_mode)
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as error:
            raise ConfigError(f"cannot read {name}: {error.strerror}", hint=access_hint(path)) from error
        if linked and name == CONF_NAME:
            raise LinkError(f"{name} is a symbolic link, which is not followed", hint="put the file itself there")
        if linked and not _inside(path, root):
            raise LinkError(
                f"{name} is a symbolic link out of the repository, which is not followed",
                hint="put the file itself there",
            )
        data = read_file(path, name)
        if data is None and linked:
            raise LinkError(f"{name} is a symbolic link to nothing")
        return data

    return read


def read_file(path: Path, label: str) -> bytes | None:
    """Read a file, without waiting for a writer where it is a FIFO.

    Args:
        path: Where it is.
        label: What to call it in messages.

    Returns:
        Its bytes, or None where it is not there.

    Raises:
        ConfigError: If it cannot be read, is no regular file, or is above ``MAX_BYTES``.
    """
    # O_NONBLOCK: opening a FIFO must not wait. On Windows there is neither the flag nor the FIFO.
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    try:
        if not stat.S_ISREG(path.stat().st_mode):  # so that a device is not even opened
            raise ConfigError(f"{label} is not a regular file")
        with os.fdopen(os.open(path, flags), "rb") as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                raise ConfigError(f"{label} is not a regular file")
            data = file.read(MAX_BYTES + 1)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise ConfigError(f"cannot read {label}: {error.strerror}", hint=access_hint(path)) from error
    if len(data) > MAX_BYTES:
        raise ConfigError(f"{label} is larger than {MAX_BYTES // (1024 * 1024)} MiB")
    return data


def _inside(path: Path, root: Path) -> bool:
    return Path(os.path.realpath(path)).is_relative_to(os.path.realpath(root))
