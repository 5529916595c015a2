"""A process that has imported the program already, and forks itself for each command line.

Most of what a short run of the program takes is Python's start and its imports, and a test suite starts it thousands
of times. A fork is a process like any other: its own environment, folder, streams and end. What depends on how Python
starts (``PYTHON*`` variables but for ``PYTHONPATH``, a locale) starts as usual, and so it is where there is no fork.
A fork that starts the program itself, as ``demo`` does, is given a fork, too.
"""

from __future__ import annotations

import atexit
import contextlib
import functools
import io
import json
import os
import select
import selectors
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import traceback
from collections.abc import Mapping, Sequence
from importlib.machinery import PathFinder
from pathlib import Path
from typing import IO, Any

import pytest

STARTS_OTHERWISE = ("PYTHON", "LC_", "LANG")
"""Beginnings of variables that Python reads when it starts."""
NO_MATTER = ("PYTHONPATH", "PYTHONUNBUFFERED", "PYTHONDONTWRITEBYTECODE")
"""Those of them that a fork is given, or that change nothing here."""
LIMIT_S = 120
_POPEN = subprocess.Popen


def run_program(
    argv: Sequence[str | bytes], *, cwd: Path, env: Mapping[str, str], stdin: bytes = b"", limit: float = LIMIT_S
) -> subprocess.CompletedProcess[bytes]:
    """Run ``python -m selfreview`` as a process of its own.

    Args:
        argv: The program's arguments.
        cwd: The current folder.
        env: The whole environment.
        stdin: What it reads.
        limit: Seconds after which it is killed.

    Raises:
        subprocess.TimeoutExpired: If it takes longer.
    """
    given = [os.fsdecode(item) for item in argv]
    if not _forks(env):
        command = [sys.executable, "-m", "selfreview", *given]
        return subprocess.run(
            command, cwd=cwd, input=stdin, env=dict(env), capture_output=True, check=False, timeout=limit
        )
    return _nursery().run(given, cwd, env, stdin, limit)


def start_program(argv: Sequence[str], *, cwd: Path, env: Mapping[str, str], **streams: Any) -> subprocess.Popen[bytes]:
    """Start ``python -m selfreview`` as a process of its own; what else it is given is as for ``subprocess.Popen``."""
    kind = _Forked if _forks(env) else subprocess.Popen
    return kind([sys.executable, "-m", "selfreview", *argv], cwd=cwd, env=dict(env), **streams)


def _forks(env: Mapping[str, str]) -> bool:
    return hasattr(os, "fork") and _start_of(env) == _start_of(os.environ) and not _shadows(env)


def _start_of(env: Mapping[str, str]) -> dict[str, str]:
    found = {name: env[name] for name in env if name.startswith(STARTS_OTHERWISE) and name not in NO_MATTER}
    return {name: value for name, value in found.items() if value != "C.UTF-8"}  # which is what Python makes of none


def _shadows(env: Mapping[str, str]) -> bool:
    """Whether ``PYTHONPATH`` holds a module in the place of one that may be imported already."""
    folders = [Path(path) for path in env.get("PYTHONPATH", "").split(os.pathsep) if path and Path(path).is_dir()]
    names = {child.stem for folder in folders if folder.name != "src" for child in folder.glob("*.py")}
    # Not find_spec of importlib.util: a test may have imported the very module here.
    taken = sys.stdlib_module_names | set(sys.builtin_module_names)
    return any(name in taken or PathFinder.find_spec(name, sys.path) is not None for name in names)


INHERITED: list[socket.socket] = []
"""In a fork, what it asks for forks of its own."""
SHARED: list[str] = []
"""In a worker, where all workers ask one nursery: to load the program takes as long as a hundred forks."""


@functools.cache
def _nursery() -> _Nursery:
    return _Nursery()


@functools.cache
def shared_address() -> str | None:
    """Start a nursery for several processes, for as long as this one runs; return where they reach it.

    It loads the program once it is asked for the first time.
    """
    if not hasattr(os, "fork"):
        return None
    path = os.path.join(tempfile.mkdtemp(prefix="nursery-"), "socket")  # noqa: PTH118 - an address
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(path)
        listening.listen()
        _Nursery(listening)
    atexit.register(shutil.rmtree, os.path.dirname(path), ignore_errors=True)  # noqa: PTH120
    return path


class _Nursery:
    def __init__(self, *listening: socket.socket) -> None:
        self._socket = self._reach() or self._start(*listening)

    def _reach(self) -> socket.socket | None:
        if INHERITED or not SHARED:
            return INHERITED[0] if INHERITED else None
        reached = socket.socket(socket.AF_UNIX)
        reached.connect(SHARED[0])
        return reached

    def _start(self, *listening: socket.socket) -> socket.socket:
        ours, theirs = socket.socketpair()
        with theirs:
            given = [theirs.fileno(), *(one.fileno() for one in listening)]
            command = [sys.executable, "-P", __file__, *map(str, given)]
            environ = {name: os.environ[name] for name in os.environ if name != "PYTHONPATH"}
            self._process = subprocess.Popen(command, pass_fds=given, env=environ | _path())
        atexit.register(self._close)
        return ours

    def run(
        self, argv: list[str], cwd: Path, env: Mapping[str, str], stdin: bytes, limit: float
    ) -> subprocess.CompletedProcess[bytes]:
        with _holding(stdin) as read, _holding() as out, _holding() as err:
            with self.ask(argv, cwd, env, [f.fileno() for f in (read, out, err)]) as answer:
                answer.settimeout(limit)
                code = _answer(answer, argv, limit)
            out.seek(0)
            err.seek(0)
            return subprocess.CompletedProcess(argv, code, out.read(), err.read())

    def ask(
        self, argv: list[str], cwd: Path, env: Mapping[str, str], streams: list[int], *, session: bool = False
    ) -> socket.socket:
        """Have it forked with its three streams; return where its number is told, in a line, and then its end."""
        mine, theirs = socket.socketpair()
        request = {"argv": argv, "cwd": os.fspath(cwd), "env": dict(env), "session": session}
        with theirs, _holding(json.dumps(request).encode()) as asked:  # a file: it may be larger than a message
            socket.send_fds(self._socket, [b"."], [theirs.fileno(), asked.fileno(), *streams])
        return mine

    def _close(self) -> None:
        self._socket.close()
        self._process.wait()


class _Forked(subprocess.Popen[bytes]):
    """A fork in the place of a process that is started; whoever forked it is its parent."""

    def _execute_child(self, args: list[str], *rest: Any) -> None:
        cwd, env, session = rest[4], rest[5], rest[20]
        stdin, _, _, stdout, _, stderr = streams = rest[9:15]
        given = [number if stream == -1 else stream for number, stream in enumerate((stdin, stdout, stderr))]
        self._ended = _nursery().ask(args[3:], cwd, env, given, session=session)
        said = b""
        while not said.endswith(b"\n"):
            said += self._ended.recv(1)
        self.pid = int(said)
        self._child_created = True
        self._close_pipe_fds(*streams)

    def _internal_poll(self, *_: Any, **__: Any) -> int | None:
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._wait(0)
        return self.returncode

    def _wait(self, timeout: float | None) -> int:
        if self.returncode is None:
            if not select.select([self._ended], [], [], timeout)[0]:
                raise subprocess.TimeoutExpired(self.args, timeout or 0)
            with self._waitpid_lock:  # another thread may wait as well
                if self.returncode is None:
                    self.returncode = int(self._ended.recv(32))
        return self.returncode

    def __del__(self) -> None:
        super().__del__()
        self._ended.close()


def _holding(data: bytes = b"") -> IO[bytes]:
    file = tempfile.TemporaryFile()  # noqa: SIM115 - whoever asks closes it
    file.write(data)
    file.seek(0)
    return file


def _answer(connection: socket.socket, argv: list[str], limit: float) -> int:
    """Return how the child ended."""
    said = connection.makefile("rb")  # it may hold both already, where the child was quick
    pid = int(said.readline() or b"0")
    try:
        status = said.read1(32)
    except TimeoutError:
        os.kill(pid, signal.SIGKILL)
        raise subprocess.TimeoutExpired(argv, limit) from None
    assert status, "the nursery lost a child"
    return int(status)


def _path() -> dict[str, str]:
    return {"PYTHONPATH": os.environ["PYTHONPATH"]} if "PYTHONPATH" in os.environ else {}


# --- in the process that forks ---------------------------------------------------------------------------------------


def _serve(server: socket.socket, *listening: socket.socket) -> None:
    """Fork for every request, and say how each fork ended, until who started this is no more.

    Args:
        server: What whoever started this asks by.
        listening: Where others begin to ask.
    """
    awake, wakes = socket.socketpair()
    awake.setblocking(False)
    wakes.setblocking(False)
    inherited, again = socket.socketpair()
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.set_wakeup_fd(wakes.fileno(), warn_on_full_buffer=False)
    running: dict[int, int] = {}
    with selectors.DefaultSelector() as asked:
        for one in (server, again, awake, *listening):
            asked.register(one, selectors.EVENT_READ)
        while True:
            for key, _ in asked.select():
                asks = key.fileobj
                assert isinstance(asks, socket.socket)
                if asks is awake:
                    awake.recv(1024)
                    _tell_of_ended(running)
                    continue
                if asks in listening:
                    asked.register(asks.accept()[0], selectors.EVENT_READ)
                    continue
                _, fds, _, _ = socket.recv_fds(asks, 1, 5)
                if not fds and asks is server:
                    return
                if not fds:
                    asked.unregister(asks)
                    asks.close()
                    continue
                answer, request, *streams = fds
                pid = os.fork()
                if pid == 0:
                    signal.set_wakeup_fd(-1)
                    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
                    for fd in (answer, *running.values()):
                        os.close(fd)
                    for ours in (*[one.fileobj for one in asked.get_map().values()], wakes, asked):
                        ours.close()  # type: ignore[union-attr]
                    INHERITED.append(inherited)
                    subprocess.Popen = _popen  # type: ignore[assignment,misc]
                    _become(request, *streams)
                running[pid] = answer
                os.write(answer, b"%d\n" % pid)
                for fd in (request, *streams):
                    os.close(fd)


def _tell_of_ended(running: dict[int, int]) -> None:
    """Answer those whose fork has ended."""
    while running:
        pid, status = os.waitpid(-1, os.WNOHANG)
        if pid == 0:
            return
        answer = running.pop(pid)
        with contextlib.suppress(OSError):  # nobody may wait any more
            os.write(answer, b"%d" % os.waitstatus_to_exitcode(status))
        os.close(answer)


def _become(request: int, *streams: int) -> None:
    """Become ``python -m selfreview``."""
    code = 70
    try:
        with os.fdopen(request, "rb") as file:
            given = json.loads(file.read())
        if given["session"]:
            os.setsid()
        for number, stream in enumerate(streams):
            os.dup2(stream, number)
            os.close(stream)
        os.chdir(given["cwd"])
        here = given["env"].get("PYTHONPATH", "").split(os.pathsep)
        sys.path[:0] = [path for path in here if path and path not in sys.path]
        os.environ.clear()
        os.environ.update(given["env"])
        tempfile.tempdir = None  # found anew, from this environment
        for number, name in enumerate(("stdin", "stdout", "stderr")):
            like, raw = getattr(sys, name), open(number, "wb" if number else "rb", closefd=False)  # noqa: SIM115
            text = io.TextIOWrapper(raw, like.encoding, like.errors, line_buffering=name == "stderr")
            setattr(sys, name, text)
        sys.argv = ["selfreview", *given["argv"]]
        code = _main()
    except BaseException:  # noqa: BLE001 - whoever asked reads it there
        traceback.print_exc()
    finally:
        os._exit(code)


def _popen(args: Any, **given: Any) -> subprocess.Popen[Any]:
    """Start a program, as a fork where it is ours and nothing is asked for that only a child of one's own has."""
    ours = [sys.executable, "-P", "-m", "selfreview"]
    env = os.environ if given.get("env") is None else given["env"]
    if list(args[: len(ours)]) != ours or given.keys() - {"cwd", "env", "stdin", "stdout", "stderr"} or not _forks(env):
        return _POPEN(args, **given)
    return start_program(args[len(ours) :], **given | {"cwd": given.get("cwd") or Path.cwd(), "env": env})


def _main() -> int:
    """Run the program to its end, as the interpreter does."""
    import threading

    from selfreview.cli.entry import main

    code = 0
    try:
        main()
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else int(end.code is not None)
    except BaseException:  # noqa: BLE001 - as the interpreter does
        sys.excepthook(*sys.exc_info())
        code = 1
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        if not stream.closed:
            stream.flush()
    return code


def _load_all() -> None:
    """Import the program and what it uses."""
    import importlib
    import pkgutil

    import selfreview

    for module in pkgutil.walk_packages(selfreview.__path__, "selfreview."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)
    used = ("anthropic", "ast_grep_py", "filelock", "httpx2", "jinja2", "pathspec", "platformdirs.unix")
    for name in (*used, "_strptime", "sqlite3", "unidiff"):
        with contextlib.suppress(ImportError):
            importlib.import_module(name)


def _warm_up() -> None:
    """Run the program in a folder of its own, so that no fork has to make the same patterns, codecs and schemas."""
    from selfreview.testing.isolation import isolate
    from selfreview.testing.messages import MessagesServer
    from selfreview.testing.workspace import Workspace

    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        isolate(patch, Path(folder))
        space = Workspace(Path(folder, "repo"))
        space.start()
        space.write("app.py", "def mean(values):\n    return sum(values) / len(values)\n")
        space.run_inprocess("run", "--format", "json")
        with MessagesServer(default='{"issues": [], "summary": "Fine.", "verdict": "pass"}') as model:
            given = {"ANTHROPIC_BASE_URL": model.base_url, "ANTHROPIC_API_KEY": "sk-test-key"}
            space.run_inprocess("run", "--reviewer", "claude", **given)


_COLLAPSE = 25
"""Linux's ``MADV_COLLAPSE``."""
_LARGE = 2 << 20


def _in_large_pages() -> None:
    """Ask for large pages, where there are any: copying the table of small ones is most of what a fork takes."""
    import ctypes

    if sys.platform != "linux":
        return
    madvise = ctypes.CDLL(None).madvise
    madvise.argtypes = ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int
    for line in Path("/proc/self/maps").read_text().splitlines():
        span, rights, _, _, _, *name = line.split()
        start, end = (int(number, 16) // _LARGE * _LARGE for number in span.split("-"))
        if rights == "rw-p" and name in ([], ["[heap]"]) and end > (start := start + _LARGE):
            madvise(start, end - start, _COLLAPSE)


def trust_the_disk(patch: pytest.MonkeyPatch) -> None:
    """Wait for no disk: no test cuts the power, and a process that is killed loses nothing of what it wrote."""
    import sqlite3

    class Connection(sqlite3.Connection):
        def execute(self, sql: str, *values: Any) -> sqlite3.Cursor:
            return super().execute("PRAGMA synchronous = OFF" if sql == "PRAGMA synchronous = FULL" else sql, *values)

    patch.setattr(sqlite3, "connect", functools.partial(sqlite3.connect, factory=Connection))
    patch.setattr(os, "fsync", lambda _: None)
    if hasattr(os, "memfd_create"):
        patch.setattr(tempfile, "TemporaryFile", lambda: os.fdopen(os.memfd_create("temporary"), "w+b"))


def read_certificates_once(patch: pytest.MonkeyPatch) -> None:
    """Read the authorities that this machine trusts once, and not for every client: it takes as long as a short run."""
    import ssl

    names, usual = ("SSL_CERT_FILE", "SSL_CERT_DIR"), ssl.get_default_verify_paths().openssl_cafile
    if not any(map(os.environ.get, names)) and Path(usual).is_file():
        patch.setenv(names[0], usual)  # what is read anyway, by name
    make = functools.cache(lambda _, **given: create(**given))
    create = ssl.create_default_context

    def once(purpose: ssl.Purpose = ssl.Purpose.SERVER_AUTH, **given: Any) -> ssl.SSLContext:
        if purpose is not ssl.Purpose.SERVER_AUTH or "cadata" in given:
            return create(purpose, **given)
        return make(tuple(map(os.environ.get, names)), **given)

    patch.setattr(ssl, "create_default_context", once)


if __name__ == "__main__":
    held = [socket.socket(fileno=int(number)) for number in sys.argv[1:]]
    if held[0] in select.select(held, [], [])[0] and not held[0].recv(1, socket.MSG_PEEK):
        sys.exit()  # nobody has asked for anything
    _load_all()
    trust_the_disk(pytest.MonkeyPatch())
    read_certificates_once(pytest.MonkeyPatch())
    _warm_up()
    import gc

    gc.collect()
    gc.freeze()
    _in_large_pages()
    _serve(*held)
