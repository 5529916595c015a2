"""Bring the files of a patch from one state into another: each is finished beside its place, and renamed into it."""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from selfreview.errors import ApplyError
from selfreview.git.entry import EXECUTABLE, LINK, Entry, read_file, remove_empty_folders
from selfreview.git.safeopen import is_beyond_link, native
from selfreview.loop.patches import FileState, Patch, sync_folder, write_durably
from selfreview.model.wire import display_path


class Step(NamedTuple):
    """One file of a patch, on its way.

    Attributes:
        number: Of the file in the patch.
        path: Its path.
        old, new: What it is before and after; None where it is absent.
    """

    number: int
    path: str
    old: FileState | None
    new: FileState | None

    def reversed(self) -> Step:
        """Return the way back."""
        return self._replace(old=self.new, new=self.old)


class Placing:
    """Places the files of one patch in a working tree.

    Args:
        root: Top level of the working tree.
        patch: The patch.
        permissions: By number, the permissions of files that are not there any more.
    """

    def __init__(self, root: Path, patch: Patch, permissions: Mapping[int, int]) -> None:
        self._root = root
        self._patch = patch
        self._permissions = permissions

    def steps(self, *, undo: bool) -> list[Step]:
        """Return what is to be done, in order: what goes comes first, a folder may take its place."""
        steps = [
            Step(number, file.name, *((file.new, file.old) if undo else (file.old, file.new)))
            for number, file in enumerate(self._patch.manifest.files)
        ]
        return sorted(steps, key=lambda step: step.new is not None)

    def stands(self, path: str, state: FileState | None) -> bool:
        """Whether a file is in a state."""
        if is_beyond_link(self._root, path):
            return False
        try:
            entry = read_file(self._root, path)
        except OSError:
            return False
        if state is None:
            # A folder or a FIFO is something, though nothing that git would track.
            return entry is None and not os.path.lexists(native(self._root, path))
        return state.is_of(entry)

    def put(self, step: Step) -> None:
        """Bring one file from one state into another; one that is there already is left alone.

        Raises:
            ApplyError: If it is not in the state that it is to leave.
            OSError: If it cannot be written.
        """
        target = native(self._root, step.path)
        half = self._half(step.number, step.path)
        if self.stands(step.path, step.new):
            half.unlink(missing_ok=True)
            return
        entry = self._patch.entry(step.new)
        permissions = self.permissions(step.path)
        if permissions is None:
            permissions = self._permissions.get(step.number)
        if entry is not None:
            target.parent.mkdir(parents=True, exist_ok=True)
            half.unlink(missing_ok=True)
            _make(half, entry, permissions)
        if not self.stands(step.path, step.old):  # the last look before the one step that cannot be taken back
            half.unlink(missing_ok=True)
            raise ApplyError(f"{display_path(step.path)} was edited meanwhile")
        if entry is None:
            target.unlink()
            remove_empty_folders(self._root, target.parent)
        elif step.old is None:
            _place_new(half, target)
        else:
            half.replace(target)
        if target.parent.exists():
            sync_folder(target.parent)

    def permissions(self, path: str) -> int | None:
        """Return the permissions of a regular file, or None where there is none."""
        try:
            status = native(self._root, path).lstat()
        except OSError:
            return None
        return stat.S_IMODE(status.st_mode) if stat.S_ISREG(status.st_mode) else None

    def clear(self) -> None:
        """Remove what a killed process had finished and not yet placed."""
        for number, file in enumerate(self._patch.manifest.files):
            self._half(number, file.name).unlink(missing_ok=True)

    def _half(self, number: int, path: str) -> Path:
        """Return where a file is finished before it takes its place: a name that is the patch's own."""
        return native(self._root, path).with_name(f".{self._patch.id}.{number}")


def _make(path: Path, entry: Entry, permissions: int | None) -> None:
    """Make a finished file beside the place where it is to be; without permissions those of any new file."""
    if entry.mode == LINK:
        path.symlink_to(os.fsdecode(entry.data))
        return
    write_durably(path, entry.data, 0o666)
    bits = stat.S_IMODE(path.stat().st_mode) if permissions is None else permissions
    path.chmod(bits | (bits & 0o444) >> 2 if entry.mode == EXECUTABLE else bits & ~0o111)


def _place_new(half: Path, target: Path) -> None:
    """Give a finished file its name, unless something else has it by now."""
    try:
        os.link(half, target, follow_symlinks=False)
    except FileExistsError:
        half.unlink()
        raise ApplyError(f"{target.name} has appeared meanwhile") from None
    except (OSError, NotImplementedError):  # a file system without hard links
        half.rename(target)
    else:
        half.unlink()
