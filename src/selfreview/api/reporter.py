"""The reporter: a plugin object that prints a result in one format."""

from __future__ import annotations

from typing import BinaryIO, Protocol

from selfreview.api.context import ReviewContext
from selfreview.model.result import Result


class TerminalWriter(Protocol):
    """Where ``selfreview_terminal_summary`` may write lines."""

    def line(self, text: str = "") -> None:
        """Write one line; control characters are made visible."""

    def section(self, title: str) -> None:
        """Write a heading."""


class Reporter(Protocol):
    """One output format."""

    @property
    def name(self) -> str:
        """What a person types after ``--format``."""

    def write(self, result: Result, out: BinaryIO, *, context: ReviewContext | None, color: bool, width: int) -> None:
        """Write the whole report.

        Args:
            result: What to report, errors included.
            out: Binary stream; write UTF-8.
            context: Access to the reviewed text for excerpts, or None where there is none (an error, a stored result).
            color: Whether ANSI colours are wanted.
            width: Columns of the terminal, or 80.
        """
