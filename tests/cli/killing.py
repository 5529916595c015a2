"""Kill the real program at some point, and say what of its promises is broken afterwards.

Whatever ends the process: every file of the person's is wholly old or wholly new, the next command brings the set to
its end, and the run after that leaves nothing of the killed one behind.
"""

from __future__ import annotations

import contextlib
import shutil
import signal
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from selfreview.git.worktree_files import Entry
from tests.cli.killing_scene import Point, Scene
from tests.conftest import Workspace
from tests.refine.lab import fill, keep, workspace_of

CASES = ("run", "staged", "agent", "apply", "undo")
_CALL = "import requests\n\n\ndef get(url):\n    return requests.get(url, verify=False)\n"

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
            done = scene.run_as_it_starts(self._argv)
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


def _differing(tree: Mapping[str, object], other: Mapping[str, object]) -> list[str]:
    return sorted(path for path in {*tree, *other} if tree.get(path) != other.get(path))
