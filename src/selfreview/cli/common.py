"""Helpers shared by commands: finding the repository, loading the configuration, opening the store."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from selfreview.cli import console
from selfreview.cli.offered import key_values, plugin_names
from selfreview.errors import ConfigError, GitError

if TYPE_CHECKING:
    from selfreview.config.bootstrap import Loaded
    from selfreview.config.files import RepoReader
    from selfreview.git.repo import Repo
    from selfreview.store import Store

F = TypeVar("F", bound=Callable[..., Any])


@dataclasses.dataclass(frozen=True, kw_only=True)
class Session:
    """The repository of a command, with its plugins and configuration.

    Attributes:
        repo: The repository, or None outside of one.
        loaded: Plugins, configuration and trust.
    """

    repo: Repo | None
    loaded: Loaded

    def open_store(self) -> Store | None:
        """Return the repository's store, or None outside of one; nothing is touched before it is used."""
        return open_store(self.repo) if self.repo is not None else None


PLUGINS = "selfreview.plugins"
"""Key in click's context of the loaded plugins, so that their exceptions are not reported as defects of selfreview."""
EARLIER = "selfreview.earlier"
"""Key in click's context of the values of ``-p`` before the command."""
JOURNAL = "journal.json"
"""Name of the journal that an interrupted apply leaves in ``selfreview`` below the git directory."""


def find_repo(*, hook: bool = False) -> Repo:
    """Find the repository of the current folder; complete what a killed process left there.

    Args:
        hook: Whether git waits, and holds the index: then what was left is left to the next command.

    Raises:
        GitError: If there is none.
        ApplyError: If what was left cannot be completed.
    """
    from selfreview.git.repo import discover

    repo = discover(current_folder(), os.environ)
    # Not Path.exists, which raises where the folder is another user's: that is told of where something in it is needed.
    if not hook and os.path.exists(repo.git_dir / "selfreview" / JOURNAL):  # noqa: PTH110
        from selfreview.cli.recovering import recover

        recover(repo)
    return repo


def find_repo_or_bare() -> Repo:
    """Find the repository of the current folder, which needs no working tree for what reads commits only.

    Raises:
        GitError: If there is none.
    """
    from selfreview.git.repo import discover_bare

    return discover_bare(current_folder(), os.environ) or find_repo(hook=True)


def find_repo_if_any() -> Repo | None:
    """Find the repository of the current folder, or None outside of one."""
    try:
        return find_repo()
    except GitError:
        return None


def current_folder() -> Path:
    """Return the current folder.

    Raises:
        GitError: If it has been removed.
    """
    try:
        return Path.cwd()
    except FileNotFoundError as error:
        raise GitError("the current folder does not exist any more") from error


def open_store(repo: Repo) -> Store:
    """Return the store of a repository; nothing is touched before it is used."""
    from selfreview.store import Store

    return Store.open(repo.common_dir / "selfreview")


def load_session(
    repo: Repo | None,
    *,
    options: Mapping[str, Any] | None = None,
    plugins: Sequence[str] = (),
    overrides: Sequence[str] = (),
    trusted: bool | None = None,
    read_repo_file: RepoReader | None = None,
    head_code: bool = True,
) -> Session:
    """Load plugins and configuration.

    Args:
        repo: The repository, or None outside of one.
        options: Configuration keys that the command line sets; None where it does not.
        plugins: The values of ``-p``.
        overrides: The values of ``-o``, ``KEY=VALUE``.
        trusted: False for a command that must run nothing of the repository's; None asks the person's record.
        read_repo_file: Reads the repository's own files; by default from the working tree.
        head_code: Whether commands may run code of the change.
    """
    from selfreview.cli.masking import mask_values
    from selfreview.config.bootstrap import load

    given = {name: value for name, value in (options or {}).items() if value is not None}
    loaded = load(
        root=repo.root if repo is not None else None,
        common_dir=repo.common_dir if repo is not None else None,
        cli_options={**_parse_overrides(overrides), **given},
        plugin_args=plugins,
        environ=os.environ,
        trusted=trusted,
        read_repo_file=read_repo_file,
        head_code=head_code,
    )
    context = click.get_current_context(silent=True)
    if context is not None:
        context.meta[PLUGINS] = loaded.manager
    mask_values(loaded.manager, loaded.config, os.environ)
    return Session(repo=repo, loaded=loaded)


def tell_untrusted(loaded: Loaded) -> None:
    """Warn of the repository's own code and commands that may not run, if there are any."""
    if loaded.trust.note:
        console.note(f"note: {loaded.trust.note}")
        console.note(f"hint: {loaded.trust.hint}")


def _parse_overrides(overrides: Sequence[str]) -> dict[str, Any]:
    """Parse ``KEY=VALUE``; the value is TOML, or else taken as text, which for a list is split at commas."""
    from selfreview.text.toml import parse_toml

    values: dict[str, Any] = {}
    for item in overrides:
        key, separator, text = item.partition("=")
        if not separator or not key.strip():
            raise ConfigError(f"-o {item!r} is not KEY=VALUE", hint="selfreview config lists the keys")
        try:
            values[key.strip()] = parse_toml(f"value = {text}")["value"]
        except ValueError:
            values[key.strip()] = text
    return values


def plugin_options(function: F) -> F:
    """Add ``-p`` and ``-o`` to a command."""

    def with_earlier(ctx: click.Context, param: click.Parameter, value: tuple[str, ...]) -> tuple[str, ...]:  # noqa: ARG001
        return (*ctx.meta.get(EARLIER, ()), *value)

    function = click.option(
        "-o",
        "overrides",
        multiple=True,
        metavar="KEY=VALUE",
        shell_complete=key_values,
        help="Set a configuration key for this run, lists with commas or as TOML; repeatable.",
    )(function)
    return click.option(
        "-p",
        "plugins",
        multiple=True,
        metavar="NAME",
        callback=with_earlier,
        shell_complete=plugin_names,
        help="Load a plugin, or with no:NAME leave it out; repeatable.",
    )(function)
