"""Run git with an environment and settings under which its output means one thing only, and end one that hangs.

Git stays in this process's own group and session, so that Ctrl-C reaches all of it, ssh can ask the person at the
terminal, and whoever kills the group of this process kills it, too. So it is ended by who started whom.
"""

from __future__ import annotations

import contextlib
import functools
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from selfreview.errors import GitError, GitTimeoutError
from selfreview.proc import reap
from selfreview.programs import find_on_path, safe_path

KEPT_VARIABLES = frozenset(
    {
        "GIT_DIR",
        "GIT_WORK_TREE",
        "GIT_COMMON_DIR",
        "GIT_INDEX_FILE",
        "GIT_OBJECT_DIRECTORY",
        "GIT_ALTERNATE_OBJECT_DIRECTORIES",
        "GIT_QUARANTINE_PATH",
        "GIT_NAMESPACE",
        "GIT_SHALLOW_FILE",
        "GIT_CEILING_DIRECTORIES",
        "GIT_DISCOVERY_ACROSS_FILESYSTEM",
        "GIT_EXEC_PATH",
    }
)
"""Variables that say which repository and index are meant; ``GIT_CONFIG*`` is kept too (``safe.directory`` in CI)."""

_SETTINGS = (
    # names and colours
    "core.quotePath=false",
    "color.ui=false",
    # one kind of output each, which the general setting does not turn off
    "color.diff=false",
    "color.grep=false",
    "color.remote=false",
    "color.status=false",
    "color.transport=false",
    # what log prints around what a format asks for, and in which encoding messages are written and read
    "log.follow=false",
    "log.showSignature=false",
    "i18n.commitEncoding=UTF-8",
    "i18n.logOutputEncoding=UTF-8",
    # programs that a repository's configuration names
    "core.fsmonitor=false",
    f"core.hooksPath={os.devnull}",
    # a folder of the working tree with the files of a git directory is none: its settings would be the change's
    "safe.bareRepository=explicit",
    # what changes a diff beyond the options given with it
    "core.bigFileThreshold=512m",
    "core.safecrlf=false",
    "diff.suppressBlankEmpty=false",
    "diff.indentHeuristic=true",
    "diff.autoRefreshIndex=true",
    f"diff.orderFile={os.devnull}",
    "diff.colorMoved=no",
    "diff.renameLimit=1000",
    "submodule.recurse=false",
)

_NO_FILE = os.path.join(os.devnull, "none")  # noqa: PTH118 - no file is ever there, not even an empty one
_VARIABLES = {
    "LC_ALL": "C",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_PAGER": "cat",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_GRAFT_FILE": _NO_FILE,
}
_GRACE_S = 10.0
_WITH_VALUE = ("-c", "-C", "--git-dir", "--work-tree", "--namespace")
"""Options of git itself whose value is the next word."""
_LITTLE = 65536
"""Bytes; with less than that left, a disk counts as full."""
_MAX_KEPT = 65536
"""Bytes of the largest answer that is remembered."""
_ROOM = "make room there, or set TMPDIR to another folder"


def git_environment(source: Mapping[str, str]) -> dict[str, str]:
    """Return the environment for git: everything but git's own variables, and of those the ones that name a place.

    No object is replaced by another one, and no commit gets other parents: what is pushed is the objects themselves.
    """
    env = {
        name: value
        for name, value in source.items()
        if not name.startswith("GIT_") or name in KEPT_VARIABLES or name.startswith("GIT_CONFIG")
    }
    if "PATH" in env:
        env["PATH"] = safe_path(env["PATH"])  # what git starts must not be the repository's either
    return {**env, **_VARIABLES}


def as_tool(args: Sequence[str]) -> tuple[list[str], dict[str, str]]:
    """Return the command line and the variables of a git that another program starts, in a clean environment.

    Args:
        args: The command and its arguments.
    """
    return ["git", *_options(literal=True), *args], dict(_VARIABLES)


def _options(*, literal: bool) -> list[str]:
    settings = (part for setting in _SETTINGS for part in ("-c", setting))
    return ["--no-pager", *(["--literal-pathspecs"] if literal else []), *settings]


class Git:
    """Git in one folder.

    Args:
        cwd: Where to run it.
        environ: The environment to start from; see :func:`git_environment`.
        timeout: Seconds that a run may take, or None: what others write to may hold something that git waits for.

    Attributes:
        commits: Ids of commits that git has found here.
        trees: Ids of their trees, as far as they are known, by commit.
    """

    def __init__(self, cwd: Path, environ: Mapping[str, str], *, timeout: float | None = None) -> None:
        self.cwd = cwd
        self.environ = dict(environ)
        self.timeout = timeout
        self.commits: set[str] = set()
        self.trees: dict[str, str] = {}
        self._answers: dict[tuple[str | bytes | None, ...], subprocess.CompletedProcess[bytes]] = {}

    @functools.cached_property
    def program(self) -> str:
        """Git's absolute path.

        Raises:
            GitError: If there is no git.
        """
        found = find_on_path("git", self.environ)
        if found is None:
            raise GitError("git is not installed, or not on PATH", hint="install git 2.30 or newer")
        return found

    def with_env(self, **variables: str) -> Git:
        """Return the same with further variables set."""
        return Git(self.cwd, {**self.environ, **variables}, timeout=self.timeout)

    def argv(self, args: Sequence[str | bytes], *, literal: bool = True) -> list[str | bytes]:
        """Return the whole command line of a run, for another way to start it; the arguments are those of ``call``.

        Raises:
            GitError: If there is no git.
        """
        return [self.program, *_options(literal=literal), *args]

    def within(self, timeout: float) -> Git:
        """Return the same with a number of seconds that a run may take."""
        return Git(self.cwd, self.environ, timeout=timeout)

    def call(
        self, args: Sequence[str | bytes], *, stdin: bytes | None = None, literal: bool = True, fixed: bool = False
    ) -> subprocess.CompletedProcess[bytes]:
        """Run git and return how it ended, whatever that was.

        Args:
            args: The command and its arguments.
            stdin: What it reads.
            literal: Whether it is told that paths are no patterns; a few commands do not take that.
            fixed: Whether an answer holds for ever, because all that is asked for is named by object ids: git is then
                asked once. That something is missing is asked again: it may be fetched.

        Raises:
            GitError: If there is no git, or it takes too long.
        """
        if fixed:
            key = (*args, None, stdin, str(literal))
            done = self._answers.get(key) or self.call(args, stdin=stdin, literal=literal)
            if done.returncode == 0 and len(done.stdout) <= _MAX_KEPT:
                self._answers[key] = done
            return done
        try:
            return _capture(self.argv(args, literal=literal), self.cwd, self.environ, stdin, self.timeout)
        except subprocess.TimeoutExpired as error:
            raise GitTimeoutError(f"git {_command(args)} did not finish within {self.timeout:g} s") from error
        except FileNotFoundError as error:
            if not self.cwd.is_dir():
                raise GitError(f"the folder {self.cwd} does not exist") from error
            raise GitError(f"git cannot be started: {self.program} is not there any more") from error
        except OSError as error:
            raise GitError(f"git cannot be started: {error.strerror or error}") from error

    def run(self, args: Sequence[str | bytes], *, stdin: bytes | None = None, fixed: bool = False) -> bytes:
        """Run git and return its standard output; the arguments are those of ``call``.

        Raises:
            GitError: If it does not end with status 0.
        """
        done = self.call(args, stdin=stdin, fixed=fixed)
        if done.returncode != 0:
            message = first_line(done.stderr)
            full = _full_folder() if not message or "o space left" in message else None
            if full is not None:
                raise GitError(f"git {_command(args)} failed: the disk is full, in {full}", hint=_ROOM)
            raise GitError(f"git {_command(args)} failed: {message or done.returncode}", hint=hint_of(message))
        return done.stdout

    def line(self, args: Sequence[str | bytes], *, fixed: bool = False) -> str | None:
        """Run git and return its output as one line, or None if it does not end with status 0 or says nothing."""
        done = self.call(args, fixed=fixed)
        text = done.stdout.decode("utf-8", "surrogateescape").rstrip("\n")
        return text if done.returncode == 0 and text else None


def _capture(
    argv: list[str | bytes], cwd: Path, environ: Mapping[str, str], stdin: bytes | None, timeout: float | None
) -> subprocess.CompletedProcess[bytes]:
    """Run to the end. Errors go to a file, so that one pipe remains and is read in large pieces: diffs can be large.

    Where the time is limited, there is no pipe at all: what git leaves behind could hold it open.

    Raises:
        subprocess.TimeoutExpired: If it took too long; then it is ended, with all that it started.
    """
    with tempfile.TemporaryFile() as errors, contextlib.ExitStack() as stack:
        into = stack.enter_context(tempfile.TemporaryFile()) if timeout is not None else None
        child = subprocess.Popen(
            argv,
            cwd=cwd,
            env=environ,
            stdin=subprocess.DEVNULL if stdin is None else subprocess.PIPE,
            stdout=subprocess.PIPE if into is None else into,
            stderr=errors,
        )
        with child:
            try:
                if into is None and stdin is None and child.stdout is not None:
                    output = child.stdout.read()
                else:
                    output = child.communicate(stdin, timeout)[0]
            except subprocess.TimeoutExpired:
                terminate(child, _GRACE_S)
                raise
            except BaseException:
                child.kill()
                raise
        if into is not None:
            into.seek(0)
            output = into.read()
        errors.seek(0)
        return subprocess.CompletedProcess(argv, child.returncode, output, errors.read())


def hint_of(message: str) -> str | None:
    """Return what can be done about an error of git, or None."""
    lacks = "unable to read" in message or "missing blob" in message
    return (
        "the repository lacks an object (git fsck names it): git fetch --refetch downloads it again" if lacks else None
    )


def first_line(stderr: bytes) -> str:
    """Return the first line of an error message that says something, without git's ``fatal:``."""
    for line in stderr.decode("utf-8", "replace").splitlines():
        text = line.strip().removeprefix("fatal: ").removeprefix("error: ")
        if text and not text.startswith(("warning:", "hint:")):
            return text
    return ""


def _full_folder() -> str | None:
    """Return the folder for temporary files if it is full: git's own words about it have no room there either."""
    folder = tempfile.gettempdir()
    try:
        return folder if shutil.disk_usage(folder).free < _LITTLE else None
    except OSError:
        return None


def _command(args: Sequence[str | bytes]) -> str:
    """Return git's subcommand: the first word after the options of git itself."""
    words = iter(value.decode("utf-8", "replace") if isinstance(value, bytes) else value for value in args)
    for word in words:
        if word in _WITH_VALUE:
            next(words, None)
        elif not word.startswith("-"):
            return word
    return "itself"


_PROC = Path("/proc")
_ENDED = ("Z", "X")
"""States of a process that is over."""
_LOOK_S = 0.05
"""Seconds between two looks at git's child processes: only git's own end is reported."""


def terminate(child: subprocess.Popen[bytes], grace_s: float) -> None:
    """Terminate a process and all that it started, so that git removes its locks; after a while, kill the remaining.

    Args:
        child: The process.
        grace_s: Seconds that they have for that.
    """
    if sys.platform == "win32":
        subprocess.run(["taskkill", "/F", "/T", "/PID", str(child.pid)], capture_output=True, check=False)
        child.wait()
        return
    asked = _below([child.pid], _running())
    _send({child.pid, *asked}, signal.SIGTERM)
    deadline = time.monotonic() + grace_s
    with contextlib.suppress(subprocess.TimeoutExpired):
        child.wait(grace_s)
    while remaining := _below(_still_running(asked, running := _running()), running):
        if time.monotonic() >= deadline:
            break
        time.sleep(_LOOK_S)
    _send(remaining, signal.SIGKILL)
    child.kill()
    reap(child)


def _send(processes: Iterable[int], number: int) -> None:
    for pid in processes:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(pid, number)


def _still_running(asked: dict[int, str], running: dict[int, tuple[int, str]]) -> list[int]:
    return [pid for pid, began in asked.items() if running.get(pid, (0, ""))[1] == began]


def _below(roots: Iterable[int], running: dict[int, tuple[int, str]]) -> dict[int, str]:
    """Return processes and all that they started, directly or not, each with when it began."""
    found: dict[int, str] = {}
    wanted = [pid for pid in roots if pid in running]
    while wanted:
        pid = wanted.pop()
        found[pid] = running[pid][1]
        wanted += [other for other, (parent, _) in running.items() if parent == pid and other not in found]
    return found


def _running() -> dict[int, tuple[int, str]]:
    """Return all processes: by whom each was started, and when it began, which tells it from a later one.

    One that has ended, and that nobody has asked about yet, is left out: nobody ever may.
    """
    if (_PROC / "self" / "stat").is_file():
        found = (_stat(int(folder.name)) for folder in _PROC.iterdir() if folder.name.isdecimal())
        return dict(process for process in found if process is not None)
    program = find_on_path("ps", os.environ)
    if program is None:
        return {}
    listing = subprocess.run(
        [program, "-A", "-o", "pid=,ppid=,stat=,lstart="], capture_output=True, check=False, text=True
    )
    lines = (line.split(None, 3) for line in listing.stdout.splitlines())
    return {
        int(line[0]): (int(line[1]), line[3]) for line in lines if len(line) == 4 and not line[2].startswith(_ENDED)
    }


def _stat(pid: int) -> tuple[int, tuple[int, str]] | None:
    try:
        text = (_PROC / str(pid) / "stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None  # it is over
    fields = text.rpartition(")")[2].split()  # its name, which may hold anything, stands before
    return None if fields[0].startswith(_ENDED) else (pid, (int(fields[1]), fields[19]))
