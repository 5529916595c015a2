"""Swap the files of a patch from one state to another: each is written beside its place, and renamed into it."""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from selfreview.apply.patches import FileState, Patch, sync_folder, write_durably
from selfreview.errors import ApplyError
from selfreview.git.worktree_files import (
    EXECUTABLE,
    LINK,
    PLAIN,
    Entry,
    is_beyond_link,
    native,
    read_file,
    remove_empty_folders,
)
from selfreview.model.change import path_bytes, path_from_bytes
from selfreview.model.wire import display_path


def recorded(root: Path, names: Iterable[str]) -> list[tuple[bytes, int]]:
    """Return the folders that may go when files are placed, the upper ones first.

    Args:
        root: Top level of the working tree.
        names: Paths of the files.

    Returns:
        Path and permissions of those above a file, and of those in the place of one, with what is in them.
    """
    found: dict[str, int] = {}
    for name in names:
        parts = name.split("/")
        waiting = ["/".join(parts[:count]) for count in range(1, len(parts) + 1)]
        while waiting:
            path = waiting.pop()
            target = native(root, path)
            if path in found or is_beyond_link(root, path) or target.is_symlink() or not target.is_dir():
                continue
            found[path] = stat.S_IMODE(target.stat().st_mode)
            if path == name or path.startswith(f"{name}/"):
                with contextlib.suppress(OSError):  # one that cannot be read makes no room for a file
                    waiting += [f"{path}/{path_from_bytes(os.fsencode(below.name))}" for below in target.iterdir()]
    return [(path_bytes(path), found[path]) for path in sorted(found)]


class Folders:
    """Makes folders as they were.

    Args:
        root: Top level of the working tree.
        known: What :func:`recorded` returned.
    """

    def __init__(self, root: Path, known: Iterable[tuple[bytes, int]]) -> None:
        self._root = root
        self._known: Mapping[str, int] = {path_from_bytes(path): bits for path, bits in known}

    def make_above(self, path: str) -> None:
        """Make the folders above a file that are not there, each with the permissions that it had.

        Raises:
            OSError: If one cannot be made.
        """
        parts = path.split("/")
        for count in range(1, len(parts)):
            self._make("/".join(parts[:count]))

    def put_back(self) -> None:
        """Restore all folders that were removed; where something else is in their place by now, that stays.

        Raises:
            OSError: If one cannot be made.
        """
        for path in self._known:
            if not is_beyond_link(self._root, path):
                try:
                    self._make(path)
                except (FileExistsError, NotADirectoryError):
                    continue

    def _make(self, path: str) -> None:
        target = native(self._root, path)
        if target.is_dir():
            return
        bits = self._known.get(path)
        if bits is None:
            target.mkdir()
        else:
            target.mkdir(bits & 0o777)
            target.chmod(bits)


class Step(NamedTuple):
    """Step that moves one file of a patch from a state to another.

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
        """Return the reverse of this step."""
        return self._replace(old=self.new, new=self.old)


class FileSwap:
    """Places the files of one patch in a working tree.

    Args:
        root: Top level of the working tree.
        patch: The patch.
        permissions: By number, the permissions of files before the patch was applied.
        folders: Those that were there then, as :func:`~selfreview.apply.file_swap.recorded` returns them.
        modes: Whether git looks at who may execute a file (``core.fileMode``).
    """

    def __init__(
        self,
        root: Path,
        patch: Patch,
        permissions: Mapping[int, int],
        folders: Iterable[tuple[bytes, int]] = (),
        *,
        modes: bool = True,
    ) -> None:
        self._root = root
        self._modes = modes
        self._patch = patch
        self._permissions = permissions
        self._folders = Folders(root, folders)
        self._paths = {file.name for file in patch.manifest.files}

    def steps(self, *, undo: bool) -> list[Step]:
        """Return the steps in order: removals come first, as a folder may take a file's place."""
        steps = [
            Step(number, file.name, *((file.new, file.old) if undo else (file.old, file.new)))
            for number, file in enumerate(self._patch.manifest.files)
        ]
        return sorted(steps, key=lambda step: step.new is not None)

    def stands(self, path: str, state: FileState | None) -> bool:
        """Return whether a file is in a state.

        One that is absent may have a folder in its place, or a file or link in place of a folder above it, as long as
        that belongs to the patch itself.
        """
        link = self._link_above(path)
        if link is not None:
            return state is None and link in self._paths
        try:
            entry = read_file(self._root, path)
        except OSError:
            return False
        if state is not None:
            return state.is_of(entry, modes=self._modes)
        target = native(self._root, path)
        # A FIFO is something, though nothing that git would track; so is a folder with anything else in it.
        return entry is None and (not os.path.lexists(target) or self._is_ours(target, path))

    def has_room(self, path: str) -> bool:
        """Return whether an absent file has room: no file is above it, and no folder with files is in its place."""
        target = native(self._root, path)
        for folder in target.parents:
            if folder == self._root:
                break
            if folder.is_symlink() or (folder.exists() and not folder.is_dir()):
                return False
        return not os.path.lexists(target) or (_is_folder(target) and next(_files(target), None) is None)

    def put(self, step: Step) -> None:
        """Move a file from one state to another; leave it alone where it is in that state already.

        Raises:
            ApplyError: If it is not in the state that it is to leave.
            OSError: If it cannot be written.
        """
        target = native(self._root, step.path)
        if self.stands(step.path, step.new):
            self._discard(step.number, step.path)
            return
        has_folder = target.parent.is_dir()
        try:
            self._put(step, target, self._half(step.number, step.path))
        except (ApplyError, OSError):
            self._discard(step.number, step.path)
            if not has_folder:
                remove_empty_folders(self._root, target.parent)
            raise
        if target.parent.exists():
            sync_folder(target.parent)

    def _put(self, step: Step, target: Path, half: Path) -> None:
        entry = self._patch.entry(step.new)
        permissions = self._bits(step)
        if entry is not None:
            if self._link_above(step.path) is not None:
                raise _edited(step.path)
            self._folders.make_above(step.path)
            half.unlink(missing_ok=True)
            _make(half, self._as_there(entry, step.old, permissions), permissions)
        if not self.stands(step.path, step.old):  # the last look before the one step that cannot be taken back
            raise _edited(step.path)
        if entry is None:
            target.unlink()
            remove_empty_folders(self._root, target.parent)
        elif step.old is None:
            _remove_empty(target)
            _place_new(half, target)
        else:
            half.replace(target)

    def permissions(self, path: str) -> int | None:
        """Return the permissions of a regular file, or None where there is none."""
        try:
            status = native(self._root, path).lstat()
        except OSError:
            return None
        return stat.S_IMODE(status.st_mode) if stat.S_ISREG(status.st_mode) else None

    def put_back_folders(self) -> None:
        """Restore the folders that were removed with files: to be called when every file is what it was.

        Raises:
            OSError: If one cannot be made.
        """
        self._folders.put_back()

    def _bits(self, step: Step) -> int | None:
        """Return the permissions that a file is to have, apart from its mode; None: those of any new file.

        They are those of the file in its place. What an apply made of them is taken back; what the person did is not.
        """
        now, known = self.permissions(step.path), self._permissions.get(step.number)
        goes_back = step.new is not None and step.new == self._patch.manifest.files[step.number].old
        if known is None or now is None:
            return known if now is None else now
        as_applied = step.old is not None and now == _with_mode(known, step.old.mode)
        return known if goes_back and as_applied else now

    def _as_there(self, entry: Entry, old: FileState | None, permissions: int | None) -> Entry:
        """Return a file with the mode of its permissions, where it existed before and git ignores modes."""
        if self._modes or permissions is None or old is None or LINK in (old.mode, entry.mode):
            return entry
        return entry._replace(mode=EXECUTABLE if permissions & stat.S_IXUSR else PLAIN)

    def clear(self) -> None:
        """Remove the temporary files of a killed process."""
        for number, file in enumerate(self._patch.manifest.files):
            self._discard(number, file.name)

    def _half(self, number: int, path: str) -> Path:
        """Return the temporary path of a file, written before it is renamed: a name of this patch alone."""
        return native(self._root, path).with_name(f".{self._patch.id}.{number}")

    def _discard(self, number: int, path: str) -> None:
        """Remove the temporary files beside a place, unless something else is in place of their folder."""
        if self._link_above(path) is None:
            with contextlib.suppress(FileNotFoundError, NotADirectoryError):
                self._half(number, path).unlink()

    def _link_above(self, path: str) -> str | None:
        """Return the first folder on the way to a path that is a link, as a path of the tree, or None."""
        parts = path.split("/")
        above = ("/".join(parts[:count]) for count in range(1, len(parts)))
        return next((folder for folder in above if native(self._root, folder).is_symlink()), None)

    def _is_ours(self, target: Path, path: str) -> bool:
        """Return whether a folder is there that the patch fills or empties, and that holds nobody else's files."""
        if not _is_folder(target) or not any(name.startswith(f"{path}/") for name in self._paths):
            return False
        halves = {self._half(number, file.name) for number, file in enumerate(self._patch.manifest.files)}
        ours = {native(self._root, name) for name in self._paths} | halves
        return all(file in ours for file in _files(target))


def _edited(path: str) -> ApplyError:
    return ApplyError(f"{display_path(path)} was edited meanwhile")


def _is_folder(path: Path) -> bool:
    return path.is_dir() and not path.is_symlink()


def _files(folder: Path) -> Iterator[Path]:
    """Yield all that is below a folder and no folder itself; what cannot be listed counts as one."""
    try:
        below = list(folder.iterdir())
    except OSError:
        yield folder
        return
    for path in below:
        if _is_folder(path):
            yield from _files(path)
        else:
            yield path


def _remove_empty(target: Path) -> None:
    """Remove a folder in which there are folders only; what is still in it makes that fail."""
    if _is_folder(target):
        for below in target.iterdir():
            _remove_empty(below)
        target.rmdir()


def _make(path: Path, entry: Entry, permissions: int | None) -> None:
    """Write a temporary file beside its place; without permissions, with those of any new file."""
    if entry.mode == LINK:
        path.symlink_to(os.fsdecode(entry.data))
        return
    write_durably(path, entry.data, 0o666)
    bits = stat.S_IMODE(path.stat().st_mode) if permissions is None else permissions
    path.chmod(_with_mode(bits, entry.mode))


def _with_mode(bits: int, mode: str) -> int:
    """Return permissions with the executable bit of git's mode; unchanged where they agree already."""
    if bool(bits & stat.S_IXUSR) == (mode == EXECUTABLE):
        return bits
    return bits | stat.S_IXUSR | (bits & 0o444) >> 2 if mode == EXECUTABLE else bits & ~0o111


def _place_new(half: Path, target: Path) -> None:
    """Rename a temporary file into its place, unless something else is there by now."""
    try:
        os.link(half, target, follow_symlinks=False)
    except FileExistsError:
        raise ApplyError(f"{target.name} has appeared meanwhile") from None
    except (OSError, NotImplementedError):  # a file system without hard links
        half.rename(target)
    else:
        half.unlink()


def belongs(root: Path, git_dir: Path) -> bool:
    """Return whether a git directory belongs to a working tree: it is in it, or its ``.git`` file names it."""
    there = root / ".git"
    if there.is_dir():
        return there.samefile(git_dir)
    try:
        _, _, named = there.read_text("utf-8", "surrogateescape").strip().partition("gitdir: ")
        return bool(named) and (root / named).samefile(git_dir)
    except OSError:
        return False
