"""The front end as a run sees it: notes, warnings, progress, questions, and the report's way out."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    from selfreview.api import Result, ReviewContext, ReviewerStatus
    from selfreview.apply.patches import FileChange
    from selfreview.model.usage import Usage
    from selfreview.plugins.manager import PluginManager
    from selfreview.review.tasks import ProgressListener


class PatchOffer(NamedTuple):
    """A patch that a person is asked about.

    Attributes:
        before: The review of the tree as it is, with what was refined.
        after: The review of the state that the patch leads to.
        text: The patch, without secrets.
        files: The files that it changes.
        context: Where code comes from.
        color: ``auto``, ``always`` or ``never``.
    """

    before: Result
    after: Result
    text: str
    files: Sequence[FileChange]
    context: ReviewContext
    color: str


class Ui(Protocol):
    """A front end. ``note``, ``warn`` and ``progress`` may be called from any thread."""

    @property
    def command(self) -> str:
        """The command that was given, such as ``pr fix``."""

    @property
    def is_interactive(self) -> bool:
        """Return whether a person can be asked."""

    def note(self, text: str) -> None:
        """Show a line beside the report."""

    def warn(self, text: str) -> None:
        """Show a warning beside the report."""

    def progress(self, text: str) -> None:
        """Show what is being done, where a person is watching."""

    def spent(self, usage: Usage) -> None:
        """Show what models cost so far."""

    def ask_to_apply(self, offer: PatchOffer) -> bool:
        """Show a patch with the issues that it fixes, and return whether it is to be applied."""

    def ask(self, prompt: str) -> str | None:
        """Ask a question.

        Returns:
            The answer in lower case without blanks around it, or None where the input has ended.
        """

    def watching(self) -> contextlib.AbstractContextManager[ProgressListener]:
        """Show the reviewers at work for as long as the context lasts."""

    def write(self, data: bytes) -> None:
        """Write a part of the report that goes to standard output."""

    def uninterrupted(self, done: str) -> contextlib.AbstractContextManager[object]:
        """Defer what asks the program to end for as long as the context lasts.

        Args:
            done: The hint for a person who asked meanwhile: what is done all the same.
        """

    def plugins_loaded(self, manager: PluginManager) -> None:
        """Take note of the plugins at work, one of which may be to blame for an exception."""

    @property
    def is_terminal(self) -> bool:
        """Return whether a person reads what :meth:`write` writes."""

    def uses_color(self, setting: str) -> bool:
        """Return whether what :meth:`write` writes is coloured.

        Args:
            setting: ``auto``, ``always`` or ``never``.
        """

    @property
    def columns(self) -> int:
        """The width in cells."""


class _Unwatched:
    """A watcher of reviewers that shows nothing."""

    def started(self, name: str) -> None:
        """Show nothing."""

    def advanced(self, name: str, done: int, of: int) -> None:
        """Show nothing."""

    def finished(self, name: str, status: ReviewerStatus) -> None:
        """Show nothing."""


class SilentUi:
    """A front end that shows nothing and asks nobody; what is written and noted is kept.

    Attributes:
        notes: Notes and warnings, in order.
        written: The report.
    """

    command = "program"
    is_interactive = False
    is_terminal = False
    columns = 80

    def __init__(self) -> None:
        self.notes: list[str] = []
        self.written = b""

    def note(self, text: str) -> None:
        """Keep a note."""
        self.notes.append(text)

    def warn(self, text: str) -> None:
        """Keep a warning."""
        self.notes.append(f"warning: {text}")

    def progress(self, text: str) -> None:
        """Show nothing."""

    def spent(self, usage: Usage) -> None:
        """Show nothing."""

    def ask_to_apply(self, offer: PatchOffer) -> bool:  # noqa: ARG002 - protocol
        """Return False: nobody is there."""
        return False

    def ask(self, prompt: str) -> str | None:  # noqa: ARG002 - protocol
        """Return None: nobody is there."""
        return None

    def watching(self) -> contextlib.AbstractContextManager[ProgressListener]:
        """Show nothing."""
        return contextlib.nullcontext(_Unwatched())

    def uninterrupted(self, done: str) -> contextlib.AbstractContextManager[object]:  # noqa: ARG002 - protocol
        """Defer nothing: who embeds this program handles signals."""
        return contextlib.nullcontext()

    def write(self, data: bytes) -> None:
        """Keep a part of the report."""
        self.written += data

    def uses_color(self, setting: str) -> bool:
        """Return whether colour is wanted everywhere."""
        return setting == "always"

    def plugins_loaded(self, manager: PluginManager) -> None:
        """Blame nobody: exceptions are raised as they are."""


def observer_failed(ui: Ui) -> Callable[[str, str, BaseException], None]:
    """Return the function that warns of an observer that raised: a plugin, in a hook, with an error."""

    def warn(plugin: str, hook: str, error: BaseException) -> None:
        from selfreview.app.crash import describe

        ui.warn(f"plugin {plugin} failed in {hook}: {describe(error)}")

    return warn
