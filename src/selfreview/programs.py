"""Find programs where no repository can put one, only in the absolute folders of PATH, and give them file names."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

_ARGUMENT_BYTES = 30_000 if os.name == "nt" else 100_000
"""Room for file names on one command line: below Windows' 32,767 characters, and far below any POSIX system's."""


def safe_path(path: str) -> str:
    """Return a PATH without its empty and relative entries: they would name the folder that a program starts in.

    Where none is left it is the system's default, because an empty PATH means that folder, too.
    """
    return _absolute(path) or _absolute(os.defpath)


def _absolute(path: str) -> str:
    return os.pathsep.join(folder for folder in path.split(os.pathsep) if os.path.isabs(folder))  # noqa: PTH117 - cheap


def find_on_path(name: str, environ: Mapping[str, str]) -> str | None:
    """Find a program in the absolute folders of PATH; None where there is none.

    The system's own search would also look into the current folder: on Windows always, elsewhere for an empty entry.

    Args:
        name: A name without a folder.
        environ: Where PATH, and on Windows PATHEXT, is taken from.
    """
    return find_in(safe_path(environ.get("PATH", "")).split(os.pathsep), name, environ)


def find_in(folders: Iterable[str], name: str, environ: Mapping[str, str]) -> str | None:
    """Find a program in some folders; None where there is none. A folder that is not absolute is passed over."""
    for folder in folders:
        if not os.path.isabs(folder):  # noqa: PTH117 - cheap
            continue
        for suffix in _suffixes(name, environ):
            candidate = os.path.join(folder, name + suffix)  # noqa: PTH118 - cheap
            if os.path.isfile(candidate) and os.access(candidate, os.X_OK):  # noqa: PTH113 - cheap
                return candidate
    return None


def _suffixes(name: str, environ: Mapping[str, str]) -> list[str]:
    if os.name != "nt":
        return [""]
    known = [suffix for suffix in environ.get("PATHEXT", ".EXE;.CMD;.BAT").split(";") if suffix]
    return ["", *known] if os.path.splitext(name)[1] else known  # noqa: PTH122 - cheap


def as_argument(path: str) -> str:
    """Return a relative path that no program takes for an option."""
    return f"./{path}" if path.startswith("-") else path


def batches(arguments: Iterable[str], *, used: Sequence[str] = ()) -> Iterator[list[str]]:
    """Split arguments so that each command line stays below the operating system's limit.

    Args:
        arguments: What to pass, in order.
        used: What stands on every command line besides.
    """
    room = _ARGUMENT_BYTES - sum(map(_size, used))
    batch: list[str] = []
    space = room
    for argument in arguments:
        if batch and space < _size(argument):
            yield batch
            batch, space = [], room
        batch.append(argument)
        space -= _size(argument)
    if batch:
        yield batch


def _size(argument: str) -> int:
    return len(os.fsencode(argument)) + 9  # the terminating NUL and the pointer to it


def find_program(given: str, root: Path | None, environ: Mapping[str, str]) -> Path | None:
    """Return the program that a command line names: by its name on PATH, else by its path from the repository's top."""
    from pathlib import Path

    if Path(given).name == given:
        found = find_on_path(given, environ)
        return None if found is None else Path(found)
    path = Path(given) if root is None else root / given
    return path if path.is_file() and os.access(path, os.X_OK) else None
