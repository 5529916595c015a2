"""Context of a reviewer: content, a private workspace, and tools under its own deadline."""

from __future__ import annotations

import subprocess
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Protocol

from selfreview.api.config import ConfigView
from selfreview.api.context import CommittedLines, Hunk, Review, SourceText, WordHit
from selfreview.errors import ToolTimeout
from selfreview.git.commit_lines import Commits
from selfreview.git.content import Content
from selfreview.git.private_folder import PrivateFolder
from selfreview.git.worktree_files import native
from selfreview.model.change import Change, ChangedFile
from selfreview.model.issue import Side
from selfreview.proc import Runner


class SettingsSource(Protocol):
    """Source of the files that tell tools how to review."""

    def find(self, paths: Iterable[str]) -> dict[str, bytes]:
        """Return the content of those of the paths that are files."""

    def list(self, folder: str) -> list[str]:
        """Return the paths of all files below a folder, sorted."""


class Workbench:
    """Resources that all reviewers of a run share; closed at its end.

    Args:
        change: The change, with its excluded files marked.
        content: Where its text comes from.
        config: The resolved configuration.
        runner: Runs and kills the children.
        settings: The files that tell tools how to review; by default they are those of the tree under review.
        commits: The commits that are reviewed one by one; by default there are none.

    Attributes:
        interrupted: Whether a person stopped the run, so that it covers only what was finished.
    """

    def __init__(
        self,
        change: Change,
        content: Content,
        config: ConfigView,
        runner: Runner,
        *,
        settings: SettingsSource | None = None,
        commits: Commits | None = None,
    ) -> None:
        self.change = change
        self.content = content
        self.config = config
        self.runner = runner
        self.commits = commits
        self._settings = settings
        self._committed: list[CommittedLines] | None = None
        self._reading = threading.Lock()
        self._found: dict[str, bytes | None] = {}
        self._finding = threading.Lock()
        self._texts: dict[tuple[str, Side], SourceText | None] = {}
        self._written: set[str] = set()
        self._folder: PrivateFolder | None = None
        self._tree: Path | None = None
        self._lock = threading.Lock()
        self._stops: list[Callable[[], None]] = []
        self._stopped = False
        self.interrupted = False

    def on_stop(self, callback: Callable[[], None]) -> None:
        """Have something called when the run is interrupted or over; at once where that was before."""
        with self._lock:
            if not self._stopped:
                self._stops.append(callback)
                return
        callback()

    def stop(self) -> None:
        """Stop what is still running: children are killed, requests cancelled."""
        self.runner.kill_all()
        with self._lock:
            self._stopped = True
            stops, self._stops = self._stops, []
        for callback in stops:
            callback()

    def cancel(self) -> None:
        """Have the review end as at Ctrl-C, from another thread."""
        self.interrupted = True
        self.stop()

    def settings(self, paths: Iterable[str]) -> dict[str, bytes]:
        """Return the content of those of the paths that are files, from where settings are read; each is read once."""
        wanted = list(paths)
        with self._finding:
            unread = [path for path in dict.fromkeys(wanted) if path not in self._found]
            if unread:
                found = self.content.find(unread) if self._settings is None else self._settings.find(unread)
                self._found.update((path, found.get(path)) for path in unread)
            return {path: data for path in wanted if (data := self._found[path]) is not None}

    def list_settings(self, folder: str) -> list[str]:
        """Return the paths of all files below a folder from where settings are read, sorted."""
        if self._settings is not None:
            return self._settings.list(folder)
        return [path for path in self.content.list_paths() if path.startswith(folder + "/")]

    @property
    def settings_of_base(self) -> bool:
        """Return whether settings are read from the base."""
        return self._settings is not None

    def text(self, file: ChangedFile, side: Side) -> SourceText | None:
        """Return a file's text, decoded once."""
        key = (file.path, side)
        if key not in self._texts:
            data = self.content.read(file, side)
            self._texts[key] = None if data is None else SourceText.from_bytes(data)
        return self._texts[key]

    def committed_lines(self, timeout: float) -> Sequence[CommittedLines]:
        """Return what commits add that the change as a whole does not; git is asked once."""
        with self._reading:
            if self._committed is None:
                commits = self.commits
                self._committed = commits.read(self.change, self.content, self.runner, timeout) if commits else []
            return self._committed

    def workspace(self, extra: Iterable[str]) -> Path:
        """Return the folder with the changed files, written on first use, and bring further files by name."""
        with self._lock:
            root = self._root() / "files"
            if not self._written:
                root.mkdir()
                for file in self.change.reviewable:
                    data = None if file.is_symlink else self.content.read(file, Side.NEW)
                    if data is not None:
                        self._write(root, file.path, data)
            names = [name for name in extra if name not in self._written]
            self._written.update(["", *names])
            wanted = {f"{folder}{name}" for folder in self._folders() for name in names}
            if self._settings is not None:
                for path in wanted:
                    native(root, path).unlink(missing_ok=True)
            missing = sorted(path for path in wanted if not native(root, path).exists())
            for path, data in self.settings(missing).items():
                self._write(root, path, data)
            return root

    def tree(self) -> Path:
        """Return a folder with the whole tree."""
        with self._lock:
            if self._tree is None:
                folder = self._root() / "tree"
                folder.mkdir()
                self._tree = self.content.checkout(folder)
            return self._tree

    def close(self) -> None:
        """End and remove everything."""
        self.stop()
        if self._folder is not None:
            self._folder.cleanup()
        self.content.close()

    def _root(self) -> Path:
        if self._folder is None:
            self._folder = PrivateFolder()
        return Path(self._folder.name).resolve()

    def _folders(self) -> set[str]:
        """Return the folders above the changed files, as ``""`` or ending in ``/``."""
        folders = {""}
        for file in self.change.reviewable:
            parts = file.path.split("/")[:-1]
            folders.update("/".join(parts[:depth]) + "/" for depth in range(1, len(parts) + 1))
        return folders

    @staticmethod
    def _write(root: Path, path: str, data: bytes) -> None:
        target = native(root, path)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(data)


class RunContext:
    """A :class:`~selfreview.api.ReviewContext` for one reviewer.

    Args:
        bench: What all reviewers share.
        timeout: Seconds from now until this reviewer's deadline.

    Attributes:
        bench: What all reviewers share.
        keeper: What keeps a part of a review, or None where nothing is kept.
    """

    def __init__(self, bench: Workbench, timeout: float) -> None:
        self.keeper: Callable[[Sequence[ChangedFile], Review], None] | None = None
        self.bench = bench
        self._deadline = time.monotonic() + timeout

    @property
    def change(self) -> Change:
        """The whole change."""
        return self.bench.change

    @property
    def config(self) -> ConfigView:
        """The resolved configuration."""
        return self.bench.config

    def read(self, file: ChangedFile, side: Side = Side.NEW) -> bytes | None:
        """Return a file's bytes on one side."""
        return self.bench.content.read(file, side)

    def text(self, file: ChangedFile, side: Side = Side.NEW) -> SourceText | None:
        """Return a file's text on one side."""
        return self.bench.text(file, side)

    def hunks(self, file: ChangedFile) -> tuple[Hunk, ...]:
        """Return a file's hunks with their lines."""
        return self.bench.content.hunks(file)

    def read_path(self, path: str, side: Side = Side.NEW) -> bytes | None:
        """Return the bytes of any file of one side's tree."""
        return self.bench.content.read_path(path, side)

    def read_paths(self, paths: Iterable[str], side: Side = Side.NEW) -> dict[str, bytes]:
        """Return the content of those of the paths that are regular files of one side's tree."""
        return self.bench.content.find(paths, side)

    def read_settings(self, paths: Iterable[str]) -> dict[str, bytes]:
        """Return the content of those of the paths that are files of settings for tools."""
        return self.bench.settings(paths)

    def list_settings(self, folder: str) -> list[str]:
        """Return the paths of all files below a folder from where settings are read, sorted."""
        return self.bench.list_settings(folder)

    @property
    def settings_of_base(self) -> bool:
        """Return whether settings are read from the base."""
        return self.bench.settings_of_base

    def read_links(self, paths: Iterable[str], side: Side = Side.NEW) -> dict[str, str]:
        """Return where those of the paths lead that are symbolic links of one side's tree."""
        return self.bench.content.links(paths, side)

    def list_paths(self, side: Side = Side.NEW) -> list[str]:
        """Return the paths of all files of one side's tree."""
        return self.bench.content.list_paths(side)

    def committed_lines(self) -> Sequence[CommittedLines]:
        """Return what commits add that the change as a whole does not."""
        return self.bench.committed_lines(max(self.remaining(), 1.0))

    def search(self, words: Sequence[str]) -> list[WordHit]:
        """Return the lines of the tree under review that hold one of the words."""
        return self.bench.content.search(words)

    def workspace(self, extra: Iterable[str] = ()) -> Path:
        """Return the private folder with the changed files."""
        return self.bench.workspace(extra)

    def tree(self) -> Path:
        """Return a folder with the whole tree under review."""
        return self.bench.tree()

    def run(
        self,
        argv: Sequence[str],
        *,
        cwd: Path,
        stdin: bytes | None = None,
        ok: Iterable[int] = (0,),
        env: dict[str, str] | None = None,
        timeout: float | None = None,
    ) -> subprocess.CompletedProcess[bytes]:
        """Run a tool until it ends or the deadline comes."""
        seconds = self.remaining()
        if seconds <= 0:
            raise ToolTimeout(f"there was no time left to start {Path(argv[0]).name}")
        if timeout is not None:
            seconds = min(seconds, timeout)
        return self.bench.runner.run(argv, cwd=cwd, timeout=seconds, stdin=stdin, ok=ok, env=env)

    def keep(self, files: Sequence[ChangedFile], review: Review) -> None:
        """Cache the findings of some of the files at once."""
        if self.keeper is not None:
            self.keeper(files, review)

    def on_stop(self, callback: Callable[[], None]) -> None:
        """Have something called when the run is interrupted or over."""
        self.bench.on_stop(callback)

    def remaining(self) -> float:
        """Return the seconds until the deadline."""
        return self._deadline - time.monotonic()
