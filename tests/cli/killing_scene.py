"""One copy of a repository, the program ended in it at some point, and what is broken there afterwards."""

from __future__ import annotations

import contextlib
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from selfreview.testing.isolation import GIT_ENVIRONMENT
from tests.nursery import run_program
from tests.refine.lab import tree_of

Tree = dict[str, tuple[int, bytes]]

SIGNALS = (signal.SIGKILL, signal.SIGKILL, signal.SIGTERM, signal.SIGINT)
"""SIGKILL is worth more than the others: nobody can prepare for it."""
_APPLY_SECONDS = 0.12
"""How long after the journal appeared a point may lie."""


class Point(NamedTuple):
    """Where the process ends.

    Attributes:
        number: What it sends.
        group: Whether the whole process group gets it, as from a terminal.
        applying: Whether the time counts from when the first file is about to be touched, and not from the start.
        share: Of the time that this takes, where it ends: 0 to 1.
    """

    number: signal.Signals
    group: bool
    applying: bool
    share: float

    @classmethod
    def random(cls, source: random.Random) -> Point:
        applying = source.random() < 0.6
        return cls(source.choice(SIGNALS), source.random() < 0.4, applying, source.random())

    def __str__(self) -> str:
        where = "apply" if self.applying else "start"
        return f"{self.number.name}{' to the group' if self.group else ''} at {where} + {self.share:.3f}"


class Scene:
    """One copy of the repository, with a home of its own."""

    def __init__(self, place: Path) -> None:
        self._place = place
        self._root = place / "repo"
        self._own = self._root / ".git" / "selfreview"
        self._workspaces = place / "cache" / "selfreview" / "workspaces"
        settings = place / "home" / "config" / "config.toml"  # what the environment limits would speak for no branch
        settings.parent.mkdir(parents=True, exist_ok=True)
        settings.write_text('reviewers = ["rules"]\n', encoding="utf-8")
        clean = {name: value for name, value in os.environ.items() if not name.startswith(("GIT_", "SELFREVIEW_"))}
        self._env = clean | GIT_ENVIRONMENT | {
            "HOME": str(place / "home"),
            "XDG_CACHE_HOME": str(place / "cache"),
            "XDG_STATE_HOME": str(place / "home" / "state"),
            "SELFREVIEW_CONFIG_DIR": str(place / "home" / "config"),
            "SELFREVIEW_DATA_DIR": str(place / "home" / "data"),
            "TMPDIR": str(place / "tmp"),
            "PYTHONPATH": os.pathsep.join([str(place), os.environ.get("PYTHONPATH", "")]).rstrip(os.pathsep),
        }  # fmt: skip

    def run(self, argv: Sequence[str]) -> subprocess.CompletedProcess[bytes]:
        """Run the program to its end."""
        return run_program(argv, cwd=self._root, env=self._env)

    def run_as_it_starts(self, argv: Sequence[str]) -> subprocess.CompletedProcess[bytes]:
        """Run the program to its end, in as much time as one takes that is killed."""
        return subprocess.run([sys.executable, "-m", "selfreview", *argv], cwd=self._root, env=self._env,
                              capture_output=True, check=False, timeout=120)  # fmt: skip

    def run_until(self, argv: Sequence[str], point: Point, seconds: float) -> str:
        """Run the program until a point; return what it was doing."""
        journal = self._own / "journal.json"
        began, due = time.monotonic(), point.share * seconds
        command = [sys.executable, "-m", "selfreview", *argv]
        phase, seen = "ended", False
        with subprocess.Popen(command, cwd=self._root, env=self._env, stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL, start_new_session=True) as child:  # fmt: skip
            while child.poll() is None:
                if not seen and point.applying:
                    seen = journal.exists()
                    began, due = time.monotonic(), point.share**2 * _APPLY_SECONDS
                elif time.monotonic() - began >= due:
                    phase = self._phase(journal)
                    with contextlib.suppress(ProcessLookupError):
                        os.killpg(child.pid, point.number) if point.group else child.send_signal(point.number)
                    child.wait(60)
                    return phase
                else:
                    time.sleep(0.0005)
        return phase

    def _phase(self, journal: Path) -> str:
        if journal.exists():
            return "apply"
        return "workspace" if self._workspaces.is_dir() and any(self._workspaces.iterdir()) else "outside"

    def tree(self) -> Tree:
        """Return every file of the person's, with its mode and its bytes."""
        return tree_of(self._root)

    def index(self) -> str:
        """Return what the index holds."""
        return self._git("ls-files", "--stage").stdout

    def broken_at_once(self, old: Tree, new: Tree, indices: tuple[str, str]) -> Iterator[str]:
        """Yield what is neither old nor new in the moment after the end."""
        tree = self.tree()
        for path in sorted({*old, *new, *tree}):
            half = path.rpartition("/")[2].startswith(".p-")
            if not half and tree.get(path) not in (old.get(path), new.get(path)):
                yield f"at once: {path} is neither old nor new"
        if self.index() not in indices:
            yield "at once: the index is neither old nor new"
        if (self._root / ".git" / "index.lock").exists() and not (self._own / "journal.json").exists():
            yield "at once: the index is locked, and nobody will know why"

    def broken_after_a_signal(self) -> Iterator[str]:
        """Yield what a process leaves that had the time to clean up."""
        if (self._own / "journal.json").exists():
            yield "a signal left the journal"
        if self._workspaces.is_dir() and any(self._workspaces.iterdir()):
            yield "a signal left a workspace"
        left = [path.name for path in (self._place / "tmp").iterdir()]
        if left:
            yield f"a signal left temporary files: {left}"

    def broken_in_git(self) -> Iterator[str]:
        """Yield what git has to say against it."""
        for argv in (("fsck", "--no-dangling", "--no-progress"), ("status", "--porcelain"), ("write-tree",)):
            done = self._git(*argv)
            if done.returncode:
                yield f"git {argv[0]}: {done.stderr}"
        if (self._root / ".git" / "index.lock").exists():
            yield "the index is still locked"

    def left_behind(self) -> Iterator[str]:
        """Yield what of the killed process is still there."""
        own = {path.name for path in self._own.iterdir() if not path.name.startswith("store.db")}
        stray = own - {"applied.json", "apply.lock", "loop.lock", "patches", "progress", "workspaces"}
        stray -= {".journal.json.new", ".applied.json.new"}  # one of each at most; the next apply writes over it
        if stray:
            yield f"left in .git/selfreview: {sorted(stray)}"
        for folder in (self._own / "progress", self._own / "workspaces", self._workspaces):
            if folder.is_dir() and (names := sorted(path.name for path in folder.iterdir())):
                yield f"left in {folder.name}: {names}"

    def _git(self, *argv: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(["git", *argv], cwd=self._root, env=self._env, capture_output=True, text=True,
                              check=False)  # fmt: skip
