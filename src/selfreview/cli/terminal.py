"""The terminal as a front end of runs: output, a progress line, questions, and signals that wait."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from types import TracebackType
from typing import TYPE_CHECKING, TextIO

from selfreview.cli import console
from selfreview.errors import Interrupted, SelfreviewError
from selfreview.text.escape import visible
from selfreview.text.layout import cells, fit, plural

if TYPE_CHECKING:
    from selfreview.app.ui import PatchOffer, Ui
    from selfreview.model.result import ReviewerStatus
    from selfreview.model.usage import Usage
    from selfreview.plugins.manager import PluginManager
    from selfreview.review.tasks import ProgressListener

PLUGINS = "selfreview.plugins"
"""Key in click's context of the loaded plugins, so that their exceptions are not reported as defects of selfreview."""


class Terminal:
    """A :class:`selfreview.app.ui.Ui`: the report on standard output, all else on standard error."""

    @property
    def command(self) -> str:
        """Return the command that was given."""
        import click

        context = click.get_current_context(silent=True)
        return context.command_path.partition(" ")[2] if context is not None else ""

    @property
    def is_interactive(self) -> bool:
        """Return whether a person can be asked."""
        return sys.stdin is not None and sys.stdin.isatty() and sys.stderr is not None and sys.stderr.isatty()

    @property
    def is_terminal(self) -> bool:
        """Return whether standard output is a terminal."""
        return sys.stdout.isatty()

    def uses_color(self, setting: str) -> bool:
        """Return whether standard output is coloured."""
        return console.use_color(setting, self.is_terminal)

    @property
    def columns(self) -> int:
        """The terminal's width; 80 where it is not known."""
        return shutil.get_terminal_size((80, 24)).columns

    def note(self, text: str) -> None:
        """Print a line on standard error."""
        console.note(text)

    def warn(self, text: str) -> None:
        """Print a warning on standard error."""
        console.warn(text)

    def progress(self, text: str) -> None:
        """Print what is being done, where standard error is a terminal."""
        console.progress(text)

    def spent(self, usage: Usage) -> None:
        """Print nothing: the report says it."""

    def ask_to_apply(self, offer: PatchOffer) -> bool:
        """Show the open issues and the patch on standard error, and ask."""

        return ask_to_apply(offer, self)

    def ask(self, prompt: str) -> str | None:
        """Ask on standard error, for standard output is the report's."""
        sys.stderr.write(f"{prompt} ")
        sys.stderr.flush()
        line = sys.stdin.readline()
        return line.strip().lower() if line else None

    def watching(self) -> contextlib.AbstractContextManager[ProgressListener]:
        """Show the reviewers at work on a line of standard error."""
        return Progress(sys.stderr)

    def uninterrupted(self, done: str) -> contextlib.AbstractContextManager[None]:
        """Defer Ctrl-C and termination signals for as long as the context lasts."""
        return uninterrupted(done)

    def plugins_loaded(self, manager: PluginManager) -> None:
        """Have what a plugin raises told as the plugin's."""
        import click

        context = click.get_current_context(silent=True)
        if context is not None:
            context.meta[PLUGINS] = manager

    def write(self, data: bytes) -> None:
        """Write to standard output; a reader that went away has what it wanted."""
        with contextlib.suppress(BrokenPipeError):  # console.flush tidies up
            sys.stdout.buffer.write(data)
            sys.stdout.buffer.flush()


INTERVAL = 0.1
"""Seconds between two drawings of the progress line."""
DELAY = 0.3
"""Seconds before the first one: a review that is quicker shows nothing."""


def can_rewrite(stream: TextIO) -> bool:
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

    It is ``reviewing: rules, agent-claude 2/9 files · 2 done · 1.2s``.

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
        self._enabled = can_rewrite(stream) if enabled is None else enabled
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


_SHOWN_LINES = 60


def ask_to_apply(offer: PatchOffer, ui: Ui) -> bool:
    """Show the open issues and the patch, and ask: nobody can decide on a patch by its lines alone."""
    from selfreview.model.wire import display_path
    from selfreview.reporters import words
    from selfreview.reporters.terminal.code import Paint, patch_lines
    from selfreview.reporters.terminal.report import before_question
    from selfreview.text.escape import quiet

    color = console.use_color(offer.color, is_terminal=True)
    issues = before_question(offer.before, offer.context, color=color, width=ui.columns)
    _show(quiet(line) for line in issues)
    passes = "passes" if offer.after.passed else "does not pass"
    ui.note(
        f"A refinement changes {plural(len(offer.files), 'file')}. With it, {words.count_open(offer.after)} "
        f"would remain, and the change {passes} the review."
    )
    lines = list(patch_lines(offer.text, Paint(color)))
    is_short = len(lines) <= _SHOWN_LINES
    if is_short:
        _show(lines)
    else:
        for file in offer.files:
            what = "new" if file.old is None else "removed" if file.new is None else "changed"
            ui.note(f"  {what}: {display_path(file.name)}")
    answers = "y: yes, n: no [y/N]" if is_short else "y: yes, n: no, d: show all of it [y/N/d]"
    while True:
        word = ui.ask(f"Apply it to your tree? {answers}")
        if word in ("y", "yes"):
            return True
        if word == "d":
            _show(lines)
        elif word in (None, "", "n", "no"):
            return False


def _show(lines: Iterable[str]) -> None:
    """Print lines on standard error as they are, for standard output is the report's."""
    sys.stderr.write("".join(f"{line}\n" for line in lines))


_ENDING = ("SIGINT", "SIGTERM", "SIGHUP")


def heed() -> None:
    """Interrupt the program at SIGTERM and SIGHUP, unless its parent has it ignore them."""
    for name in ("SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) is signal.SIG_DFL:
            signal.signal(number, signal.default_int_handler)


@contextlib.contextmanager
def uninterrupted(done: str) -> Iterator[None]:
    """Defer Ctrl-C and termination signals until the context ends.

    Args:
        done: The hint for a person who asked meanwhile: what is done all the same.

    Raises:
        Interrupted: At the end, if that was asked for meanwhile.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    asked: list[int] = []
    before = {}
    try:
        for number in (getattr(signal, name) for name in _ENDING if hasattr(signal, name)):
            if signal.getsignal(number) is not signal.SIG_IGN:
                before[number] = signal.signal(number, lambda received, _frame: asked.append(received))
        yield
    except SelfreviewError as error:
        if asked:  # git, asked as well, may have ended in the middle of it
            raise Interrupted(error.message) from error
        raise
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
    if asked:
        raise Interrupted(done)
