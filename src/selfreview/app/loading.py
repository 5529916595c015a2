"""The repository of a run or a command, with its plugins and configuration."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from selfreview.errors import ConfigError, SelfreviewError, UsageError
from selfreview.text.masking import masking

if TYPE_CHECKING:
    from selfreview.api import ConfigView, Forge, KeepsSecrets, Notifier, Registry
    from selfreview.app.ui import Ui
    from selfreview.config.bootstrap import Loaded
    from selfreview.config.files import RepoReader
    from selfreview.config.view import Config
    from selfreview.git.repo import Repo
    from selfreview.plugins.manager import PluginManager
    from selfreview.store import Store


JOURNAL = "journal.json"
"""Name of the journal that an interrupted apply leaves in ``selfreview`` below the git directory."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class Project:
    """A repository with its plugins and configuration.

    Attributes:
        repo: The repository, or None outside of one.
        loaded: Plugins, configuration and trust.
    """

    repo: Repo | None
    loaded: Loaded

    @property
    def config(self) -> Config:
        """The resolved configuration."""
        return self.loaded.config

    @property
    def manager(self) -> PluginManager:
        """The plugins."""
        return self.loaded.manager

    def open_store(self) -> Store | None:
        """Return the repository's store, or None outside of one; nothing is touched before it is used."""
        return open_store(self.repo) if self.repo is not None else None


@dataclasses.dataclass(frozen=True, kw_only=True)
class Source:
    """Where settings come from besides the environment.

    Attributes:
        options: Configuration keys that the command line sets; None where it does not.
        plugins: The values of ``-p``.
        overrides: The values of ``-o``, ``KEY=VALUE``.
        trusted: False for a command that must run nothing of the repository's; None asks the person's record.
        read_repo_file: Reads the repository's own files; by default from the working tree.
        head_code: Whether commands may run code of the change.
    """

    options: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    plugins: Sequence[str] = ()
    overrides: Sequence[str] = ()
    trusted: bool | None = None
    read_repo_file: RepoReader | None = None
    head_code: bool = True


def open_store(repo: Repo) -> Store:
    """Return the store of a repository; nothing is touched before it is used."""
    from selfreview.store import Store

    return Store.open(repo.common_dir / "selfreview")


def patches_folder(repo: Repo) -> Path:
    """Return the folder of kept patches."""
    return repo.common_dir / "selfreview" / "patches"


def load_project(repo: Repo | None, ui: Ui, source: Source) -> Project:
    """Load plugins and configuration.

    Args:
        repo: The repository, or None outside of one.
        ui: Is warned of secrets that nobody can mask.
        source: Where settings come from.

    Raises:
        ConfigError: If a setting is wrong.
        PluginError: If a plugin cannot be loaded.
    """
    from selfreview.config.bootstrap import load

    given = {name: value for name, value in source.options.items() if value is not None}
    loaded = load(
        root=repo.root if repo is not None else None,
        common_dir=repo.common_dir if repo is not None else None,
        cli_options={**_parse_overrides(source.overrides), **given},
        plugin_args=source.plugins,
        environ=os.environ,
        trusted=source.trusted,
        read_repo_file=source.read_repo_file,
        head_code=source.head_code,
    )
    mask_values(loaded.manager, loaded.config, os.environ, ui.warn)
    return Project(repo=repo, loaded=loaded)


def tell_untrusted(loaded: Loaded, ui: Ui) -> None:
    """Warn of the repository's own code and commands that may not run, if there are any."""
    if loaded.trust.note:
        ui.note(f"note: {loaded.trust.note}")
        ui.note(f"hint: {loaded.trust.hint}")


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


def mask_values(
    manager: PluginManager, config: ConfigView, environ: Mapping[str, str], warn: Callable[[str], None]
) -> None:
    """Mask the secrets of all forges and notifiers, with a warning for each that cannot name its own."""
    from selfreview.api import KeepsSecrets, Registry

    forges: Registry[Forge] = Registry("forge")
    notifiers: Registry[Notifier] = Registry("channel")
    for hook, registry in (("selfreview_register_forges", forges), ("selfreview_register_notifiers", notifiers)):
        try:
            manager.call(hook, registry=registry, config=config)
        except SelfreviewError as error:
            warn(f"secrets may be shown: {error.message}")
    for holder in (*forges, *notifiers):
        if isinstance(holder, KeepsSecrets):
            mask_values_of(holder, config, environ, warn)


def mask_values_of(
    holder: KeepsSecrets, config: ConfigView, environ: Mapping[str, str], warn: Callable[[str], None]
) -> None:
    """Mask the secrets of one forge or notifier."""
    try:
        found = [str(value) for value in holder.secrets(environ, config)]
    except Exception as error:  # noqa: BLE001 - a plugin's defect, whose words may quote what they must not
        name = getattr(holder, "name", type(holder).__name__)
        warn(f"secrets of {name} may be shown: it does not say what they are ({type(error).__name__})")
        return
    masking().add(found)


def why_off(config: ConfigView) -> str | None:
    """Return that selfreview is switched off, and where, as a sentence; None where it is on."""
    if config["enabled"]:
        return None
    return f"selfreview is switched off by configuration (enabled = false, {config.origin('enabled')})"


def demand_on(config: ConfigView, instead: str) -> None:
    """Refuse an explicitly requested command while selfreview is switched off.

    Args:
        config: What counts.
        instead: What is not done, as in ``nothing is pushed``.

    Raises:
        UsageError: If selfreview is switched off.
    """
    if (off := why_off(config)) is not None:
        raise UsageError(f"{off}: {instead}", hint="SELFREVIEW_ENABLED=true before the command switches it on")
