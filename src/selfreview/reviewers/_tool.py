"""What reviewers that start a program share: finding it, passing it file names, reading its paths back."""

from __future__ import annotations

import os
import posixpath
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path, PurePosixPath

from selfreview.api import ChangedFile, Review, ReviewerStatus
from selfreview.model.wire import display_path

_ARGUMENT_BYTES = 30_000 if os.name == "nt" else 100_000
"""Room for file names on one command line: below Windows' 32,767 characters, and far below any POSIX system's."""


def find_program(name: str) -> Path | None:
    """Find a program beside our interpreter, in its scripts folder, then on PATH; None where there is none.

    Relative entries of PATH, and on Windows the current folder, are passed over: they could name a file of the
    repository under review.
    """
    import sysconfig

    return _find(name, [str(Path(sys.executable).parent), sysconfig.get_path("scripts")]) or find_on_path(name)


def find_on_path(name: str) -> Path | None:
    """Find a program on PATH, as :func:`find_program` does; None where there is none."""
    return _find(name, os.environ.get("PATH", "").split(os.pathsep))


def _find(name: str, folders: Iterable[str]) -> Path | None:
    for folder in folders:
        if not Path(folder).is_absolute():
            continue
        for suffix in _suffixes(name):
            candidate = Path(folder, name + suffix)
            if candidate.is_file() and os.access(candidate, os.X_OK):
                return candidate
    return None


def _suffixes(name: str) -> list[str]:
    if os.name != "nt":
        return [""]
    known = [suffix for suffix in os.environ.get("PATHEXT", ".EXE;.CMD;.BAT").split(";") if suffix]
    return ["", *known] if PurePosixPath(name).suffix else known


def program_key(program: Path) -> str:
    """Describe an executable by path, size and modification time, for a cache key."""
    info = program.stat()
    return f"{program}\0{info.st_size}\0{info.st_mtime_ns}"


def not_installed(name: str, package: str) -> Review:
    """Return the review of an optional tool that is not there."""
    return Review(status=ReviewerStatus.SKIPPED, error=f"{name} is not installed", hint=f"pip install {package}")


def as_argument(path: str, special: str = "-") -> str:
    """Return a relative path that no program takes for an option.

    Args:
        path: The path.
        special: First characters that get a ``./`` in front.
    """
    return f"./{path}" if path[:1] in special else path


def batches(arguments: Iterable[str], *, used: Sequence[str] = ()) -> Iterator[list[str]]:
    """Split arguments so that each command line stays below the operating system's limit.

    Args:
        arguments: What to pass, in order.
        used: What stands on every command line besides.
    """
    room = _ARGUMENT_BYTES - sum(map(_size, used))
    batch: list[str] = []
    left = room
    for argument in arguments:
        if batch and left < _size(argument):
            yield batch
            batch, left = [], room
        batch.append(argument)
        left -= _size(argument)
    if batch:
        yield batch


def _size(argument: str) -> int:
    return len(os.fsencode(argument)) + 9  # the terminating NUL and the pointer to it


class PathReader:
    """Turns the paths that a tool prints into paths of the tree under review.

    Args:
        root: The folder that stands for the top level.
        files: The files the tool was given; a name that is not UTF-8 is recognised by how tools print it.
        base: Folder that relative paths count from, relative to ``root``.
    """

    def __init__(self, root: Path, files: Iterable[ChangedFile] = (), *, base: str = "") -> None:
        self._roots = tuple({f"{given}".replace(os.sep, "/").rstrip("/") for given in (root, root.resolve())})
        self._base = base
        self._known: dict[str, str] = {}
        ambiguous = set()
        for file in files:
            for shown in {file.path, display_path(file.path)}:
                if self._known.setdefault(shown, file.path) != file.path:
                    ambiguous.add(shown)
        for shown in ambiguous:
            del self._known[shown]

    def __call__(self, printed: str) -> str | None:
        """Return the repository-relative path, or None for one outside of the tree."""
        known = self._place(printed)
        if known not in self._known and "\\" in printed:
            slashed = self._place(printed.replace("\\", "/"))
            if os.sep == "\\" or slashed in self._known:
                known = slashed
        return known if known is None else self._known.get(known, known)

    def _place(self, printed: str) -> str | None:
        for root in self._roots:
            if printed.startswith(root + "/"):
                path = posixpath.normpath(printed[len(root) + 1 :])
                break
        else:
            if printed.startswith("/") or (printed[1:2] == ":" and printed[2:3] in ("/", "\\")):
                return None
            path = posixpath.normpath(posixpath.join(self._base, printed))
        return None if path in ("", ".", "..") or path.startswith("../") else path
