"""Shared parts of reviewers that start a program: finding it, keying the cache by it, running it, decoding its JSON."""

from __future__ import annotations

import os
import posixpath
import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from selfreview import __version__, programs
from selfreview.api import ChangedFile, Review, ReviewContext, ReviewerStatus
from selfreview.errors import ToolError

_ERROR_TAIL = 300


def find_program(name: str) -> Path | None:
    """Find a program beside our interpreter, in its scripts folder, then on PATH; None where there is none.

    Relative entries of PATH, and on Windows the current folder, are passed over: they could name a file of the
    repository under review.
    """
    import sysconfig

    folders = [str(Path(sys.executable).parent), sysconfig.get_path("scripts")]
    found = programs.find_in(folders, name, os.environ)
    return Path(found) if found is not None else find_on_path(name)


def find_on_path(name: str) -> Path | None:
    """Find a program on PATH, as :func:`find_program` does; None where there is none."""
    found = programs.find_on_path(name, os.environ)
    return None if found is None else Path(found)


def program_key(program: Path) -> str:
    """Describe an executable by path, size and modification time, for a cache key.

    Raises:
        OSError: If it is not there.
    """
    info = program.stat()
    return f"{program}\0{info.st_size}\0{info.st_mtime_ns}"


def digest(parts: Iterable[str | bytes]) -> bytes:
    """Return a digest of our own version and some parts, which no other parts give."""
    import hashlib

    encoded = [__version__.encode()]
    encoded += [part if isinstance(part, bytes) else part.encode("utf-8", "surrogateescape") for part in parts]
    return hashlib.sha256(b"".join(b"%d:%b" % (len(part), part) for part in encoded)).digest()


def source_digest(*paths: Path) -> bytes:
    """Return a digest of Python source for a cache key: of files, and of all files below folders."""
    found = (sorted(path.rglob("*.py")) if path.is_dir() else [path] for path in paths)
    return digest(file.read_bytes() for files in found for file in files)


def folders_above(paths: Iterable[str]) -> list[str]:
    """Return every folder above some paths, sorted; the top level is the empty string."""
    found = {""}
    for path in paths:
        folder = posixpath.dirname(path)
        while folder not in found:
            found.add(folder)
            folder = posixpath.dirname(folder)
    return sorted(found)


class Tool:
    """An optional program that reviews files of a private workspace.

    Args:
        name: Its name.
        package: What to install it by with pip.
        settings: Names of its configuration files, looked for in every folder above a changed file.
        program: The executable; by default found when it is needed.
    """

    def __init__(self, name: str, package: str, *, settings: Sequence[str] = (), program: Path | None = None) -> None:
        self.name = name
        self.settings = tuple(settings)
        self._package = package
        self._program = program

    def find(self) -> Path | None:
        """Return the executable, or None where it is not installed."""
        return self._program if self._program is not None else find_program(self.name)

    def unavailable(self) -> tuple[str, str] | None:
        """Return why the tool is not available, with how to install it; None where it is installed."""
        return None if self.find() is not None else (f"{self.name} is not installed", f"pip install {self._package}")

    def missing(self) -> Review:
        """Return the review where it is not installed."""
        error, hint = self.unavailable() or ("", "")
        return Review(status=ReviewerStatus.SKIPPED, error=error, hint=hint)

    def cache_key(self, files: Iterable[ChangedFile], context: ReviewContext) -> bytes | None:
        """Cover the executable and every configuration file above the given files; None where it is not installed."""
        program = self.find()
        if program is None:
            return None
        folders = folders_above(file.path for file in files)
        found = context.read_settings(posixpath.join(folder, name) for folder in folders for name in self.settings)
        return digest([program_key(program), *(part for item in sorted(found.items()) for part in item)])

    def run(
        self,
        context: ReviewContext,
        arguments: Sequence[str],
        *,
        ok: Iterable[int] = (0,),
        cwd: Path | None = None,
        env: Mapping[str, str] | None = None,
    ) -> subprocess.CompletedProcess[bytes]:
        """Run it in the workspace or another folder.

        It gets a home folder that does not exist, so that only the repository's configuration counts, and a locale in
        UTF-8.

        Raises:
            ToolError: If it is not there, or fails.
        """
        program = self.find()
        if program is None:
            raise ToolError(f"{self.name} is not installed")
        root = context.workspace(self.settings) if cwd is None else cwd
        home = str(root / ".selfreview-no-home")
        own = {"HOME": home, "USERPROFILE": home, "XDG_CONFIG_HOME": home, "LC_ALL": utf8_locale(), **(env or {})}
        return context.run([str(program), *arguments], cwd=root, ok=ok, env=own)

    def report(self, done: subprocess.CompletedProcess[bytes]) -> str:
        """Return a finished run's output as text.

        Programs in Haskell print a name that is not UTF-8 as encoded surrogates, which are taken as Python writes it.

        Raises:
            ToolError: If there is none, or it is not UTF-8 otherwise.
        """
        if not done.stdout.strip():
            stderr = " ".join(done.stderr.decode("utf-8", "replace").split())[-_ERROR_TAIL:]
            raise ToolError(f"{self.name} printed no report" + (f": {stderr}" if stderr else ""))
        try:
            return done.stdout.decode("utf-8", "surrogatepass")
        except UnicodeDecodeError as error:
            raise ToolError(f"{self.name} printed bytes that are not UTF-8") from error


def utf8_locale() -> str:
    """Return the name of a locale in UTF-8 that the platform has."""
    return "en_US.UTF-8" if sys.platform == "darwin" else "C.UTF-8"
