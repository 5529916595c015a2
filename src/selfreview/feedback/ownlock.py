"""Index lock that a git of ours leaves when it is killed: recognised, and removed, where nobody holds it.

A note is written before git is started on the index of a person's working tree, and goes when that git has ended. Only
a process that was killed leaves it. A lock is ours where there is a note, the lock is from the moment after it, and no
git is at work in the tree: any other is a person's, and is waited for.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

from selfreview.git.repo import Repo
from selfreview.loop.patches import replace_durably

_MOMENT_NS = 60 * 10**9
"""Git takes the lock as the first thing that it does, and has written it before it runs a hook."""


class OwnLock:
    """The lock of one working tree's index.

    Args:
        repo: The repository, with the working tree.
        processes: The folder that lists processes; where there is none, no lock is ever removed.
    """

    def __init__(self, repo: Repo, processes: Path = Path("/proc")) -> None:
        self._root = repo.root
        self._lock = repo.git_dir / "index.lock"
        self._note = repo.git_dir / "selfreview" / "index-in-use"
        self._processes = processes

    @contextlib.contextmanager
    def writing(self) -> Iterator[None]:
        """Note that a git of ours writes the index, for as long as the context lasts."""
        with contextlib.suppress(OSError):  # then a lock that is left is taken for a person's
            self._note.parent.mkdir(mode=0o700, exist_ok=True)
            replace_durably(self._note, b"")
        try:
            yield
        except BaseException:
            if not self._lock.exists():  # else the git that was ended may have left it
                self._note.unlink(missing_ok=True)
            raise
        self._note.unlink(missing_ok=True)

    def is_free(self) -> bool:
        """Return whether nobody has locked the index; a lock that a killed git of ours left is removed."""
        if self._lock.exists() and self._is_ours():
            self._lock.unlink(missing_ok=True)
        if self._lock.exists():
            return False
        self._note.unlink(missing_ok=True)
        return True

    def _is_ours(self) -> bool:
        try:
            after = self._lock.stat().st_mtime_ns - self._note.stat().st_mtime_ns
        except FileNotFoundError:
            return False
        return 0 <= after <= _MOMENT_NS and not self._is_git_at_work()

    def _is_git_at_work(self) -> bool:
        """Return whether any git runs in the working tree, ours or a person's; True also where that cannot be known."""
        try:
            found = [one for one in self._processes.iterdir() if one.name.isdecimal()]
        except OSError:
            return True
        return not found or any(map(self._works_here, found))

    def _works_here(self, process: Path) -> bool:
        try:
            name = (process / "comm").read_text("utf-8", "replace").strip()
            if name != "git" and not name.startswith("git-"):
                return False
            where = Path(os.readlink(process / "cwd"))  # noqa: PTH115 - may be of no file any more
        except (FileNotFoundError, ProcessLookupError):
            return False  # it has ended
        except OSError:
            return True  # somebody else's: it may be here
        return any(where == place or place in where.parents for place in (self._root, self._lock.parent))
