"""Progress line on a terminal: ``reviewing: rules, agent-claude 2/9 files · 2 done · 1.2s``."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable
from types import TracebackType
from typing import TextIO

from selfreview.api import ReviewerStatus
from selfreview.text.escape import visible
from selfreview.text.layout import cells, fit, plural

INTERVAL = 0.1
"""Seconds between two drawings."""
DELAY = 0.3
"""Seconds before the first one: a review that is quicker shows nothing."""


def wanted(stream: TextIO) -> bool:
    """Return whether a stream is a terminal that can rewrite a line."""
    try:
        return stream.isatty() and os.environ.get("TERM") != "dumb"
    except ValueError:  # closed
        return False


def _columns(stream: TextIO) -> int:
    try:
        return os.get_terminal_size(stream.fileno()).columns or 80
    except (OSError, ValueError):  # no file descriptor behind it
        return 80


class Progress:
    """Show the reviewers at work on one rewritten line, as a context manager that leaves the line empty.

    ``started``, ``advanced`` and ``finished`` may be called from any thread. A stream that can no longer be written
    turns the display off; it is never a reason for a review to fail.

    Args:
        stream: Where to draw, usually standard error.
        enabled: Whether to draw; None asks the stream and ``TERM``.
        delay: Seconds before the first drawing.
        clock: Seconds that only grow.
    """

    def __init__(
        self,
        stream: TextIO,
        *,
        enabled: bool | None = None,
        delay: float = DELAY,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._stream = stream
        self._enabled = wanted(stream) if enabled is None else enabled
        self._delay = delay
        self._clock = clock
        self._lock = threading.Lock()
        self._closing = threading.Event()
        self._thread: threading.Thread | None = None
        self._running: dict[str, str] = {}
        self._incomplete: list[str] = []
        self._done = 0
        self._begin = clock()
        self._drawn = 0

    def started(self, name: str) -> None:
        """Show that a reviewer has started."""
        with self._lock:
            self._running[name] = name
            self._draw()

    def advanced(self, name: str, done: int, of: int) -> None:
        """Show how many of its files a reviewer has finished."""
        with self._lock:
            if name in self._running:
                self._running[name] = f"{name} {done}/{plural(of, 'file')}"
            self._draw()

    def finished(self, name: str, status: ReviewerStatus) -> None:
        """Show that a reviewer has ended, and how."""
        with self._lock:
            self._running.pop(name, None)
            if status.incomplete:
                self._incomplete.append(f"{name} {status.value.replace('_', ' ')}")
            else:
                self._done += 1
            self._draw()

    def __enter__(self) -> Progress:
        if self._enabled:
            self._thread = threading.Thread(target=self._tick, name="selfreview-progress", daemon=True)
            self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._closing.set()
        with self._lock:
            self._write("")
            self._enabled = False
        if self._thread is not None:
            self._thread.join()

    def _tick(self) -> None:
        while not self._closing.wait(INTERVAL):
            with self._lock:
                self._draw()

    def _draw(self) -> None:
        elapsed = self._clock() - self._begin
        if elapsed < self._delay:
            return
        if not self._running:  # the line is somebody else's now: a question, or what refinement is at
            self._write("")
            return
        names = visible(", ".join(self._running.values()))
        parts = [f"reviewing: {names}", f"{self._done} done", *map(visible, self._incomplete), f"{elapsed:.1f}s"]
        # The last column stays free: some terminals wrap as soon as it is filled.
        self._write(fit(" · ".join(parts), _columns(self._stream) - 1))

    def _write(self, text: str) -> None:
        if not self._enabled or not (text or self._drawn):
            return
        width = cells(text)
        blank = " " * (self._drawn - width)
        try:
            self._stream.write(f"\r{text}{blank}\r" if not text else f"\r{text}{blank}")
            self._stream.flush()
        except (OSError, ValueError):  # the terminal is gone: nobody is left to tell
            self._enabled = False
        self._drawn = width
