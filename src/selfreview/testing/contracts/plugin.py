"""The contract of plugins of every kind, and of those that add commands; configuration, and no network, to try them."""

from __future__ import annotations

import hashlib
import json
import os
import socket
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

import pytest

from selfreview.api import Registry
from selfreview.errors import ExitCode
from selfreview.testing.context import MemoryConfig, default_config
from selfreview.testing.workspace import Workspace

if TYPE_CHECKING:
    import click


@contextmanager
def offline(error: OSError | None = None) -> Iterator[list[str]]:
    """Let every connection and every look-up of a host fail, and yield what was tried, as it comes.

    Args:
        error: How they fail; by default the connection is refused.
    """
    tried: list[str] = []

    def refuse(*arguments: Any, **_: Any) -> NoReturn:
        tried.append(repr(arguments[-1] if isinstance(arguments[0], socket.socket) else arguments[0]))
        raise error or ConnectionRefusedError(111, "Connection refused")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(socket, "getaddrinfo", refuse)
        patch.setattr(socket.socket, "connect", refuse)
        patch.setattr(socket.socket, "connect_ex", refuse)
        yield tried


def config_of(plugin: object, module: str | None, values: Mapping[str, Any]) -> MemoryConfig:
    """Return the defaults of selfreview and of a plugin, with other values for some keys.

    Args:
        plugin: The plugin; its keys are declared by itself, or by its module.
        module: The module, where it is not that of the plugin's class.
        values: By name of a key.
    """
    hooks = plugin if hasattr(plugin, "selfreview_addoption") else sys.modules.get(module or type(plugin).__module__)
    known = default_config(hooks)
    unknown = sorted(values.keys() - known.keys())
    assert not unknown, f"{unknown[0]} is no key: declare it in selfreview_addoption"
    return MemoryConfig({**known, **values})


HEAVY = frozenset(
    {
        "anthropic",
        "ast_grep_py",
        "asyncio",
        "click",
        "dbos",
        "django",
        "httpx",
        "httpx2",
        "jinja2",
        "numpy",
        "openai",
        "pandas",
        "requests",
        "rich",
        "sqlite3",
        "torch",
        "transformers",
        "unidiff",
        "urllib3",
        "yaml",
    }
)
"""Packages that cost more to import than everything else that a review of nothing does."""

_PROBE = """\
import importlib, json, os, sys, traceback
import selfreview.api
import subprocess, socket  # so that their own imports are not the module's
ACTS = (
    "subprocess.Popen", "os.system", "os.exec", "os.fork", "os.forkpty", "os.posix_spawn", "os.spawn", "os.startfile",
    "os.chmod", "os.link", "os.mkdir", "os.remove", "os.rename", "os.rmdir", "os.symlink", "os.truncate",
    "socket.bind", "socket.connect", "socket.getaddrinfo", "socket.gethostbyname", "socket.sendto",
)
WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
did = []
def watch(event, arguments):
    if event in ACTS:
        did.append(event)
    elif event == "open" and arguments[2] & WRITES:
        did.append(f"write to {arguments[0]}")
sys.addaudithook(watch)
before, seen = set(sys.modules), {}
for module in sys.argv[1:]:
    did, error = [], ""
    try:
        importlib.import_module(module)
    except BaseException:
        error = traceback.format_exc()
    new = sorted(set(sys.modules) - before)
    seen[module] = {"did": did, "imported": new, "error": error}
    for name in new:
        del sys.modules[name]  # so that the next one imports it again
print(json.dumps(seen))
"""


class Imported(NamedTuple):
    """The outcome of an import: what the module did, which modules came with it, and its traceback if it failed."""

    did: list[str]
    imported: list[str]
    error: str


def importing(*modules: str) -> dict[str, Imported]:
    """Import modules one after the other in a process that has imported ``selfreview.api`` alone.

    Args:
        modules: Their names; what one of them imports is imported anew for the next.
    """
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    command = [sys.executable, "-B", "-c", _PROBE, *modules]
    done = subprocess.run(command, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return {module: Imported(**seen) for module, seen in json.loads(done.stdout).items()}


class PluginContract:
    """The contract of plugins of every kind; see the contract of each kind."""

    module: str | None = None
    """The module that the plugin is loaded from; by default that of the object's class."""

    @pytest.fixture
    def plugin(self) -> Any:
        """The object under test; each contract names its fixture."""
        raise NotImplementedError

    @pytest.fixture
    def elsewhere(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
        """A current folder with one file, which a plugin must not touch."""
        folder = tmp_path / "elsewhere"
        folder.mkdir()
        (folder / "precious.txt").write_text("as it was\n", encoding="utf-8")
        monkeypatch.chdir(folder)
        return folder

    def test_its_name_can_be_typed(self, plugin: Any) -> None:
        """A registry accepts the plugin."""
        registry: Registry[Any] = Registry("plugin")
        registry.add(plugin)
        assert registry.names() == [plugin.name]
        assert not plugin.name.startswith("-"), "a name that begins with '-' is an option"

    def test_importing_it_is_cheap_and_does_nothing(self, plugin: Any) -> None:
        """Every run imports the plugin, also with nothing to review: heavy modules are imported where they are used."""
        module = self.module or type(plugin).__module__
        seen = importing(module)[module]
        assert not seen.error, seen.error
        assert not seen.did, f"importing {module} is not for {seen.did}"
        heavy = HEAVY & {name.partition(".")[0] for name in seen.imported}
        assert not heavy, f"import {', '.join(sorted(heavy))} inside of the function that needs it, not in {module}"


def state(folder: Path) -> dict[str, str]:
    """Return the content of a folder: a digest by path, and the targets of links."""
    found = {}
    for path in sorted(folder.rglob("*")):
        name = os.fsdecode(os.fsencode(path.relative_to(folder)))
        if path.is_symlink():
            found[name] = f"link to {path.readlink()}"
        elif path.is_file():
            found[name] = hashlib.sha256(path.read_bytes()).hexdigest()
    return found


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
