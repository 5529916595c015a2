"""Kept patches: every file whole, before and after, so that applying and undoing need no guessing.

A kept patch is a folder: ``manifest.json``, the contents by their SHA-256 under ``blobs``, and the same as a patch in
``change.patch``, for people and for ``git apply``. It is complete or not there: written beside and renamed.
"""

from __future__ import annotations

import base64
import contextlib
import hashlib
import os
import re
import secrets
import shutil
import time
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

import msgspec

from selfreview.access import access_hint
from selfreview.apply import CYCLE, JOURNAL
from selfreview.errors import StoreError, UsageError
from selfreview.git.worktree_files import LINK, Entry
from selfreview.model.change import path_bytes, path_from_bytes
from selfreview.model.result import KeptPatch
from selfreview.model.wire import base64_path, display_path, from_json, to_json

KEEP = 50
"""Number of kept patches; the oldest are removed first, but none that something refers to."""
_ABANDONED = 3600.0
"""Seconds after which a half-written patch counts as abandoned."""


class FileState(msgspec.Struct, frozen=True, kw_only=True):
    """State of a file before or after a patch.

    Attributes:
        mode: As git writes it.
        sha256: Of its bytes, in hex.
    """

    mode: str
    sha256: str

    def is_of(self, entry: Entry | None, *, modes: bool = True) -> bool:
        """Return whether a file is in this state; without ``modes``, the executable bit is ignored, as git does."""
        if entry is None or digest(entry.data) != self.sha256:
            return False
        return entry.mode == self.mode or (not modes and LINK not in (entry.mode, self.mode))


class FileChange(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """One file of a patch; None on a side where it is absent."""

    path: str
    old: FileState | None
    new: FileState | None
    path_bytes: str | None = None

    @property
    def name(self) -> str:
        """The path as the change has it."""
        return path_from_bytes(base64.b64decode(self.path_bytes)) if self.path_bytes else self.path


class Manifest(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """Metadata and files of a patch.

    Attributes:
        id: Its name: ``p-`` and digits.
        at: When it was made: UTC, ISO 8601, ending in ``Z``.
        iteration: The refinement that it leads to.
        files: What it does, sorted by path.
        run_id: The review of the state that it leads to, or None.
        held: Its edits that wait for a person's word, each with its place and why.
    """

    id: str
    at: str
    iteration: int
    files: tuple[FileChange, ...]
    run_id: str | None = None
    held: tuple[str, ...] = ()


class Patch:
    """A kept patch.

    Args:
        folder: Where it is.
        manifest: What it is.
    """

    def __init__(self, folder: Path, manifest: Manifest) -> None:
        self.folder = folder
        self.manifest = manifest

    @property
    def id(self) -> str:
        """Its name."""
        return self.manifest.id

    @property
    def file(self) -> Path:
        """The patch in the form of a patch file."""
        return self.folder / "change.patch"

    def describe(self) -> KeptPatch:
        """Return the entry of the patch in a result."""
        return KeptPatch(
            id=self.id,
            file=str(self.file),
            iteration=self.manifest.iteration,
            files=len(self.manifest.files),
            held=list(self.manifest.held),
        )

    def entry(self, state: FileState | None) -> Entry | None:
        """Return a file's content in one of its states.

        Raises:
            StoreError: If what was kept is damaged.
        """
        if state is None:
            return None
        try:
            data = (self.folder / "blobs" / state.sha256).read_bytes()
        except OSError as error:
            raise StoreError(f"the kept patch {self.id} is damaged: {error.strerror}") from error
        if digest(data) != state.sha256:
            raise StoreError(f"the kept patch {self.id} is damaged")
        return Entry(state.mode, data)


class PatchStore:
    """The kept patches of a repository.

    Args:
        folder: Where they are, ``selfreview/patches`` below the common git directory; created when the first is kept.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._made: set[str] = set()  # a clock may go back: names tell no order then

    def keep(
        self,
        files: Mapping[str, tuple[Entry | None, Entry | None]],
        diff: bytes,
        *,
        at: str,
        iteration: int,
        waiting: Collection[str] | None = (),
        held: Sequence[str] = (),
    ) -> Patch:
        """Keep a patch; durable when this returns.

        Args:
            files: By path: the file as it was and as it is to be.
            diff: The same, as a patch.
            at: The time, as results have it.
            iteration: The refinement that it leads to.
            waiting: Ids of patches that a branch's session refers to; None where that is not known.
            held: Its edits that wait for a person's word.

        Raises:
            StoreError: If it cannot be written.
        """
        name = "p-" + "".join(c for c in at if c.isdigit()) + "-" + secrets.token_hex(2)
        changes = tuple(
            FileChange(path=display_path(path), old=_state(old), new=_state(new), path_bytes=base64_path(path))
            for path, (old, new) in sorted(files.items(), key=lambda item: path_bytes(item[0]))
        )
        manifest = Manifest(id=name, at=at, iteration=iteration, files=changes, held=tuple(held))
        self._made.add(name)
        half = self.folder / f".{name}"
        try:
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            half.mkdir(mode=0o700)
            (half / "blobs").mkdir(mode=0o700)
            entries = [entry for pair in files.values() for entry in pair if entry is not None]
            for content, data in {digest(entry.data): entry.data for entry in entries}.items():
                write_durably(half / "blobs" / content, data)
            write_durably(half / "change.patch", diff)
            write_durably(half / "manifest.json", to_json(manifest))
            half.rename(self.folder / name)
            sync_folder(self.folder)
        except OSError as error:
            shutil.rmtree(half, ignore_errors=True)
            raise StoreError(
                f"a patch cannot be kept in {self.folder}: {error.strerror or error}", hint=access_hint(self.folder)
            ) from error
        in_use = self._in_use(waiting)
        if in_use is not None:
            self._prune(in_use)
        return Patch(self.folder / name, manifest)

    def get(self, name: str) -> Patch:
        """Return a patch by its id, or by the beginning of it.

        Raises:
            UsageError: If there is none, or there are several.
            StoreError: If it cannot be read.
        """
        found = [known for known in self.names() if known == name] or [
            known for known in self.names() if name and known.startswith(name)
        ]
        if len(found) != 1:
            what = "stands for several patches" if found else "names no kept patch"
            raise UsageError(
                f"{name!r} {what}", hint=", ".join(found[:5]) or "'selfreview status' names those that wait"
            )
        folder = self.folder / found[0]
        try:
            return Patch(folder, from_json((folder / "manifest.json").read_bytes(), Manifest))
        except (OSError, msgspec.MsgspecError) as error:
            raise StoreError(f"the kept patch {found[0]} cannot be read: {error}") from error

    def names(self) -> list[str]:
        """Return the ids of all patches, oldest first."""
        if not self.folder.is_dir():
            return []
        return sorted(path.name for path in self.folder.iterdir() if path.name.startswith("p-"))

    def _in_use(self, waiting: Collection[str] | None) -> set[str] | None:
        """Return the ids of the patches that must stay, or None where one cannot be read: then all of them must.

        They wait in a branch's session, were applied last in some working tree, are being applied there, or are a fix
        that is to be committed there.
        """
        if waiting is None:
            return None
        found = {*waiting, *self._made}
        common_dir = self.folder.parent.parent
        for folder in (common_dir, *sorted((common_dir / "worktrees").glob("*"))):
            for name in ("applied.json", JOURNAL, CYCLE):
                try:
                    found.add(from_json((folder / "selfreview" / name).read_bytes(), _Reference).patch)
                except FileNotFoundError:
                    continue
                except (OSError, msgspec.MsgspecError):
                    return None
        return found

    def _prune(self, in_use: Collection[str]) -> None:
        names = self.names()
        prunable = [name for name in names if name not in in_use]
        for name in prunable[: max(0, len(names) - KEEP)]:
            shutil.rmtree(self.folder / name, ignore_errors=True)
        for half in self.folder.glob(".p-*"):  # of a process that was killed, or of one that is at work
            with contextlib.suppress(OSError):
                if time.time() - half.stat().st_mtime > _ABANDONED:
                    shutil.rmtree(half, ignore_errors=True)


class _Reference(msgspec.Struct):
    patch: str


def files_first(diff: bytes, paths: Collection[str]) -> bytes:
    """Return a patch with the parts of some files before those of the others."""
    parts = [bytes(part) for part in re.split(rb"(?m)^(?=diff --git )", diff)]
    ends = tuple(b" b/" + path_bytes(path) for path in paths)
    first = [part for part in parts if part.partition(b"\n")[0].endswith(ends)]
    return b"".join([*first, *(part for part in parts if part not in first)])


def digest(data: bytes) -> str:
    """Return the SHA-256 of some bytes, in hex."""
    return hashlib.sha256(data).hexdigest()


def write_durably(path: Path, data: bytes, mode: int = 0o600) -> None:
    """Write a new file that is on the disk when this returns.

    Raises:
        OSError: If it exists, or cannot be written.
    """
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
    with os.fdopen(os.open(path, flags, mode), "wb") as stream:
        stream.write(data)
        stream.flush()
        os.fsync(stream.fileno())


def replace_durably(path: Path, data: bytes) -> None:
    """Replace a file of our own, so that a reader sees the old or the new one; the caller holds a lock.

    Raises:
        OSError: If it cannot be written.
    """
    half = path.with_name(f".{path.name}.new")
    half.unlink(missing_ok=True)  # of a process that was killed
    try:
        write_durably(half, data)
        half.replace(path)
    except OSError:
        half.unlink(missing_ok=True)
        raise
    sync_folder(path.parent)


def sync_folder(folder: Path) -> None:
    """Flush a folder's entries to disk, where the system supports it."""
    if os.name == "nt":
        return
    with contextlib.suppress(OSError):  # some file systems refuse it; they then need none
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _state(entry: Entry | None) -> FileState | None:
    return None if entry is None else FileState(mode=entry.mode, sha256=digest(entry.data))
