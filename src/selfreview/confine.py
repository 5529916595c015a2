"""Run a program confined with Landlock, and end all that it started: ``python confine.py RULES PROGRAM ARGUMENT…``.

Landlock is Linux's way for an ordinary program to give up rights for itself and all that it starts. It can only allow:
what is to be hidden is left out, by allowing everything beside the way that leads to it. What lies on that way can be
opened by name, and not listed.

What outlives the program would be there while files are taken back from its folder, and could make their names lead
elsewhere for a process that nothing confines. So there are three processes: one that whoever started this may kill; a
supervisor, to which the kernel gives whatever loses its parent, and which kills it all once the first or the program is
gone; and the program. The output stays open until then.

This file is run by its path, in a folder whose content is anybody's, and by the person's Python in isolated mode: it
imports nothing but the standard library, and nothing of selfreview.
"""

from __future__ import annotations

import ctypes
import functools
import json
import os
import signal
import struct
import sys
import time
from collections.abc import Iterable, Iterator

# linux/landlock.h; the numbers of the system calls are the same on every architecture but Alpha.
_CREATE, _ADD, _RESTRICT = 444, 445, 446
_VERSION, _BENEATH, _NO_NEW_PRIVILEGES = 1, 1, 38
_DEATH_SIGNAL, _SUBREAPER = 1, 36
_EXECUTE, _WRITE_FILE, _READ_FILE, _READ_DIR = 1 << 0, 1 << 1, 1 << 2, 1 << 3
_TRUNCATE = 1 << 14
_READ = _EXECUTE | _READ_FILE | _READ_DIR
_OF_FILES = _EXECUTE | _WRITE_FILE | _READ_FILE | _TRUNCATE
_DEVICES = 1 << 6 | 1 << 11
"""Making devices."""
_RIGHTS = {1: (1 << 13) - 1, 2: (1 << 14) - 1}
"""All rights over files that the first versions know; the third and later ones know one more."""
_SCOPES = 1 << 0 | 1 << 1
"""No abstract sockets and no signals to what runs outside: of version 6 on."""
_WRITTEN_DEVICES = ("/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/ptmx", "/dev/pts")


@functools.cache
def version() -> int:
    """Return the version of Landlock that the system has and permits, or 0."""
    if sys.platform != "linux":
        return 0
    try:
        return max(0, _call(_CREATE, None, 0, _VERSION))
    except (OSError, AttributeError):
        return 0


def restrict(*, hidden: Iterable[str], read: Iterable[str], write: Iterable[str]) -> None:
    """Confine this process, and all that it starts, for good.

    Args:
        hidden: Paths that it may not read; everything else it may.
        read: Paths below hidden ones that it may read, except for hidden ones below them.
        write: Paths that it may write and read; those that do not exist are ignored.

    Raises:
        OSError: If the system refuses.
    """
    known = version()
    handled = _RIGHTS.get(known, _RIGHTS[2] | _TRUNCATE)
    # struct landlock_ruleset_attr: files, network, scopes; older versions know its beginning.
    attributes = struct.pack("=QQQ", handled, 0, _SCOPES if known >= 6 else 0)
    rules = _call(_CREATE, attributes, 8 if known < 4 else 16 if known < 6 else 24, 0)
    away = sorted({os.path.realpath(path) for path in hidden})
    for path in ("/", *map(os.path.realpath, read)):
        for seen in _beside(away, path):
            _allow(rules, seen, _READ)
    for path in (*write, *_WRITTEN_DEVICES):
        _allow(rules, path, handled & ~_DEVICES)
    if _libc().prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0):
        raise OSError(ctypes.get_errno(), "no_new_privs is refused")
    _call(_RESTRICT, rules, 0)
    os.close(rules)


def _beside(hidden: list[str], folder: str) -> Iterator[str]:
    """Yield what holds everything below a folder but what is hidden; links need nothing, since they lead elsewhere."""
    below = [path for path in hidden if path == folder or path.startswith(folder.rstrip("/") + "/")]
    if not below:
        yield folder
    elif folder not in below:
        try:
            entries = [entry.path for entry in os.scandir(folder) if not entry.is_symlink()]
        except OSError:
            return
        for path in entries:
            yield from _beside(below, path)


def _allow(rules: int, path: str, rights: int) -> None:
    try:
        opened = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return  # gone, or not the person's either
    try:
        folder = os.path.isdir(path)  # noqa: PTH112 - no more is imported than needed
        # struct landlock_path_beneath_attr, which is packed
        beneath = struct.pack("=Qi", rights if folder else rights & _OF_FILES, opened)
        _call(_ADD, rules, _BENEATH, beneath, 0)
    finally:
        os.close(opened)


@functools.cache
def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)


def _call(number: int, *arguments: object) -> int:
    result: int = _libc().syscall(ctypes.c_long(number), *arguments)
    if result < 0:
        error = ctypes.get_errno()
        raise OSError(error, os.strerror(error))
    return result


def main(arguments: list[str]) -> int:
    """Run a program confined, to the end of all that it starts.

    Args:
        arguments: The rules as JSON, ``null`` where the program is only to be ended, then its path and arguments.

    Returns:
        Its exit status.
    """
    # Whoever started this may be killed, and what it started would go on without anybody who waits for it.
    _libc().prctl(_DEATH_SIGNAL, signal.SIGKILL, 0, 0, 0)
    first = os.getpid()
    supervisor = os.fork()
    if supervisor:
        os.close(0)
        return _end_like(os.waitpid(supervisor, 0)[1])
    os.setsid()
    signal.signal(signal.SIGTERM, lambda *_: os._exit(_end_all()))
    _libc().prctl(_DEATH_SIGNAL, signal.SIGTERM, 0, 0, 0)
    _libc().prctl(_SUBREAPER, 1, 0, 0, 0)
    if os.getppid() != first:
        return 126
    program = os.fork()
    if not program:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        os.setsid()
        return _become(json.loads(arguments[0]), arguments[1:])
    os.close(0)
    ended = os.waitpid(program, 0)[1]
    _end_all()
    return _end_like(ended)


def _end_like(ended: int) -> int:
    """Return the exit status of another process, or be killed as that was."""
    status = os.waitstatus_to_exitcode(ended)
    if status < 0:
        if -status != signal.SIGKILL:
            signal.signal(-status, signal.SIG_DFL)
        os.kill(os.getpid(), -status)
    return status


def _become(rules: dict[str, Iterable[str]] | None, argv: list[str]) -> int:
    """Confine this process and become a program; return an exit status where it cannot be."""
    try:
        if rules is not None:
            restrict(**rules)
        os.execv(argv[0], argv)  # noqa: S606 - it becomes the agent
    except OSError as error:
        sys.stderr.write(f"{argv[0]} cannot be started confined: {error}\n")
    return 126


def _end_all() -> int:
    """Kill every child until there is none: those of a child that is gone become children of this process."""
    own, pause = str(os.getpid()), 0.001
    try:
        while True:
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
            for name in filter(str.isdigit, os.listdir("/proc")):  # noqa: PTH208 - no more is imported than needed
                try:
                    with open(f"/proc/{name}/stat", encoding="utf-8", errors="replace") as stat:  # noqa: PTH123
                        parent = stat.read().rpartition(")")[2].split()[1]
                    if parent == own:
                        os.kill(int(name), signal.SIGKILL)
                except OSError:
                    continue  # gone, or another user's, which is waited for
            time.sleep(pause)
            pause = min(pause * 2, 0.1)
    except ChildProcessError:
        return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
