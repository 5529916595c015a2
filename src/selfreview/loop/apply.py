"""Apply a kept patch to the person's tree, and undo it: each file whole, the set completed or rolled back.

A journal names the patch before the first file is touched, and goes when the last is done. A process that is killed in
between leaves it, and the next command completes the set; where the person has edited one of the files meanwhile, it
puts the others back, and says so. A file is replaced by renaming a finished one over it: it is old or new at any time.
"""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec

from selfreview.errors import ApplyError, SelfreviewError
from selfreview.git.entry import EXECUTABLE, LINK, Entry, read_file, remove_empty_folders
from selfreview.git.repo import Repo
from selfreview.git.safeopen import is_beyond_link, native
from selfreview.loop.holding import uninterrupted
from selfreview.loop.patches import (
    FileState,
    Patch,
    PatchStore,
    replace_durably,
    sync_folder,
    write_durably,
)
from selfreview.loop.staging import clear_index_lock, stage
from selfreview.model.wire import display_path, from_json, to_json


class Journal(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """What is being done, or was done last.

    Attributes:
        patch: Id of the patch.
        undo: Whether it is being taken back.
        staged: Whether its files are staged too.
        at: When it began.
        permissions: By number, the permissions of the files that were there, for one that is removed and put back.
    """

    patch: str
    undo: bool
    staged: bool
    at: str
    permissions: dict[int, int] = {}


class Recovery(NamedTuple):
    """What came of an interrupted apply.

    Attributes:
        journal: What had been begun.
        completed: Whether it is done now; otherwise it was taken back.
        left: Files that the person had edited meanwhile, which were left alone.
    """

    journal: Journal
    completed: bool
    left: tuple[str, ...]


class Applier:
    """Applies patches to one working tree.

    Args:
        repo: The person's repository.
        patches: Where patches are kept.

    Attributes:
        unstaged: The files that the last apply did not stage though it was to: the index held something else.
    """

    def __init__(self, repo: Repo, patches: PatchStore) -> None:
        self._repo = repo
        self._patches = patches
        self._folder = repo.git_dir / "selfreview"
        self.unstaged: list[str] = []

    @property
    def _journal(self) -> Path:
        return self._folder / "journal.json"

    @property
    def _last(self) -> Path:
        return self._folder / "applied.json"

    @property
    def interrupted(self) -> bool:
        """Whether an earlier apply did not come to its end."""
        return self._journal.exists()

    def applied(self) -> Journal | None:
        """Return what was applied last and can be undone, or None."""
        return self._read(self._last)

    def moved(self, patch: Patch, *, undo: bool = False) -> list[str]:
        """Return the files that are not what the patch begins with."""
        return [file.name for file in patch.manifest.files if not self._is(file.name, file.new if undo else file.old)]

    def apply(self, patch: Patch, *, staged: bool, at: str) -> None:
        """Apply a patch, all of it or nothing.

        Raises:
            ApplyError: If a file is not what it was, or another process applies one, or a file cannot be written.
            StoreError: If what was kept is damaged.
        """
        there = {number: self._permissions(file.name) for number, file in enumerate(patch.manifest.files)}
        known = {number: bits for number, bits in there.items() if bits is not None}
        self._begin(patch, Journal(patch=patch.id, undo=False, staged=staged, at=at, permissions=known))

    def undo(self, at: str) -> Patch:
        """Take back what was applied last, all of it or nothing.

        Raises:
            ApplyError: If nothing was applied, or a file was edited since.
            StoreError: If what was kept is damaged.
        """
        last = self.applied()
        if last is None:
            raise ApplyError("nothing was applied here that could be undone")
        patch = self._patches.get(last.patch)
        self._begin(patch, msgspec.structs.replace(last, undo=True, at=at))
        return patch

    def recover(self) -> Recovery | None:
        """Complete or take back what an earlier process left; None where there is nothing, or it is still at work.

        Raises:
            ApplyError: If that cannot be done.
        """
        if not self.interrupted:
            return None
        with self._locked(wait=False) as own:
            journal = self._read(self._journal) if own else None
            if journal is None:
                return None
            patch = self._patches.get(journal.patch)
            left = [
                file.name
                for file in patch.manifest.files
                if not self._is(file.name, file.old) and not self._is(file.name, file.new)
            ]
            clear_index_lock(self._repo, self._folder)
            for number, file in enumerate(patch.manifest.files):
                _half(self._repo.root, patch, number, file.name).unlink(missing_ok=True)
            with uninterrupted("what an earlier command had begun has come to its end"):
                if left:
                    self._take_back(patch, journal, left)
                else:
                    self._perform(patch, journal)
                self._journal.unlink(missing_ok=True)
            return Recovery(journal, not left, tuple(left))

    def _begin(self, patch: Patch, journal: Journal) -> None:
        with self._locked(wait=True):
            if self._journal.exists():
                raise ApplyError("an earlier apply was cut off", hint="'selfreview status' completes it")
            moved = self.moved(patch, undo=journal.undo)
            if moved:
                raise _refusal(patch, journal, moved)
            try:
                replace_durably(self._journal, to_json(journal))
            except OSError as error:
                raise ApplyError(f"the journal cannot be written: {error.strerror or error}") from error
            back = "'selfreview apply' puts it in again" if journal.undo else "'selfreview undo' takes it back"
            with uninterrupted(f"the {'undo' if journal.undo else 'apply'} was done all the same; {back}"):
                try:
                    self._perform(patch, journal)
                except (SelfreviewError, OSError) as error:
                    self._take_back(patch, journal, [])
                    self._journal.unlink(missing_ok=True)
                    what = error.message if isinstance(error, SelfreviewError) else f"a file cannot be written: {error}"
                    raise ApplyError(f"{what}; nothing was changed") from error
                self._journal.unlink(missing_ok=True)

    def _perform(self, patch: Patch, journal: Journal) -> None:
        steps = [_step(patch, number, undo=journal.undo) for number in _order(patch)]
        for step in steps:
            self._put(patch, step, journal)
        if journal.staged:
            self.unstaged = stage(self._repo, self._folder, [(step.path, patch.entry(step.old)) for step in steps])
        if journal.undo:
            self._last.unlink(missing_ok=True)
        else:
            replace_durably(self._last, to_json(journal))

    def _take_back(self, patch: Patch, journal: Journal, left: Sequence[str]) -> None:
        """Put every file back that was changed already."""
        for number in reversed(_order(patch)):
            done = _step(patch, number, undo=journal.undo)
            if done.path not in left and done.old != done.new and self._is(done.path, done.new):
                self._put(patch, done._replace(old=done.new, new=done.old), journal)

    def _put(self, patch: Patch, step: _Step, journal: Journal) -> None:
        """Bring one file from one state into another; one that is there already is left alone."""
        target = native(self._repo.root, step.path)
        half = _half(self._repo.root, patch, step.number, step.path)
        if self._is(step.path, step.new):
            half.unlink(missing_ok=True)
            return
        entry = patch.entry(step.new)
        permissions = self._permissions(step.path)
        if permissions is None:
            permissions = journal.permissions.get(step.number)
        if entry is not None:
            target.parent.mkdir(parents=True, exist_ok=True)
            half.unlink(missing_ok=True)
            _make(half, entry, permissions)
        if not self._is(step.path, step.old):  # the last look before the one step that cannot be taken back
            half.unlink(missing_ok=True)
            raise ApplyError(f"{display_path(step.path)} was edited meanwhile")
        if entry is None:
            target.unlink()
            remove_empty_folders(self._repo.root, target.parent)
        elif step.old is None:
            _place_new(half, target)
        else:
            half.replace(target)
        if target.parent.exists():
            sync_folder(target.parent)

    def _permissions(self, path: str) -> int | None:
        """Return the permissions of a regular file, or None where there is none."""
        try:
            status = native(self._repo.root, path).lstat()
        except OSError:
            return None
        return stat.S_IMODE(status.st_mode) if stat.S_ISREG(status.st_mode) else None

    def _is(self, path: str, state: FileState | None) -> bool:
        if is_beyond_link(self._repo.root, path):
            return False
        try:
            entry = read_file(self._repo.root, path)
        except OSError:
            return False
        if state is None:
            # A folder or a FIFO is something, though nothing that git would track.
            return entry is None and not os.path.lexists(native(self._repo.root, path))
        return state.is_of(entry)

    def _read(self, path: Path) -> Journal | None:
        try:
            return from_json(path.read_bytes(), Journal)
        except FileNotFoundError:
            return None
        except (OSError, msgspec.MsgspecError) as error:
            raise ApplyError(f"{path} cannot be read: {error}", hint="look at it, and remove it") from error

    @contextlib.contextmanager
    def _locked(self, *, wait: bool) -> Iterator[bool]:
        """Hold the lock of this working tree; yield whether it could be had."""
        import filelock

        self._folder.mkdir(mode=0o700, exist_ok=True)
        lock = filelock.FileLock(self._folder / "apply.lock", timeout=10 if wait else 0)
        try:
            lock.acquire()
        except filelock.Timeout:
            if wait:
                raise ApplyError("another selfreview is applying a patch here") from None
            yield False
            return
        try:
            yield True
        finally:
            lock.release()


class _Step(NamedTuple):
    number: int
    path: str
    old: FileState | None
    new: FileState | None


def _step(patch: Patch, number: int, *, undo: bool) -> _Step:
    file = patch.manifest.files[number]
    return _Step(number, file.name, file.new, file.old) if undo else _Step(number, file.name, file.old, file.new)


def _order(patch: Patch) -> list[int]:
    """Return the numbers of a patch's files, those that go first: a folder may take their place."""
    return sorted(range(len(patch.manifest.files)), key=lambda number: patch.manifest.files[number].new is not None)


def _half(root: Path, patch: Patch, number: int, path: str) -> Path:
    """Return where a file is finished before it takes its place: a name that is the patch's own."""
    return native(root, path).with_name(f".{patch.id}.{number}")


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


def _refusal(patch: Patch, journal: Journal, moved: Sequence[str]) -> ApplyError:
    more = f" and {len(moved) - 1} more" if len(moved) > 1 else ""
    what = "it was applied" if journal.undo else "it was reviewed"
    reverse = " --reverse" if journal.undo else ""
    return ApplyError(
        f"{display_path(moved[0])}{more} is not what it was when {what}; nothing was changed",
        hint=f"by hand: git apply --3way{reverse} {patch.file}",
    )
