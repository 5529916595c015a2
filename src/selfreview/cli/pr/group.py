"""``selfreview pr``: the life of a change after the push."""

from __future__ import annotations

import importlib

import click

_COMMANDS = {
    "create": "Open a pull request for this branch.",
    "status": "Show the state of a pull request.",
    "feedback": "Show reviewers' feedback, and how it is understood.",
    "fix": "Answer feedback once: fix, push, reply, ask for another review.",
    "watch": "Watch pull requests for feedback, and answer it.",
}


class _Group(click.Group):
    """A command group that imports a command's module when the command is used."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        """Return all names."""
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """Return one command."""
        if cmd_name not in _COMMANDS:
            return None
        command: click.Command = importlib.import_module(f"selfreview.cli.pr.{cmd_name}").command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """List the commands without importing them."""
        with formatter.section("Commands"):
            formatter.write_dl(list(_COMMANDS.items()))


@click.group(name="pr", cls=_Group)
def command() -> None:
    """Open a pull request, read reviewers' feedback, and answer it."""
