"""``selfreview completion``: print the completion script of a shell."""

from __future__ import annotations

import click

from selfreview.cli.shell_completion import SHELLS, script


@click.command(name="completion")
@click.argument("shell", type=click.Choice(SHELLS))
def command(shell: str) -> None:
    """Print the script with which a shell completes commands, options and their values.

    ~/.bashrc, or ~/.zshrc after compinit, takes the line eval "$(selfreview completion bash)", or zsh for bash there;
    fish takes the script as ~/.config/fish/completions/selfreview.fish.
    """
    click.echo(script(shell), nl=False)
