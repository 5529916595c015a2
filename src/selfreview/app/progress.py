"""Progress of runs for whoever watches from elsewhere: a private file beside the store for each run, gone with it.

What is there is never needed: a file that cannot be written, is full, or lies on a system without locks, is no reason
for anything to fail. A run holds a lock on its file, so that a reader knows whether it lives; what a killed run left is
removed by the next one.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import stat
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import msgspec

from selfreview.model.event import Item, LoggedEvent
from selfreview.model.wire import display_path, from_json, kept_json, utc_now

if TYPE_CHECKING:
    from selfreview.app.ui import Ui
    from selfreview.git.repo import Repo
    from selfreview.model.result import ReviewerStatus
    from selfreview.model.usage import Usage
    from selfreview.review.tasks import ProgressListener

KIND = "progress"
"""Kind of what a reader gets."""
MAX_BYTES = 256 * 1024
"""Size from which on a run says nothing more."""
_SUFFIX = ".jsonl"
_LOCKS = os.name != "nt"
_OFTEN_S = 0.2
_UNUSED_S = 60.0


def progress_folder(repo: Repo) -> Path:
    """Return the folder of the runs' files."""
    return repo.common_dir / "selfreview" / "progress"


class ProgressFile:
    """The file of one run; may be written from any thread.

    Args:
        folder: Where it is made.
    """

    def __init__(self, folder: Path) -> None:
        self._lock = threading.Lock()
        self._size = 0
        self._path = folder / f"{os.getpid()}-{secrets.token_hex(4)}{_SUFFIX}"
        self._descriptor: int | None = None
        if not _LOCKS:
            return
        with contextlib.suppress(OSError):
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            _sweep(folder)
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND
            self._descriptor = os.open(self._path, flags, 0o600)
            if not _locked(self._descriptor):
                self.close()

    def say(self, what: str, **data: object) -> None:
        """Append a line."""
        line = kept_json({"at": utc_now(), "what": what, **data}) + b"\n"
        with self._lock:
            self._size += len(line)
            if self._descriptor is None or self._size > MAX_BYTES:
                return
            with contextlib.suppress(OSError):
                os.write(self._descriptor, line)

    def close(self) -> None:
        """Remove it."""
        with self._lock, contextlib.suppress(OSError):
            if self._descriptor is not None:
                descriptor, self._descriptor = self._descriptor, None
                self._path.unlink()
                os.close(descriptor)


class WatchedUi:
    """A front end whose progress is written to a file, too; whatever else is asked of it, the other one does."""

    def __init__(self, ui: Ui, file: ProgressFile) -> None:
        self._ui = ui
        self._file = file

    def __getattr__(self, name: str) -> Any:
        return getattr(self._ui, name)

    def progress(self, text: str) -> None:
        """Show what is being done."""
        self._file.say("step", text=text)
        self._ui.progress(text)

    def spent(self, usage: Usage) -> None:
        """Show what models cost so far."""
        if usage.requests:
            tokens = {"inputTokens": usage.input_tokens, "outputTokens": usage.output_tokens}
            self._file.say("spent", requests=usage.requests, costUsd=usage.cost_usd, **tokens)
        self._ui.spent(usage)

    @contextlib.contextmanager
    def watching(self) -> Iterator[ProgressListener]:
        """Show the reviewers at work for as long as the context lasts."""
        with self._ui.watching() as shown:
            yield _Listener(shown, self._file)


class _Listener:
    """Writes down which reviewers start and end; another one shows it."""

    def __init__(
        self, shown: ProgressListener, file: ProgressFile, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._shown = shown
        self._file = file
        self._clock = clock
        self._last: dict[str, float] = {}

    def started(self, name: str) -> None:
        """Note a start."""
        self._file.say("started", reviewer=name)
        self._shown.started(name)

    def advanced(self, name: str, done: int, of: int) -> None:
        """Note how many files of all that it was given a reviewer has finished, but not each of many."""
        now = self._clock()
        if now - self._last.get(name, -_OFTEN_S) >= _OFTEN_S:
            self._last[name] = now
            self._file.say("advanced", reviewer=name, done=done, of=of)
        self._shown.advanced(name, done, of)

    def finished(self, name: str, status: ReviewerStatus) -> None:
        """Note an end."""
        self._file.say("finished", reviewer=name, status=status.value)
        self._shown.finished(name, status)


@contextlib.contextmanager
def watched(ui: Ui, repo: Repo, branch: str | None, session: str | None) -> Iterator[Ui]:
    """Yield a front end whose progress others can read for as long as the context lasts.

    Args:
        ui: The front end.
        repo: Where the run is.
        branch: The branch under review.
        session: Its session, or None.
    """
    with contextlib.closing(ProgressFile(progress_folder(repo))) as file:
        about = {"branch": display_path(branch or ""), "worktree": display_path(str(repo.root)), "session": session}
        file.say("begun", pid=os.getpid(), command=ui.command, **about)
        yield cast("Ui", WatchedUi(ui, file))


class ProgressReader:
    """Reads along with the runs that live.

    Args:
        folder: Where their files are.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._offsets: dict[str, int] = {}
        self._begun: dict[str, dict[str, Any]] = {}

    def read(self) -> list[LoggedEvent]:
        """Return what was said since the last time, and which runs have ended; none of it has a cursor."""
        found: list[LoggedEvent] = []
        alive = set()
        for name in _names(self._folder):
            text = self._text_of(name)
            if text is None:
                continue
            alive.add(name)
            whole = text[: text.rfind(b"\n") + 1]
            self._offsets[name] = self._offsets.get(name, 0) + len(whole)
            found += filter(None, (self._event(name, line) for line in whole.splitlines()))
        for name in self._begun.keys() - alive:
            found.append(self._about(name, utc_now(), {"what": "ended"}))
            del self._begun[name], self._offsets[name]
        return found

    def _text_of(self, name: str) -> bytes | None:
        """Return what is new in a file; None where its run is dead."""
        try:
            descriptor = os.open(self._folder / name, os.O_RDONLY | os.O_NOFOLLOW)
        except OSError:  # it has ended meanwhile
            return None
        try:
            there = os.fstat(descriptor)
            if not there.st_size or not stat.S_ISREG(there.st_mode) or _locked(descriptor):
                return None
            return os.pread(descriptor, MAX_BYTES, self._offsets.get(name, 0))
        except OSError:
            return None
        finally:
            os.close(descriptor)

    def _event(self, name: str, line: bytes) -> LoggedEvent | None:
        try:
            said = from_json(line, dict[str, Any])
            at = said.pop("at")
        except (msgspec.MsgspecError, UnicodeDecodeError, KeyError):  # no line of ours
            return None
        self._begun.setdefault(name, said)
        return self._about(name, str(at), said)

    def _about(self, name: str, at: str, said: dict[str, Any]) -> LoggedEvent:
        begun = self._begun[name]
        item = Item(branch=str(begun.get("branch") or ""), worktree=str(begun.get("worktree") or ""))
        session = begun.get("session")
        data = {"pid": begun.get("pid"), **said}
        return LoggedEvent(cursor="", kind=KIND, at=at, session=session and str(session), item=item, data=data)


def _names(folder: Path) -> list[str]:
    try:
        return [] if not _LOCKS else sorted(path.name for path in folder.iterdir() if path.suffix == _SUFFIX)
    except OSError:
        return []


def _locked(descriptor: int) -> bool:
    """Return whether the lock of a file was free, and is held by this descriptor now."""
    import fcntl

    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _sweep(folder: Path) -> None:
    """Remove what killed runs left."""
    for name in _names(folder):
        with contextlib.suppress(OSError):
            descriptor = os.open(folder / name, os.O_RDONLY | os.O_NOFOLLOW)
            try:
                there = os.fstat(descriptor)
                begins = not there.st_size and time.time() - there.st_mtime < _UNUSED_S  # its lock is about to be taken
                if not begins and _locked(descriptor):
                    (folder / name).unlink()
            finally:
                os.close(descriptor)
