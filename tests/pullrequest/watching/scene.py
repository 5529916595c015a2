"""What a watcher told, and a watcher that runs beside the test."""

from __future__ import annotations

import contextlib
import json
import os
import queue
import signal
import subprocess
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.conftest import Ran
from tests.nursery import start_program
from tests.pullrequest.lab import Lab

LIMIT_S = 90.0
AUTO = ("-o", "auto_address_review_comments=true")
SOON = ("-o", "feedback.poll_interval=5")


def told(ran: Ran) -> list[dict[str, Any]]:
    """Return the events that a watcher told."""
    return [json.loads(line) for line in ran.out.splitlines()]


def named(events: list[dict[str, Any]], *names: str) -> list[dict[str, Any]]:
    """Return events of some names."""
    return [event for event in events if event["event"] in names]


class Beside:
    """A watcher that runs beside the test.

    Args:
        process: It.
    """

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self.process = process
        self.events: list[dict[str, Any]] = []
        self._new: queue.SimpleQueue[dict[str, Any] | None] = queue.SimpleQueue()
        self._threads = [threading.Thread(target=self._read), threading.Thread(target=self._read_errors)]
        self.err = b""
        for thread in self._threads:
            thread.start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self._new.put(json.loads(line))
        self._new.put(None)

    def _read_errors(self) -> None:
        assert self.process.stderr is not None
        self.err = self.process.stderr.read()

    def wait_for(self, name: str, **about: Any) -> dict[str, Any]:
        """Wait for an event that is yet to come, and return it."""
        deadline = time.monotonic() + LIMIT_S
        while True:
            try:
                event = self._new.get(timeout=max(0.01, deadline - time.monotonic()))
            except queue.Empty:
                raise AssertionError(f"no {name}: {self.events}") from None
            if event is None:
                self.process.wait()
                self._threads[1].join()
                raise AssertionError(f"it ended before {name}: {self.events} {self.err.decode()}")
            self.events.append(event)
            if event["event"] == name and about.items() <= event.items():
                return event

    def end(self, number: int = signal.SIGTERM) -> int:
        """End it, and return its exit code."""
        self.process.send_signal(number)
        return self.over()

    def over(self) -> int:
        """Wait until it ends by itself, and return its exit code."""
        code = self.process.wait(LIMIT_S)
        for thread in self._threads:
            thread.join()
        while not self._new.empty():
            event = self._new.get()
            self.events += [event] if event else []
        return code


@contextlib.contextmanager
def beside(lab: Lab, *args: str, cwd: Path | None = None, **env: str) -> Iterator[Beside]:
    """Run a watcher beside the test."""
    process = start_program(
        ["pr", "watch", *args],
        cwd=cwd or lab.workspace.root,
        env={**os.environ, **lab.environment, **env},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    watcher = Beside(process)
    try:
        yield watcher
    finally:
        if process.poll() is None:
            process.kill()
        watcher.over()
        for stream in (process.stdout, process.stderr):
            assert stream is not None
            stream.close()
