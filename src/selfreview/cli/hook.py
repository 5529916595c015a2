"""``selfreview hook``: git's hooks."""

from __future__ import annotations

import click


class HookGroup(click.Group):
    """Imports the review when a hook runs, not when one is installed."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return all names."""
        return [*super().list_commands(ctx), "run"]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return one command."""
        if cmd_name != "run":
            return super().get_command(ctx, cmd_name)
        from selfreview.cli.hook_run import command as run_group

        return run_group


@click.group(name="hook", cls=HookGroup)
def command() -> None:
    """Install or remove the git hooks."""
