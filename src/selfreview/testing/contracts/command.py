"""The contract of plugins that add commands."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from selfreview.errors import ExitCode
from selfreview.testing.contracts.plugin import PluginContract
from selfreview.testing.workspace import Workspace

if TYPE_CHECKING:
    import click


class CommandContract(PluginContract):
    """The contract of plugins that add commands; a subclass gives the fixture ``plugin``: the module with the hook."""

    def test_its_name_can_be_typed(self, plugin: Any) -> None:
        """Each command has a plain word for a name, and none is selfreview's own, which would not be replaced."""
        from selfreview.cli.commands import COMMANDS
        from selfreview.cli.plugin_commands import Commands

        registry = Commands(COMMANDS)
        plugin.selfreview_register_commands(registry)
        assert not registry.left_out, f"selfreview has commands of its own with these names: {registry.left_out}"
        assert registry.found, "no command is registered"

    def test_importing_it_is_cheap_and_does_nothing(self, plugin: Any) -> None:
        """Every run imports the plugin: click, and what a command needs, is imported in the hook or in the command."""
        if self.module is None:
            self.module = plugin.__name__
        super().test_importing_it_is_cheap_and_does_nothing(plugin)

    def test_commands_and_options_say_what_they_do(self, plugin: Any) -> None:
        """Each command and each of its options has a help text."""
        import click

        for path, command in every_command(plugin):
            assert command.help, f"{path} says nothing of itself"
            for parameter in command.params:
                if isinstance(parameter, click.Option) and not parameter.hidden:
                    assert parameter.help, f"{path} {parameter.opts[0]} says nothing of itself"

    def test_help_is_shown(self, plugin: Any, selfreview_workspace: Workspace) -> None:
        """``--help`` of each command explains it, and does nothing else."""
        selfreview_workspace.plugin(plugin)
        for path, _ in every_command(plugin):
            ran = selfreview_workspace.run_inprocess(*path.split(), "--help")
            assert ran.exit_code == ExitCode.PASSED, ran
            assert f"Usage: selfreview {path}" in ran.stdout, ran

    def test_an_unknown_option_is_an_error_in_usage(self, plugin: Any, selfreview_workspace: Workspace) -> None:
        """A misspelt option is not taken for something else: an error of one line and a hint, exit code 4."""
        selfreview_workspace.plugin(plugin)
        for path, _ in every_command(plugin):
            ran = selfreview_workspace.run_inprocess(*path.split(), "--no-such-option-at-all")
            assert ran.exit_code == ExitCode.USAGE, ran
            assert ran.stderr.startswith("error: "), ran
            assert "--no-such-option-at-all" in ran.stderr, ran


def every_command(plugin: Any) -> Iterator[tuple[str, click.Command]]:
    """Yield the commands that a plugin registers, and those of groups among them, each with how it is typed."""
    import click

    from selfreview.cli.plugin_commands import Commands

    registry = Commands()
    plugin.selfreview_register_commands(registry)
    waiting = list(registry.found.items())
    while waiting:
        path, command = waiting.pop(0)
        yield path, command
        if isinstance(command, click.Group):
            context = click.Context(command)
            inner = ((name, command.get_command(context, name)) for name in command.list_commands(context))
            waiting += [(f"{path} {name}", found) for name, found in inner if found is not None]
