"""Interface for plugins that add commands."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    import click


class CommandRegistry(Protocol):
    """The commands that plugins register."""

    def add(self, command: click.Command) -> None:
        """Register a command, or a group of commands, under its name.

        Args:
            command: What ``@click.command(name=…)`` makes. It gets the rest of the command line. The number that it
                returns is the exit code; None is 0. A :class:`~selfreview.errors.SelfreviewError` is shown to the
                person in one line, with its hint.

        Raises:
            PluginError: If it is no command of click, has no name or one that is not a plain word, or another plugin
                registers a command of that name.
        """
