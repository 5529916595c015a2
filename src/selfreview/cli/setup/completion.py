"""``selfreview completion``: print the completion script of a shell."""

from __future__ import annotations

import click

from selfreview.cli.shell_completion import SHELLS, script


@click.command(name="completion")
@click.argument("shell", type=click.Choice(SHELLS))
def command(shell: str) -> None:
    """Print the completion script of a shell, for commands, options and their values.

    Put eval "$(selfreview completion bash)" into ~/.bashrc, the same for zsh into ~/.zshrc after compinit; write the
    script for fish to ~/.config/fish/completions/selfreview.fish.
    """
    click.echo(script(shell), nl=False)
