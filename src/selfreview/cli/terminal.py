"""The terminal as a front end of runs: output, questions, and signals that wait."""

from __future__ import annotations

import contextlib
import shutil
import signal
import sys
import threading
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from selfreview.app.ui import observer_failed
from selfreview.cli import console
from selfreview.errors import Interrupted, SelfreviewError

if TYPE_CHECKING:
    from selfreview.app.ui import PatchOffer, Ui
    from selfreview.review.tasks import ProgressListener


class Terminal:
    """A :class:`selfreview.app.ui.Ui`: the report on standard output, all else on standard error."""

    @property
    def is_interactive(self) -> bool:
        """Return whether a person can be asked."""
        return sys.stdin is not None and sys.stdin.isatty() and sys.stderr is not None and sys.stderr.isatty()

    @property
    def is_terminal(self) -> bool:
        """Return whether standard output is a terminal."""
        return sys.stdout.isatty()

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
        from selfreview.reporters.terminal.progress import Progress

        return Progress(sys.stderr)

    def uninterrupted(self, done: str) -> contextlib.AbstractContextManager[None]:
        """Defer Ctrl-C and termination signals for as long as the context lasts."""
        return uninterrupted(done)

    def write(self, data: bytes) -> None:
        """Write to standard output; a reader that went away has what it wanted."""
        with contextlib.suppress(BrokenPipeError):  # console.flush tidies up
            sys.stdout.buffer.write(data)
            sys.stdout.buffer.flush()


def report_observer(plugin: str, hook: str, error: BaseException) -> None:
    """Warn of an observer that raised."""
    observer_failed(Terminal(), plugin, hook, error)


_SHOWN_LINES = 60


def ask_to_apply(offer: PatchOffer, ui: Ui) -> bool:
    """Show the open issues and the patch, and ask: nobody can decide on a patch by its lines alone."""
    from selfreview.app.outputs import use_color
    from selfreview.model.wire import display_path
    from selfreview.reporters import words
    from selfreview.reporters.terminal.code import Paint, patch_lines
    from selfreview.reporters.terminal.report import before_question
    from selfreview.text.escape import quiet
    from selfreview.text.layout import plural

    color = use_color(offer.color, is_terminal=True)
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
