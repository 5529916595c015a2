"""Run a project's checks in a workspace: setup, environment, time limits, and the output that is shown.

Where a package is installed in place, Python finds it at the path that was recorded then, whatever folder a test runs
in. The interpreter itself is asked where it would import from: that covers path files, the finders of every build
backend, and links. The same folders of the workspace are then put on ``PYTHONPATH``, which comes before most of them,
and it is asked again, because some finders come before that.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import signal
import time
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from selfreview.api import CheckOutcome, ConfigView
from selfreview.errors import GitError, ToolError, ToolTimeout
from selfreview.git.make_workspace import share
from selfreview.git.repo import discover
from selfreview.git.workspace import Workspace
from selfreview.git.worktree_files import native
from selfreview.model.change import path_bytes, path_from_bytes
from selfreview.model.wire import display_path
from selfreview.proc import Runner
from selfreview.programs import find_on_path
from selfreview.refine.checks import Check, Command, words_of
from selfreview.refine.leftovers import Ignored, Leftovers
from selfreview.secrets.scanner import mask_secrets
from selfreview.text.escape import visible
from selfreview.text.layout import listing

SETUP_S = 900.0
"""Seconds that all setup commands together may take by default."""
_SHELL = re.compile(r"[|&;<>()$`*?\[\]~#!{}\n]|^\s*\w+=")
"""Syntax that only a shell understands."""
_STATUSES = range(-64, 256)
"""Any end of a program that was started; below 0 a signal's number."""
_NOT_FOUND = (126, 127)
"""Exit statuses of a shell that cannot start a program."""
_MAX_NAMED = 3
_TOOL_FOLDERS = frozenset({".gradle", ".mypy_cache", ".next", ".nox", ".tox", ".venv", "node_modules", "target"})
"""Folders of tools that know by themselves what is stale, and take minutes where they begin with nothing."""


class Checker:
    """Runs checks in one workspace.

    Args:
        workspace: The workspace.
        person: Top level of the person's tree, for what is shared, and for the environment that belongs to it.
        config: The configuration.
        runner: Runs them, and kills them.

    Attributes:
        workspace: The workspace.
        runner: Runs programs, and kills them.
    """

    def __init__(self, workspace: Workspace, person: Path, config: ConfigView, runner: Runner) -> None:
        self.workspace = workspace
        self._person = person
        self._table = config.table("workspace")
        self.runner = runner
        self._environment = Environment(workspace, person, runner)
        self._prepared = False
        self._cannot: str | None = None
        self._kept_folders: tuple[str, ...] = ()
        self._ignored: Ignored | None = None
        self._tree = ""
        self._ran: set[str] = set()

    def prepare(self) -> str | None:
        """Share folders and run the setup commands, once; return why checks cannot run, or None.

        Raises:
            FixError: If what that writes cannot be kept out of the patch.
            GitError: If git fails.
        """
        if not self._prepared:
            self._prepared = True
            names, commands = self._table.get("share", ()), self._table.get("setup", ())
            if names or commands:
                leftovers = Leftovers(self.workspace)
                self._cannot = self._set_up(names, commands)
                leftovers.hide()
        return self._cannot

    def run(self, check: Check, deadline: float) -> CheckOutcome:
        """Run a check; what it leaves behind in the workspace is taken away again.

        What git ignores of that stays for the other checks of the same tree.

        Args:
            check: The check.
            deadline: On the monotonic clock; the first check has the time that the setup takes on top.

        Raises:
            FixError: If the workspace cannot be restored.
            GitError: If git fails.
        """
        began = time.monotonic()
        cannot = self.prepare()
        if cannot is not None:
            return CheckOutcome(check.name, None, cannot)
        seconds = min(check.timeout, deadline - began)
        leftovers = Leftovers(self.workspace)
        lost = self._begin(check, leftovers.tree)
        try:
            passed, output = self._execute(check.run, seconds)
        finally:
            changed = leftovers.take_back()
        if lost:
            output = f"{output}\n({lost})".lstrip()
        if changed:
            passed = False if passed else passed  # it judged something else than what is under review
            names = listing(map(display_path, changed), _MAX_NAMED)
            output = f"{output}\n(it changed {names}, which was reverted)".lstrip()
        return CheckOutcome(check.name, passed, output)

    def _begin(self, check: Check, tree: str) -> str:
        """Take back what checks did to ignored files, before one runs on another tree than they did, or again.

        Folders stay that the setup made or that are shared, and those of :data:`_TOOL_FOLDERS`.

        Returns:
            What could not be put back, as a sentence, or nothing.
        """
        lost = ""
        if self._ignored is None:
            # What Python compiled counts as fresh where a file was edited within the second and is as long as before.
            folders = self.workspace.ignored_folders()
            self._kept_folders = tuple(name for name in folders if not name.endswith("__pycache__/"))
            self._ignored = Ignored(self.workspace, self._spares)
        elif tree != self._tree or check.name in self._ran:
            lost = self._ignored.restore()
            self._ran.clear()
        self._tree = tree
        self._ran.add(check.name)
        return lost

    def _spares(self, path: str) -> bool:
        kept = path.startswith(self._kept_folders) or path in self._environment.brought
        return kept or not _TOOL_FOLDERS.isdisjoint(path.split("/"))

    def _set_up(self, names: list[str], commands: list[str | list[str]]) -> str | None:
        try:
            missing = share(self._person, self.workspace.root, names)
        except OSError as error:
            return f"a folder of workspace.share cannot be shared: {error}"
        self.workspace.shared = {name: self._person / name for name in names if name not in missing}
        deadline = time.monotonic() + float(self._table.get("setup_timeout", SETUP_S))
        for command in commands:
            run = command if isinstance(command, str) else tuple(command)
            passed, output = self._execute(run, deadline - time.monotonic())
            if not passed:
                absent = f" (not there to be shared: {', '.join(missing)})" if missing else ""
                return f"the setup of the workspace failed: {words_of(run)}{absent}: {output}"
        return None

    def _execute(self, run: Command, seconds: float) -> tuple[bool | None, str]:
        """Run a command; return whether it succeeded (None: it could not run) and the end of its output."""
        if seconds <= 0:
            return None, "there was no time left for it"
        argv = _argv(run)
        self.workspace.refresh_view()  # whatever ran before may have made another of it
        env, blind = self._environment.of(argv[0])
        if blind is not None:
            return None, f"it cannot run: {blind}; let workspace.setup make an environment of its own"
        root = self.workspace.root
        try:
            done = self.runner.run(
                [self._environment.find(argv[0]), *argv[1:]], cwd=root, timeout=seconds, ok=_STATUSES, env=env
            )
        except ToolTimeout:
            return False, f"it did not finish within {seconds:.0f} s"
        except ToolError as error:
            return None, error.message + (f" ({error.hint})" if error.hint else "")
        output = tail(done.stdout, done.stderr, root)
        if done.returncode < 0:
            output = f"{output}\n(it was killed by {_signal(-done.returncode)})".lstrip()
        elif done.returncode and output:
            output = f"{output}\n(it ended with status {done.returncode})"
        if done.returncode in _NOT_FOUND and argv != _words_of(run):
            return None, output
        return done.returncode == 0, output or f"(it ended with status {done.returncode} and printed nothing)"


def _argv(run: Command) -> list[str]:
    """Return what to start: a plain command line is split as a shell splits it, any other is given to one."""
    plain = _words_of(run)
    if plain:
        return plain
    if os.name == "nt":
        return [os.environ.get("COMSPEC", "cmd.exe"), "/d", "/s", "/c", str(run)]
    return ["/bin/sh", "-c", str(run)]


def _words_of(run: Command) -> list[str]:
    """Return program and arguments; nothing where a shell has to read them."""
    if not isinstance(run, str):
        return list(run)
    if _SHELL.search(run):
        return []
    try:
        return shlex.split(run, posix=os.name != "nt")
    except ValueError:  # a quote that is not closed: the shell says so
        return []


def _signal(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


_PROBE = """
import importlib.util, json, sys
sys.path[:] = [entry for entry in sys.path if entry]
mapped, found = {}, {}
for finder in sys.meta_path:
    kind = finder if isinstance(finder, type) else type(finder)
    module = sys.modules.get(kind.__module__)
    for table in (getattr(module, "MAPPING", 0), getattr(finder, "_redirections", 0),
                  getattr(finder, "known_source_files", 0)):
        if isinstance(table, dict):
            mapped.update((name, path) for name, path in table.items() if isinstance(path, str))
for name in {n.partition(".")[0] for n in (*json.loads(sys.stdin.read()), *mapped)}:
    try:
        spec = importlib.util.find_spec(name)
    except (ImportError, ValueError, AttributeError):
        continue
    if spec is not None:
        found[name] = [spec.origin] if spec.has_location else list(spec.submodule_search_locations or ())
print(json.dumps({"path": sys.path, "prefix": [sys.prefix, sys.exec_prefix], "mapped": mapped, "found": found}))
"""
_SECONDS = 60.0
_MAX_NAMES = 2_000


class Redirected(NamedTuple):
    """Paths by which an interpreter imports from the workspace, and names for which that fails.

    Attributes:
        folders: Folders of the workspace for ``PYTHONPATH``.
        packages: Paths below the top level of what is imported from them, for what was built in place.
        stuck: Names that it imports from the person's tree all the same.
    """

    folders: list[Path]
    packages: list[str]
    stuck: list[str]


def redirect(python: str, person: Path, workspace: Path, runner: Runner, env: Mapping[str, str]) -> Redirected:
    """Find out how an interpreter imports from the workspace what it would import from the person's tree.

    Args:
        python: The interpreter.
        person: Top level of the person's tree.
        workspace: Top level of the workspace.
        runner: Runs it.
        env: Variables that a check gets.

    Raises:
        ToolError: If it cannot be run, or does not answer.
    """
    root = person.resolve()
    names = sorted(_importable(workspace))[:_MAX_NAMES]
    answer = _ask(python, names, workspace, runner, env)
    folders: dict[Path, None] = {}
    packages: set[str] = set()
    stuck: set[str] = set()
    for entry in answer["path"]:
        inside = _inside(entry, root, answer["prefix"])
        if inside is not None:
            folders[inside] = None
    for name, place in (*_places(answer["found"]), *answer["mapped"].items()):
        inside = _inside(place, root, answer["prefix"])
        if inside is None or not _exists(workspace / inside):
            continue
        folder = _above(inside, name)
        if folder is None:
            stuck.add(name)
        else:
            folders[folder] = None
            if (workspace / inside).is_dir():
                packages.add(inside.as_posix())
    paths = [workspace / folder for folder in folders if (workspace / folder).is_dir()]
    if paths:
        again = _ask(python, names, workspace, runner, {**env, "PYTHONPATH": os.pathsep.join(map(str, paths))})
        for name, places in again["found"].items():
            before: set[str] = set()
            for place in filter(None, places):
                # A namespace package has portions in both trees: the one in front is what is imported.
                inside = _inside(place, root, again["prefix"])
                in_front = inside is not None and os.path.realpath(workspace / inside) in before
                if inside is not None and _exists(workspace / inside) and not in_front:
                    stuck.add(name)
                before.add(os.path.realpath(place))
    return Redirected(paths, sorted(packages), sorted(stuck))


def _ask(python: str, names: list[str], cwd: Path, runner: Runner, env: Mapping[str, str]) -> Any:
    done = runner.run([python, "-c", _PROBE], cwd=cwd, timeout=_SECONDS, stdin=json.dumps(names).encode(), env=env)
    try:
        return json.loads(done.stdout.strip().rpartition(b"\n")[2])
    except (ValueError, RecursionError) as error:
        raise ToolError(f"{python} does not say where it imports from") from error


def _importable(workspace: Path) -> Iterator[str]:
    """Yield names of modules and packages that lie where projects keep them."""
    for folder in (workspace, workspace / "src", workspace / "lib", workspace / "python"):
        for item in folder.iterdir() if folder.is_dir() else ():
            if item.stem.isidentifier() and (item.suffix == ".py" or (not item.suffix and item.is_dir())):
                yield item.stem


def _places(found: Mapping[str, Iterable[str | None]]) -> Iterator[tuple[str, str]]:
    for name, places in found.items():
        yield from ((name, place) for place in places if place)


def _inside(place: str, root: Path, prefixes: Iterable[str]) -> Path | None:
    """Return a path relative to the person's tree; None where it lies elsewhere, or in an environment in that tree."""
    path = Path(os.path.realpath(place))
    if not path.is_relative_to(root):
        return None
    environments = [Path(os.path.realpath(prefix)) for prefix in prefixes]
    if any(path.is_relative_to(prefix) for prefix in environments if prefix not in (root, *root.parents)):
        return None
    inside = path.relative_to(root)
    if inside.name == "__init__.py":
        inside = inside.parent
    return None if "site-packages" in inside.parts else inside


def _above(inside: Path, name: str) -> Path | None:
    """Return the folder that a name is imported from; None where the path is not named as the module is."""
    parts, wanted = inside.with_suffix("").parts, tuple(name.split("."))
    return Path(*parts[: -len(wanted)]) if parts[-len(wanted) :] == wanted else None


def _exists(path: Path) -> bool:
    return path.exists() or path.with_suffix(".py").exists()


_VENVS = (".venv", "venv", "env")
_APART = frozenset(
    """
    npm npx pnpm yarn bun node deno cargo go mvn gradle dotnet bundle rake composer php ruby swift
    tox nox uv uvx hatch
    """.split()  # noqa: SIM905 - a table to read
)
"""Programs that run no Python, or one of an environment that they make for the tree they are in."""
_SHEBANG = re.compile(rb"#!\s*(/\S*python[0-9.]*)\s*$")
_MAX_BUILT = 64 * 1024 * 1024
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
            if _is_venv(self._person / name) and not self._workspace.repo.git.run(["ls-files", "-z", "--", name]):
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
        room = _MAX_BUILT
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


LINES, CHARACTERS = 40, 4_000
"""Maximum of what is shown: lines, and characters."""
_SCANNED = 32 * 1024
"""Bytes of each stream that are searched for secrets: more than is shown, so that none is cut in two unrecognised."""
_COLOUR = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)")


def tail(stdout: bytes, stderr: bytes, root: Path) -> str:
    """Return the last lines of both streams, readable, without secrets and control characters.

    Where both say much, each gets half of the room.

    Args:
        stdout, stderr: What was printed.
        root: The workspace, whose paths are shown as relative ones.
    """
    first, second = _lines(stdout, root), _lines(stderr, root)
    room = max(LINES // 2, LINES - len(second))
    first = first[-room:]
    lines = [*first, *second[max(0, len(second) - (LINES - len(first))) :]]
    text = "\n".join(lines)
    return text if len(text) <= CHARACTERS else "…" + text[1 - CHARACTERS :]


def _lines(output: bytes, root: Path) -> list[str]:
    text = output[-_SCANNED:].decode("utf-8", "replace")
    if len(output) > _SCANNED:
        text = text.partition("\n")[2] or text
    text = _COLOUR.sub("", text.replace("\r\n", "\n"))
    for folder in dict.fromkeys((str(root), str(root.resolve()))):
        text = text.replace(folder + "/", "").replace(folder + "\\", "")
    text = mask_secrets(text).rstrip()
    # A progress bar that was drawn over and over: what it said last.
    lines = [visible(line.rstrip("\r").rpartition("\r")[2].replace("\t", "    ")) for line in text.split("\n")]
    return lines if text else []
