"""Kill the real program at some point, and say what of its promises is broken afterwards.

Whatever ends the process: every file of the person's is wholly old or wholly new, the next command brings the set to
its end, and the run after that leaves nothing of the killed one behind.
"""

from __future__ import annotations

import contextlib
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from selfreview.git.entry import Entry
from tests.conftest import GIT_ENVIRONMENT, Workspace
from tests.loop.lab import fill, keep, tree_of, workspace_of

Tree = dict[str, tuple[int, bytes]]

CASES = ("run", "staged", "agent", "apply", "undo")
SIGNALS = (signal.SIGKILL, signal.SIGKILL, signal.SIGTERM, signal.SIGINT)
"""SIGKILL is worth more than the others: nobody can prepare for it."""
_CALL = "import requests\n\n\ndef get(url):\n    return requests.get(url, verify=False)\n"
_APPLY_SECONDS = 0.12
"""How long after the journal appeared a point may lie."""

AGENT = '''
"""A fixer that works in a process of its own, and takes a moment for every file."""
import sys
from selfreview.api import Fix, FixAnswer, FixOutcome, hookimpl

PROGRAM = """
import pathlib, sys, time
for name in sys.argv[1:]:
    time.sleep(0.03)
    path = pathlib.Path(name)
    path.write_bytes(path.read_bytes().replace(b", verify=False", b""))
"""

class Slow:
    name = "slow"
    is_mechanical = False
    def takes(self, issue, config):
        return True
    def fix(self, request, context):
        context.run([sys.executable, "-c", PROGRAM, *sorted({issue.file for issue in request.issues})])
        mended = [FixAnswer(issue=i.id, outcome=FixOutcome.ADDRESSED, why="mended") for i in request.issues]
        return Fix(answers=mended)

@hookimpl
def selfreview_register_fixers(registry, config):
    registry.add(Slow())
'''

EDITS: dict[str, Entry | None] = {
    "edited.py": Entry("100644", b"a = 10\nb = 3\n"),
    "staged.py": Entry("100644", b"s = 20\n"),
    "both.py": Entry("100644", b"p = 20\nq = 3\n"),
    "crlf.txt": Entry("100644", b"one\r\ntwo!\r\n"),
    "kept.txt": None,
    "binary.bin": Entry("100644", bytes(256)),
    "new.py": Entry("100644", b"n = 10\n"),
    "folder/fresh.py": Entry("100755", b"#!/usr/bin/env python\n"),
    "link": Entry("120000", b"edited.py"),
    "tool.sh": Entry("100644", b"#!/bin/sh\n"),
    "new.sh": Entry("100755", b"#!/bin/sh\nexec true\n"),
}


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


class Outcome(NamedTuple):
    """What came of a point.

    Attributes:
        phase: What the program was doing: ``apply``, other work while it had a ``workspace``, work ``outside`` of that,
            or nothing, because it had ``ended`` by itself.
        after: ``old`` or ``new``: the person's tree after the next command.
        broken: The promises that were broken.
    """

    phase: str
    after: str
    broken: tuple[str, ...]


class Killing:
    """A repository in a state with everything in it that can be lost, and one command line.

    Args:
        folder: An empty folder for all of it.
        case: One of :data:`CASES`.
    """

    def __init__(self, folder: Path, case: str) -> None:
        self.case = case
        self._folder = folder
        self._template = folder / "template"
        self._argv, self._again = self._prepare()
        with self._copy("whole") as scene:
            self.old, self._old_index = scene.tree(), scene.index()
            began = time.monotonic()
            done = scene.run(self._argv)
            self.seconds = time.monotonic() - began
            assert done.returncode == 0, done.stdout + done.stderr
            self.new, self._new_index = scene.tree(), scene.index()
        assert self.old != self.new
        assert not any(b"verify=False" in data for _, data in self.new.values())

    def _prepare(self) -> tuple[list[str], list[list[str]]]:
        """Make the template; return the command line, and those with which a person goes on."""
        (self._template / "repo").mkdir(parents=True)
        person = Workspace(self._template / "repo")
        person.git("init", "--quiet", "--initial-branch", "main")
        person.commit("first", **{"README.md": "read me\n"})
        person.git("checkout", "--quiet", "-b", "topic")
        fill(person)
        if self.case in ("apply", "undo"):
            return self._prepare_patch(person)
        self._add_calls(person)
        argv = ["run", "--apply"]
        if self.case == "staged":
            argv.append("--stage")
        if self.case == "agent":
            (self._template / "slow_agent.py").write_text(AGENT)
            argv += ["-p", "slow_agent", "--fixer", "slow"]
        return argv, [["resume", *argv[1:]], argv]

    def _prepare_patch(self, person: Workspace) -> tuple[list[str], list[list[str]]]:
        with workspace_of(person, self._template) as (repo, scratch):
            _, patch = keep(repo, scratch, EDITS)
        shutil.rmtree(self._template / "scratch")
        if self.case == "apply":
            argv = ["apply", "--stage", patch.id]
            return argv, [argv]
        with self._open(self._template) as scene:
            done = scene.run(["apply", "--stage", patch.id])
        assert done.returncode == 0, done.stderr
        return ["undo"], [["undo"]]

    @staticmethod
    def _add_calls(person: Workspace) -> None:
        """Have the same defect in files of every kind."""
        person.write("call_both.py", "import requests\n")
        person.write("call_crlf.py", _CALL.replace("\n", "\r\n"))
        person.write("call_run.py", _CALL)
        person.root.joinpath("call_run.py").chmod(0o755)
        person.write("call_staged.py", _CALL)
        person.git("add", "call_both.py", "call_crlf.py", "call_run.py", "call_staged.py")
        person.write("call_both.py", _CALL)
        person.write("edited.py", _CALL)
        person.write("call new.py", _CALL)

    def kill(self, point: Point) -> Outcome:
        """Run the command, end it there, go on as a person would, and look."""
        with self._copy("killed") as scene:
            phase = scene.run_until(self._argv, point, self.seconds)
            broken = list(scene.broken_at_once(self.old, self.new, (self._old_index, self._new_index)))
            if phase != "ended" and point.number != signal.SIGKILL:
                broken += scene.broken_after_a_signal()
            status = scene.run(["status"])
            if status.returncode:
                broken.append(f"status: {status.stderr}")
            tree, index = scene.tree(), scene.index()
            after = "old" if tree == self.old else "new" if tree == self.new else "neither"
            if after == "neither":
                broken.append(f"after status: {_differing(tree, self.old)} and {_differing(tree, self.new)}")
            if index != (self._old_index if after == "old" else self._new_index):
                broken.append(f"the index is not that of the {after} tree")
            broken += scene.broken_in_git()
            if after == "old" or self.case not in ("apply", "undo"):
                done = next((d for argv in self._again if (d := scene.run(argv)).returncode == 0), None)
                if done is None:
                    broken.append("going on ends in an error")
            if scene.tree() != self.new or scene.index() != self._new_index:
                broken.append("going on does not lead to the end")
            if self.case in ("apply", "undo"):
                scene.run(["run", "--no-fix"])
            broken += scene.left_behind()
        return Outcome(phase, after, tuple(broken))

    @contextlib.contextmanager
    def _copy(self, name: str) -> Iterator[Scene]:
        place = self._folder / name
        shutil.copytree(self._template, place, symlinks=True)
        try:
            with self._open(place) as scene:
                yield scene
        finally:
            shutil.rmtree(place, ignore_errors=True)

    @contextlib.contextmanager
    def _open(self, place: Path) -> Iterator[Scene]:
        for name in ("home", "cache", "tmp"):
            (place / name).mkdir(exist_ok=True)
        yield Scene(place)


class Scene:
    """One copy of the repository, with a home of its own."""

    def __init__(self, place: Path) -> None:
        self._place = place
        self._root = place / "repo"
        self._own = self._root / ".git" / "selfreview"
        self._workspaces = place / "cache" / "selfreview" / "workspaces"
        clean = {name: value for name, value in os.environ.items() if not name.startswith(("GIT_", "SELFREVIEW_"))}
        self._env = clean | GIT_ENVIRONMENT | {
            "HOME": str(place / "home"),
            "XDG_CACHE_HOME": str(place / "cache"),
            "XDG_STATE_HOME": str(place / "home" / "state"),
            "SELFREVIEW_CONFIG_DIR": str(place / "home" / "config"),
            "SELFREVIEW_DATA_DIR": str(place / "home" / "data"),
            "SELFREVIEW_REVIEWERS": "rules",
            "TMPDIR": str(place / "tmp"),
            "PYTHONPATH": os.pathsep.join([str(place), os.environ.get("PYTHONPATH", "")]).rstrip(os.pathsep),
        }  # fmt: skip

    def run(self, argv: Sequence[str]) -> subprocess.CompletedProcess[str]:
        """Run the program to its end."""
        return subprocess.run([sys.executable, "-m", "selfreview", *argv], cwd=self._root, env=self._env, text=True,
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
        stray = own - {"applied.json", "apply.lock", "loop.lock", "patches", "workspaces"}
        stray -= {".journal.json.new", ".applied.json.new"}  # one of each at most; the next apply writes over it
        if stray:
            yield f"left in .git/selfreview: {sorted(stray)}"
        for folder in (self._own / "workspaces", self._workspaces):
            if folder.is_dir() and (names := sorted(path.name for path in folder.iterdir())):
                yield f"left in {folder.name}: {names}"

    def _git(self, *argv: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(["git", *argv], cwd=self._root, env=self._env, capture_output=True, text=True,
                              check=False)  # fmt: skip


def _differing(tree: Mapping[str, object], other: Mapping[str, object]) -> list[str]:
    return sorted(path for path in {*tree, *other} if tree.get(path) != other.get(path))
