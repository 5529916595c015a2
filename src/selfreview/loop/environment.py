"""The environment of checks: the person's virtual environment, importing from the workspace."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Mapping
from pathlib import Path

from selfreview.errors import GitError, ToolError
from selfreview.git.repo import discover
from selfreview.git.safeopen import native
from selfreview.git.workspace import Workspace
from selfreview.loop.editable import Redirected, redirect
from selfreview.model.change import path_bytes, path_from_bytes
from selfreview.proc import Runner
from selfreview.programs import find_on_path

_VENVS = (".venv", "venv", "env")
_APART = frozenset(
    """
    npm npx pnpm yarn bun node deno cargo go mvn gradle dotnet bundle rake composer php ruby swift
    tox nox uv uvx hatch
    """.split()  # noqa: SIM905 - a table to read
)
"""Programs that run no Python, or one of an environment that they make for the tree they are in."""
_SHEBANG = re.compile(rb"#!\s*(/\S*python[0-9.]*)\s*$")
_MOST_BUILT = 64 * 1024 * 1024
"""Maximum number of bytes that are copied of what was built in place."""


class Environment:
    """Variables for checks.

    Args:
        workspace: The workspace.
        person: Top level of the person's tree.
        runner: Runs interpreters, to ask where they import from.

    Attributes:
        brought: Paths of what was built in the person's tree and copied into the workspace.
    """

    def __init__(self, workspace: Workspace, person: Path, runner: Runner) -> None:
        self._workspace = workspace
        self._person = person
        self._runner = runner
        self._known: dict[str, Redirected] = {}
        self.brought: set[str] = set()
        # CI: no program waits for input or watches files. NO_COLOR: the output is kept as text.
        self._base = {"CI": "1", "NO_COLOR": "1"}
        venv = self._venv()
        if venv is not None:
            scripts = venv / ("Scripts" if os.name == "nt" else "bin")
            self._base["VIRTUAL_ENV"] = str(venv)
            self._base["PATH"] = os.pathsep.join([str(scripts), os.environ.get("PATH", os.defpath)])

    def of(self, program: str) -> tuple[Mapping[str, str], str | None]:
        """Return the variables for a program, and why it would not see the workspace, or None.

        Args:
            program: Its name, or its path.
        """
        folders: dict[str, None] = {}
        stuck: list[str] = []
        for python in self._pythons(program):
            redirected = self._redirected(python)
            folders.update(dict.fromkeys(map(str, redirected.folders)))
            stuck += [f"{name} ({python})" for name in redirected.stuck]
        env = {**self._base, "PYTHONPATH": os.pathsep.join(folders)} if folders else self._base
        if stuck and Path(program).stem not in _APART:
            return env, f"{', '.join(stuck)} would be imported from your tree, not from what is under review"
        return env, None

    def find(self, program: str) -> str:
        """Return where a program is: with a folder in its name below the workspace, else as it is for PATH."""
        return program if Path(program).name == program else str(self._workspace.root / program)

    def _venv(self) -> Path | None:
        """Return the active virtual environment, else the one in the person's tree that git does not track."""
        active = os.environ.get("VIRTUAL_ENV")
        if active and _is_venv(Path(active)):
            return Path(active)
        for name in _VENVS:
            tracked = self._workspace.repo.git.run(["ls-files", "-z", "--", name])
            if not tracked and _is_venv(self._person / name):
                return self._person / name
        return None

    def _pythons(self, program: str) -> list[str]:
        """Return the interpreters in play: those on PATH, and the one that a script of Python's begins with."""
        search = {"PATH": self._base.get("PATH", os.environ.get("PATH", os.defpath))}
        if os.name == "nt":
            search["PATHEXT"] = os.environ.get("PATHEXT", ".EXE;.CMD;.BAT")
        found = [find_on_path(name, search) for name in ("python", "python3")]
        script = find_on_path(program, search) if Path(program).name == program else self.find(program)
        found.append(_interpreter(script) if script is not None else None)
        by_folder = {Path(python).parent: python for python in reversed(found) if python is not None}
        return list(by_folder.values())

    def _redirected(self, python: str) -> Redirected:
        if python not in self._known:
            try:
                known = redirect(python, self._person, self._workspace.root, self._runner, self._base)
                self._bring_built(known.packages)
            except ToolError:  # no interpreter that runs: nothing that a check imports comes from it
                known = Redirected([], [], [])
            self._known[python] = known
        return self._known[python]

    def _bring_built(self, packages: list[str]) -> None:
        """Copy what was built in place and git ignores, such as extension modules and a version file."""
        if not packages:
            return
        try:
            git = discover(self._person, os.environ).git
            listed = git.run(["ls-files", "--others", "--ignored", "--exclude-standard", "-z", "--",
                              *map(path_bytes, packages)])  # fmt: skip
        except GitError:  # not the person's repository any more; a check says what it misses
            return
        room = _MOST_BUILT
        for path in map(path_from_bytes, listed.split(b"\0")[:-1]):
            source, target = native(self._person, path), native(self._workspace.root, path)
            if "__pycache__" in source.parts or source.is_symlink() or not source.is_file() or target.exists():
                continue
            room -= source.stat().st_size
            if room < 0:
                return
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source, target)
            self.brought.add(path)


def _interpreter(script: str) -> str | None:
    try:
        with open(script, "rb") as stream:  # noqa: PTH123 - cheap
            match = _SHEBANG.match(stream.readline(512))
    except OSError:
        return None
    return os.fsdecode(match[1]) if match else None


def _is_venv(folder: Path) -> bool:
    return (folder / "pyvenv.cfg").is_file()
