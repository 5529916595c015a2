"""A process that has loaded the secret scanner, which the forks of the nursery ask.

The scanner is a library with threads, so that it cannot be loaded before a fork; to load it takes as long as all else
that a short run does. What it answers is the same. A program that starts as usual has it in its own process.
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import shutil
import socket
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any


class Scanner:
    """Starts the process; it ends when this one and its forks have ended."""

    def __init__(self) -> None:
        folder = Path(tempfile.mkdtemp(prefix="scanner-"))
        self._address = str(folder / "socket")
        self._life, theirs = socket.socketpair()
        with theirs, socket.socket(socket.AF_UNIX) as listening:
            listening.bind(self._address)
            listening.listen()
            if os.fork() == 0:
                self._life.close()
                try:
                    _serve(listening, theirs)
                finally:
                    shutil.rmtree(folder, ignore_errors=True)
                    os._exit(0)

    def answer(self, environ: Mapping[str, str]) -> None:
        """Have the library answer from there, in this process, unless its environment says which library to load."""
        self._life.close()
        if any(name.startswith("BETTERLEAKS") for name in environ):
            return
        with contextlib.suppress(ImportError):
            import betterleaks

            betterleaks.get_binding = lambda: _Binding(self._address)


class _Binding:
    def __init__(self, address: str) -> None:
        self._address = address

    def scan_string(self, content: str, config_path: str | None = None) -> Any:
        from betterleaks import BetterleaksError

        with socket.socket(socket.AF_UNIX) as asking:
            asking.connect(self._address)
            asking.sendall(json.dumps([content, config_path]).encode())
            asking.shutdown(socket.SHUT_WR)
            answer, error = json.loads(_all_of(asking))
        if error is not None:
            raise BetterleaksError(error)
        return answer


def _all_of(connection: socket.socket) -> bytes:
    with connection.makefile("rb") as stream:
        return stream.read()


def _serve(listening: socket.socket, life: socket.socket) -> None:
    """Answer one after the other: a worker runs one test at a time."""
    from betterleaks import BetterleaksError
    from betterleaks._lib import get_binding

    while listening in select.select([listening, life], [], [])[0]:
        connection, _ = listening.accept()
        with connection, contextlib.suppress(ConnectionError, ValueError):  # who asked was killed
            content, config_path = json.loads(_all_of(connection))
            answer, error = None, None
            try:
                answer = get_binding().scan_string(content, config_path=config_path)
            except (BetterleaksError, OSError) as failure:
                error = str(failure)
            connection.sendall(json.dumps([answer, error]).encode())


def start_scanner() -> Scanner | None:
    """Start it, if the library is there."""
    import importlib.util

    return Scanner() if importlib.util.find_spec("betterleaks") else None
