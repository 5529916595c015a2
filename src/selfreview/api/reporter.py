"""The reporter: a plugin object that prints a result in one format."""

from __future__ import annotations

from collections.abc import Callable
from typing import BinaryIO, NamedTuple, Protocol, runtime_checkable

from selfreview.api.context import ReviewContext
from selfreview.model.result import Iteration, Result


class TerminalWriter(Protocol):
    """The interface by which ``selfreview_terminal_summary`` writes lines."""

    def line(self, text: str = "") -> None:
        """Write one line; control characters are made visible."""

    def section(self, title: str) -> None:
        """Write a heading."""


class Reporter(Protocol):
    """One output format."""

    @property
    def name(self) -> str:
        """The name that a person types after ``--format``."""

    def write(self, result: Result, out: BinaryIO, *, context: ReviewContext | None, color: bool, width: int) -> None:
        """Write the whole report.

        Args:
            result: What to report, errors included.
            out: Binary stream; write UTF-8.
            context: Access to the reviewed text for excerpts, or None where there is none (an error, a stored result).
            color: Whether ANSI colours are wanted.
            width: Columns of the terminal, or 80.
        """


class PatchText(NamedTuple):
    """The kept patch of a refinement.

    Attributes:
        text: A unified diff from the reviewed tree to the state after it, without secrets; None where there is none.
        why: In one line why there is none, else empty.
    """

    text: str | None
    why: str


PatchSource = Callable[[Iteration], PatchText]
"""Provides a refinement's patch. Patches are kept beside results, not in them."""


@runtime_checkable
class PatchReporter(Reporter, Protocol):
    """An output format that also shows the patches of refinements."""

    def with_patches(self, patches: PatchSource) -> Reporter:
        """Return the format with the patches; called before :meth:`write` where there is a repository."""
