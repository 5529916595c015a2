"""Built-in plugin ``pullrequest``: adds the command ``selfreview pr``."""

from __future__ import annotations

from selfreview.api import CommandRegistry, hookimpl


@hookimpl
def selfreview_register_commands(registry: CommandRegistry) -> None:
    """Register the command."""
    from selfreview.cli.pr.group import command

    registry.add(command)
