"""Commands that plugins add: their names without importing a plugin, and the one command that is chosen."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Sequence
from typing import TYPE_CHECKING

from selfreview.errors import GitError, PluginError, RegistrationError, SelfreviewError

if TYPE_CHECKING:
    import click

    from selfreview.app.loading import Project
    from selfreview.plugins.finder import Selection
    from selfreview.plugins.manager import PluginManager


EARLIER = "selfreview.earlier"
"""Key in click's context of the values of ``-p`` before the command."""
PREFIX = "command-"
"""An installed plugin whose entry point is named ``command-NAME`` adds the command ``NAME``."""
BUILT_IN = {"pr": "pullrequest"}
"""Commands that built-in plugins add, with the short names of these plugins."""
HOOK = "selfreview_register_commands"


class Commands:
    """Commands by name; those with a name that is taken are left out.

    Args:
        taken: Names of selfreview's own commands.

    Attributes:
        found: The commands by name.
        left_out: Names of commands that are left out.
    """

    def __init__(self, taken: Collection[str] = ()) -> None:
        self._taken = taken
        self.found: dict[str, click.Command] = {}
        self._places: dict[str, str] = {}
        self.left_out: list[str] = []

    def add(self, command: object) -> None:
        """Register a command; see :class:`~selfreview.api.CommandRegistry`."""
        import click

        from selfreview.api.registry import caller_place

        if not isinstance(command, click.Command):
            called = getattr(command, "__name__", None) or type(command).__name__
            raise RegistrationError(
                f"command {called} is no click.Command", hint="make it one with @click.command(name=…), then add that"
            )
        name = command.name or ""
        if not name.replace("-", "").replace("_", "").isalnum() or name.startswith("-"):
            raise RegistrationError(f"command name {name!r} is not made of letters, digits, '-' and '_'")
        if name in self._taken:
            self.left_out.append(name)
        elif name in self.found:
            raise RegistrationError(f"there are two commands named {name!r}", earlier=self._places[name])
        else:
            self.found[name] = command
            self._places[name] = caller_place()


def split_arguments(arguments: Sequence[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the values of ``-p`` before the command, and the command line from the command's name on."""
    rest = list(arguments)
    values = []
    while rest and rest[0].startswith("-p"):
        first = rest.pop(0)
        values += [first[2:]] if len(first) > 2 else [rest.pop(0)] if rest else []
    return tuple(values), tuple(rest)


def plugin_arguments(arguments: Sequence[str]) -> tuple[str, ...]:
    """Return the values of every ``-p``, before the command or after it, without parsing the command's own options."""
    values, words = [], iter(arguments)
    for word in words:
        if word == "--":
            break
        if word.startswith("-p"):
            values.append(word[2:] if len(word) > 2 else next(words, ""))
    return tuple(value for value in values if value.strip().removeprefix("no:").strip())


def is_left_out(name: str, arguments: Sequence[str]) -> bool:
    """Return whether the built-in plugin that adds a command is turned off by ``-p no:NAME``."""
    plugin = BUILT_IN.get(name)
    return plugin is not None and bool(arguments) and plugin in _selection(arguments).blocked


def offered(arguments: Sequence[str], taken: Collection[str]) -> dict[str, str]:
    """Return the commands of installed plugins, each with the distribution that it is from; imports no plugin.

    Args:
        arguments: Values of ``-p``.
        taken: Names that are selfreview's own: no plugin's command has one of them.
    """
    return {name: source for name, source in _entries(arguments) if name not in taken}


def collisions(arguments: Sequence[str], taken: Collection[str]) -> list[str]:
    """Return a sentence for each command of an installed plugin that has the name of one of selfreview's own."""
    return [_collision(name) for name, _ in _entries(arguments) if name in taken]


def built_in(name: str) -> click.Command:
    """Load the built-in plugin that adds a command, and return the command."""
    return _loaded(name, BUILT_IN[name], ())[1]


def find(name: str, arguments: Sequence[str], taken: Collection[str]) -> tuple[PluginManager, click.Command] | None:
    """Find a command that is not selfreview's own; return its plugin's manager and the command, or None.

    Only the plugin is loaded whose entry point names the command. Otherwise all are, as they are for a review, and the
    local plugin if it is trusted.

    Args:
        name: The command's name.
        arguments: Values of ``-p``.
        taken: Names of selfreview's own commands.

    Raises:
        SelfreviewError: If plugins or the configuration cannot be loaded.
    """
    if name in dict(_entries(arguments)):
        return _loaded(name, PREFIX + name, arguments)
    from selfreview.cli.common import tell_untrusted

    project, commands = _all(arguments, taken)
    if project is None:
        return None
    _warn([_collision(taken_name) for taken_name in commands.left_out])
    if name in commands.found:
        return project.manager, commands.found[name]
    tell_untrusted(project.loaded)
    return None


def asked(arguments: Sequence[str], taken: Collection[str]) -> dict[str, str]:
    """Return the commands that no entry point names, with their help, where a person asked for plugins.

    Those are named by ``-p`` or ``SELFREVIEW_PLUGINS``, or are the file of the repository in the current folder, if it
    is trusted. Else nothing is imported.

    Args:
        arguments: Values of ``-p``.
        taken: Names of other commands.
    """
    from selfreview.trust.subject import CONF_NAME

    selection = _selection(arguments)
    if not (selection.asked or selection.modules or os.path.exists(CONF_NAME)):  # noqa: PTH110
        return {}
    try:
        _, commands = _all(arguments, taken)
    except SelfreviewError as error:  # the help is shown all the same
        _warn([error.message])
        return {}
    return {name: command.get_short_help_str(limit=100) for name, command in commands.found.items()}


def _all(arguments: Sequence[str], taken: Collection[str]) -> tuple[Project | None, Commands]:
    """Load all plugins, as for a review, and return them with their commands; None where there are none."""
    from selfreview.cli.common import find_repo, load_project

    commands = Commands(taken)
    try:
        repo = find_repo(hook=True)
    except GitError:
        repo = None
    if not _may_have(arguments, repo.root if repo is not None else None):
        return None, commands
    project = load_project(repo, plugins=arguments)
    project.manager.call_added(HOOK, registry=commands)
    return project, commands


def warn_of_collision(name: str, manager: PluginManager | None, arguments: Sequence[str]) -> None:
    """Warn if a plugin adds a command with the name of the one of selfreview's own that was run.

    Args:
        name: The command's name.
        manager: The plugins that were loaded; None where none were: then entry points alone are looked at.
        arguments: Values of ``-p``.
    """
    commands = Commands([name])
    try:
        if manager is not None:
            manager.call_added(HOOK, registry=commands)
        if commands.left_out or (manager is None and name in dict(_entries(arguments))):
            _warn([_collision(name)])
    except SelfreviewError as error:  # the command was run, and its exit code stands
        _warn([error.message])


def _loaded(name: str, plugin: str, arguments: Sequence[str]) -> tuple[PluginManager, click.Command]:
    """Load one plugin, and return its manager and the command."""
    from selfreview.plugins.manager import PluginManager

    manager = PluginManager(arguments=arguments, environ=os.environ)
    manager.load(only=plugin)
    commands = Commands()
    manager.call(HOOK, registry=commands)
    if name not in commands.found:
        raise PluginError(f"plugin {plugin!r} adds no command {name!r}", hint=f"leave it out: -p no:{plugin}")
    return manager, commands.found[name]


def _entries(arguments: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield the names of commands of the installed plugins that are not turned off, with their sources."""
    from selfreview.plugins.finder import entry_point_source, entry_points

    selection = _selection(arguments)
    asked = {*selection.asked, *selection.modules}
    for entry in entry_points():
        names = {entry.name, entry.module}
        if entry.name.startswith(PREFIX) and not names & selection.blocked and (selection.autoload or names & asked):
            yield entry.name.removeprefix(PREFIX), entry_point_source(entry)


def _may_have(arguments: Sequence[str], root: os.PathLike[str] | None) -> bool:
    """Return whether there are plugins besides those that selfreview comes with; imports none."""
    from selfreview.plugins.finder import entry_points
    from selfreview.trust.subject import CONF_NAME

    selection = _selection(arguments)
    asked = bool(selection.asked or selection.modules)
    return asked or (root is not None and os.path.exists(os.path.join(root, CONF_NAME))) or bool(entry_points())  # noqa: PTH110, PTH118


def _selection(arguments: Sequence[str]) -> Selection:
    from selfreview.plugins.builtins import Builtins
    from selfreview.plugins.finder import Selection

    return Selection.parse(arguments, os.environ, Builtins().modules)


def _collision(name: str) -> str:
    return f"a plugin adds a command {name!r}, which selfreview has itself: selfreview's is the one that runs"


def _warn(texts: Sequence[str]) -> None:
    from selfreview.cli import console

    for text in texts:
        console.warn(text)
