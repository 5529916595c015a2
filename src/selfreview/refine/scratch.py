"""Scratch folders of workspaces: made, locked while in use, removed at the end, and swept up after a killed process."""

from __future__ import annotations

import contextlib
import os
import secrets
import tempfile
from collections.abc import Iterator
from pathlib import Path

import msgspec

from selfreview.access import access_hint
from selfreview.apply.applier import Deferral
from selfreview.errors import FixError
from selfreview.git.collect_change import Collected
from selfreview.git.make_workspace import make_workspace
from selfreview.git.removal import remove_folder
from selfreview.git.repo import Repo
from selfreview.git.workspace import Workspace
from selfreview.model.wire import from_json, to_json


class Record(msgspec.Struct, frozen=True, kw_only=True):
    """Location of a workspace: recorded in the repository, so that the next run there finds it."""

    folder: str


@contextlib.contextmanager
def scratch(repo: Repo, collected: Collected, uninterrupted: Deferral) -> Iterator[Workspace]:
    """Make a workspace for as long as the context lasts.

    Args:
        repo: The person's repository.
        collected: What is under review.
        uninterrupted: Defers interrupts while it is removed.

    Raises:
        FixError: If there is no room for it.
        GitError: If it cannot be made.
    """
    import filelock

    sweep(repo)
    name = secrets.token_hex(4)
    folder = _parent() / f"{repo.root.name[:40] or 'repository'}-{name}"
    records = _records(repo)
    record = records / f"{name}.json"
    lock = filelock.FileLock(records / f"{name}.lock", timeout=0)
    try:
        records.mkdir(mode=0o700, parents=True, exist_ok=True)
        lock.acquire()
    except OSError as error:
        raise _no_place(error, records) from error
    try:
        try:
            record.write_bytes(to_json(Record(folder=str(folder))))
            # The folder above is private; the one below is called as the repository, for tools that look at its name.
            folder.mkdir(mode=0o700, parents=True)
            root = folder / (repo.root.name or "repository")
            root.mkdir()
        except OSError as error:
            record.unlink(missing_ok=True)  # it would say of something that is not there that it has to be removed
            raise _no_place(error, records) from error
        yield make_workspace(repo, collected, root.resolve())
    finally:
        with uninterrupted("the workspace is removed"):
            try:
                if remove_folder(folder):
                    record.unlink(missing_ok=True)
            finally:
                lock.release()
            if not record.exists():
                Path(lock.lock_file).unlink(missing_ok=True)


def _no_place(error: OSError, records: Path) -> FixError:
    denied = isinstance(error, PermissionError)
    hint = access_hint(Path(error.filename or records)) if denied else "make room, or set XDG_CACHE_HOME"
    return FixError(f"there is no place for a workspace: {error}", hint=hint)


def sweep(repo: Repo) -> int:
    """Remove the workspaces of ended processes; return how many. A workspace that cannot be removed stays."""
    folder = _records(repo)
    try:
        records = {path.with_suffix(".json") for path in folder.iterdir()}
    except OSError:  # nothing has been made here yet, or it is not to be read: nothing is there to be removed
        return 0
    removed = 0
    for record in sorted(records):  # one that was cut off before it was written has its lock only
        with contextlib.suppress(OSError):  # of another user, or on a disk that may not be written
            removed += _sweep_one(record)
    return removed


def _sweep_one(record: Path) -> bool:
    """Remove a workspace unless it is in use, and return whether it was removed."""
    import filelock

    lock = filelock.FileLock(record.with_suffix(".lock"), timeout=0)
    try:
        lock.acquire()
    except filelock.Timeout:
        return False  # in use
    try:
        try:
            place = Path(from_json(record.read_bytes(), Record).folder)
        except (OSError, msgspec.MsgspecError):  # cut off while it was written: nothing was made yet
            place = None
        # A record says what to remove: only what we could have made is.
        ours = place is not None and place.parent == _parent() and place.name.endswith(f"-{record.stem}")
        if place is not None and ours and not remove_folder(place):
            return False
        record.unlink(missing_ok=True)
    finally:
        lock.release()
    record.with_suffix(".lock").unlink(missing_ok=True)
    return True


def _records(repo: Repo) -> Path:
    return repo.common_dir / "selfreview" / "workspaces"


def _parent() -> Path:
    import platformdirs

    try:
        folder = platformdirs.user_cache_path("selfreview", appauthor=False)
    except RuntimeError:  # nobody's home can be found
        folder = Path(tempfile.gettempdir()) / f"selfreview-{os.getuid() if hasattr(os, 'getuid') else 'user'}"
    if not folder.is_absolute():
        folder = Path(tempfile.gettempdir()) / "selfreview"
    return folder / "workspaces"
