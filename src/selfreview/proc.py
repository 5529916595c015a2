"""Run a child program: cleaned environment, own process group, deadline, output limit.

A child never outlives its deadline: the whole group is killed. Git has its own runner
(:mod:`selfreview.git.run`), because git needs variables that no other child may see.
"""

from __future__ import annotations

import contextlib
import copy
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import IO

from selfreview.errors import ToolError, ToolTimeout, TooMuchOutputError
from selfreview.programs import find_on_path, safe_path

_ALLOWED = frozenset(
    """
    PATH HOME USER LOGNAME SHELL LANG LANGUAGE TZ TMPDIR TEMP TMP
    SYSTEMROOT SYSTEMDRIVE WINDIR COMSPEC PATHEXT APPDATA LOCALAPPDATA PROGRAMDATA PROGRAMFILES USERPROFILE
    XDG_CACHE_HOME XDG_CONFIG_HOME XDG_DATA_HOME XDG_RUNTIME_DIR XDG_STATE_HOME
    VIRTUAL_ENV PYENV_ROOT PYENV_VERSION NVM_DIR NODE_PATH GOPATH GOROOT GOCACHE GOMODCACHE GOFLAGS
    CARGO_HOME RUSTUP_HOME RUSTUP_TOOLCHAIN JAVA_HOME ANDROID_HOME DOTNET_ROOT
    SSL_CERT_FILE SSL_CERT_DIR LD_LIBRARY_PATH DYLD_LIBRARY_PATH
    """.split()  # noqa: SIM905 - a table to read
)
_ALLOWED_PREFIXES = ("LC_",)
_NEW_GROUP = getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0)  # Windows only; elsewhere a session makes the group
_KILL_GRACE_S = 1.0
_END_GRACE_S = 10.0
_ERROR_TAIL = 300
_ERROR_BYTES = 4096


def clean_environment(source: Mapping[str, str], extra: Mapping[str, str] | None = None) -> dict[str, str]:
    """Return the variables a child may see: an allow-list of ``source``, then ``extra``.

    Tokens, keys and everything of git's stay out because nothing that is not listed gets in. PATH loses its relative
    entries: a child that starts in the repository would find the repository's programs there.
    """
    env = {
        name: value
        for name, value in source.items()
        if name.upper() in _ALLOWED or name.upper().startswith(_ALLOWED_PREFIXES)
    }
    env.update(extra or {})
    if "PATH" in env:
        env["PATH"] = safe_path(env["PATH"])
    return env


class Runner:
    """Runs children, and can kill all that are alive from another thread.

    Args:
        environ: The environment to clean; by default this process's.

    Attributes:
        max_output: Bytes of standard output, and of standard error, after which a child is killed.
    """

    max_output = 64 * 1024 * 1024

    def __init__(self, environ: Mapping[str, str] | None = None) -> None:
        self._environ = os.environ if environ is None else environ
        self._live: set[subprocess.Popen[bytes]] = set()
        self._lock = threading.Lock()
        self._closed = threading.Event()

    def allowing(self, max_output: int) -> Runner:
        """Return a runner for children that may print so much; :meth:`kill_all` of either kills those of both."""
        other = copy.copy(self)
        other.max_output = max_output
        return other

    def kill_all(self) -> None:
        """Kill every live child with its group, and refuse new ones."""
        with self._lock:
            self._closed.set()
            live = list(self._live)
        for child in live:
            kill_group(child)

    def run(
        self,
        argv: Sequence[str],
        *,
        cwd: Path,
        timeout: float,
        stdin: bytes | None = None,
        ok: Iterable[int] = (0,),
        env: Mapping[str, str] | None = None,
    ) -> subprocess.CompletedProcess[bytes]:
        """Run a program to its end.

        Args:
            argv: Program and arguments; a program without a folder is looked for on PATH.
            cwd: Folder to run it in.
            timeout: Seconds after which it is killed.
            stdin: What it reads; nothing by default.
            ok: Exit statuses that mean success.
            env: Variables to add to the cleaned environment.

        Raises:
            ToolError: If it cannot be started, ends with another status, is killed, says too much, or leaves a process
                of another group behind that holds its output open: what comes later is not known.
            ToolTimeout: If the time is over.
        """
        name = Path(argv[0]).name
        # A child that commits or pushes does not start a review from within this one: its hooks skip it, and say so.
        # The folder tells a run that would be of the tree that this one is at work in from one of anything else.
        own = {"SELFREVIEW_SKIP": "1", "SELFREVIEW_WITHIN": os.fspath(cwd)}
        cleaned = clean_environment(self._environ, {**own, **(env or {})})
        child = self._start(argv, cwd, cleaned, name)
        out, err = _Reader(child.stdout, self.max_output), _Reader(child.stderr, self.max_output)
        feeder = _feed(child, stdin)
        try:
            status = _wait(child, timeout, (out, err))
        except subprocess.TimeoutExpired:
            raise ToolTimeout(
                f"{name} did not finish within {timeout:.0f} s", said=err.data()[-_ERROR_BYTES:]
            ) from None
        finally:
            kill_group(child)  # whatever it left running would hold the pipes open
            reap(child)
            for thread in (out.thread, err.thread, feeder):
                if thread is not None:
                    thread.join(_KILL_GRACE_S)
            with self._lock:
                self._live.discard(child)
        if out.overflow or err.overflow:
            raise TooMuchOutputError(f"{name} printed more than {self.max_output // 2**20} MiB")
        if status not in set(ok):
            raise ToolError(_explain(name, status, err.data()))
        if out.thread.is_alive() or err.thread.is_alive():
            raise ToolError(
                f"{name} ended, but a process that it started still holds its output",
                hint="let it start no process in the background",
            )
        return subprocess.CompletedProcess(list(argv), status, out.data(), err.data())

    def run_tied(
        self,
        argv: Sequence[str],
        *,
        cwd: Path,
        timeout: float,
        begun: Callable[[Callable[[], None]], None] = lambda _: None,
    ) -> subprocess.CompletedProcess[bytes]:
        """Run this program itself once more, with the whole environment, whatever its exit status.

        Its standard input stays open for as long as this process lives: it can tell by that when nobody waits for it
        any more. When the time is over it is asked to end, so that it ends what it started; then it is killed.

        Args:
            begun: Called with what asks it to end before its time is over.

        Raises:
            ToolError: If it cannot be started, or says too much.
            ToolTimeout: If the time is over.
        """
        name = Path(argv[0]).name
        child = self._start(argv, cwd, {**self._environ}, name)
        out, err = _Reader(child.stdout, self.max_output), _Reader(child.stderr, self.max_output)
        try:
            begun(child.terminate)
            status = _wait(child, timeout, (out, err))
        except subprocess.TimeoutExpired:
            _ask_to_end(child)
            raise ToolTimeout(f"it did not finish within {timeout:.0f} s") from None
        finally:
            kill_group(child)
            reap(child)
            for thread in (out.thread, err.thread):
                thread.join(_KILL_GRACE_S)
            if child.stdin is not None:
                child.stdin.close()
            with self._lock:
                self._live.discard(child)
        if out.overflow or err.overflow:
            raise TooMuchOutputError(f"{name} printed more than {self.max_output // 2**20} MiB")
        return subprocess.CompletedProcess(list(argv), status, out.data(), err.data())

    def _start(self, argv: Sequence[str], cwd: Path, env: dict[str, str], name: str) -> subprocess.Popen[bytes]:
        with self._lock:
            if self._closed.is_set():
                raise ToolError(f"{name} was not started: the run is ending")
            program = argv[0] if os.path.dirname(argv[0]) else find_on_path(argv[0], env)  # noqa: PTH120 - "./x" counts
            if program is None:
                raise ToolError(f"{name} cannot be started: there is no such program on PATH")
            try:
                child: subprocess.Popen[bytes] = subprocess.Popen(
                    [program, *argv[1:]],
                    cwd=cwd,
                    env=env,
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.PIPE,
                    bufsize=0,
                    start_new_session=sys.platform != "win32",
                    creationflags=_NEW_GROUP,
                )
            except (OSError, ValueError) as error:  # ValueError: a NUL byte in an argument
                reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
                raise ToolError(f"{name} cannot be started: {reason}") from error
            self._live.add(child)
            return child


class _Reader:
    """Collects a pipe in a thread, up to a limit."""

    def __init__(self, pipe: IO[bytes] | None, limit: int) -> None:
        self._pipe, self._limit = pipe, limit
        self._chunks: list[bytes] = []
        self.overflow = False
        self.thread = threading.Thread(target=self._collect, daemon=True)
        self.thread.start()

    def _collect(self) -> None:
        if self._pipe is None:
            return
        size = 0
        # An OSError or ValueError means that the pipe was closed under us after a kill: the end, as EOF is.
        with contextlib.suppress(OSError, ValueError), self._pipe:
            while chunk := self._pipe.read(65536):
                size += len(chunk)
                if size > self._limit:
                    self.overflow = True
                    return
                self._chunks.append(chunk)

    def data(self) -> bytes:
        return b"".join(self._chunks)


def _feed(child: subprocess.Popen[bytes], data: bytes | None) -> threading.Thread | None:
    pipe = child.stdin
    if pipe is None:
        return None
    if not data:
        pipe.close()
        return None

    def write() -> None:
        # A child need not read its input; its exit status says whether that was an error.
        with contextlib.suppress(OSError), pipe:
            view = memoryview(data)
            while view:
                view = view[pipe.write(view[:65536]) :]

    thread = threading.Thread(target=write, daemon=True)
    thread.start()
    return thread


def _wait(child: subprocess.Popen[bytes], timeout: float, readers: Iterable[_Reader]) -> int:
    """Wait for the child; come back early when it says too much."""
    deadline = time.monotonic() + timeout
    readers = list(readers)
    while True:
        remaining = deadline - time.monotonic()
        if remaining <= 0:
            raise subprocess.TimeoutExpired(child.args, timeout)
        if any(reader.overflow for reader in readers):
            return 0
        # Readers end with the child, so joining one wakes this loop at once; the slice only bounds an overflow.
        try:
            return child.wait(min(remaining, 0.5))
        except subprocess.TimeoutExpired:
            continue


def _ask_to_end(child: subprocess.Popen[bytes]) -> None:
    """Ask a child to end, and give it a moment for it."""
    if sys.platform != "win32":  # there it cannot be asked
        child.terminate()
        with contextlib.suppress(subprocess.TimeoutExpired):
            child.wait(_END_GRACE_S)


def kill_group(child: subprocess.Popen[bytes]) -> None:
    """Kill a child and everything in its process group; harmless when all have ended."""
    if sys.platform == "win32":
        if child.poll() is None:
            subprocess.run(["taskkill", "/F", "/T", "/PID", str(child.pid)], capture_output=True, check=False)
        return
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(child.pid, signal.SIGKILL)


def reap(child: subprocess.Popen[bytes]) -> None:
    """Wait for a child that has ended, or was killed.

    A Ctrl-C in a bad moment leaves the lock that ``Popen`` waits with held for ever (in CPython, between its taking and
    the ``try`` behind it): such a child is waited for without it.
    """
    if sys.platform == "win32":
        child.wait()
        return
    try:
        child.wait(_KILL_GRACE_S)
    except subprocess.TimeoutExpired:
        with contextlib.suppress(ChildProcessError):
            child.returncode = os.waitstatus_to_exitcode(os.waitpid(child.pid, 0)[1])


def _explain(name: str, status: int, stderr: bytes) -> str:
    text = stderr.decode("utf-8", "replace").strip()
    tail = " ".join(text[-_ERROR_TAIL:].split())
    if status < 0:
        try:
            how = f"was killed by {signal.Signals(-status).name}"
        except ValueError:
            how = f"was killed by signal {-status}"
    else:
        how = f"ended with status {status}"
    return f"{name} {how}" + (f": {tail}" if tail else "")
