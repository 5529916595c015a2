"""The terminal as a front end of runs."""

from __future__ import annotations

import contextlib
import shutil
import sys
from typing import TYPE_CHECKING

from selfreview.app.ui import observer_failed
from selfreview.cli import console
from selfreview.cli.signals import uninterrupted

if TYPE_CHECKING:
    from selfreview.app.ui import PatchOffer
    from selfreview.review.tasks import Watcher


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
        from selfreview.cli.patch_question import ask_to_apply

        return ask_to_apply(offer, self)

    def ask(self, prompt: str) -> str | None:
        """Ask on standard error, for standard output is the report's."""
        sys.stderr.write(f"{prompt} ")
        sys.stderr.flush()
        line = sys.stdin.readline()
        return line.strip().lower() if line else None

    def watching(self) -> contextlib.AbstractContextManager[Watcher]:
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
