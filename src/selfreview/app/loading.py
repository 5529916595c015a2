"""The repository of a run or a command, with its plugins and configuration."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from selfreview.config import LoadOptions
from selfreview.errors import SelfreviewError, UsageError
from selfreview.text.masking import masking

if TYPE_CHECKING:
    from selfreview.api import ConfigView, Forge, KeepsSecrets, Notifier, Registry
    from selfreview.app.ui import Ui
    from selfreview.config.bootstrap import Loaded
    from selfreview.config.view import Config
    from selfreview.git.repo import Repo
    from selfreview.plugins.manager import PluginManager
    from selfreview.store import Store


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


def open_store(repo: Repo) -> Store:
    """Return the store of a repository; nothing is touched before it is used."""
    from selfreview.store import Store

    return Store.open(repo.common_dir / "selfreview")


def patches_folder(repo: Repo) -> Path:
    """Return the folder of kept patches."""
    return repo.common_dir / "selfreview" / "patches"


def load_project(repo: Repo | None, ui: Ui, options: LoadOptions) -> Project:
    """Load plugins and configuration.

    Args:
        repo: The repository, or None outside of one.
        ui: Is warned of secrets that nobody can mask.
        options: The choices of the caller.

    Raises:
        ConfigError: If a setting is wrong.
        PluginError: If a plugin cannot be loaded.
    """
    from selfreview.config.bootstrap import load

    root, common_dir = (repo.root, repo.common_dir) if repo is not None else (None, None)
    loaded = load(options, root=root, common_dir=common_dir, environ=os.environ)
    mask_values(loaded.manager, loaded.config, os.environ, ui.warn)
    return Project(repo=repo, loaded=loaded)


def tell_untrusted(loaded: Loaded, ui: Ui) -> None:
    """Warn of the repository's own code and commands that may not run, if there are any."""
    if loaded.trust.note:
        ui.note(f"note: {loaded.trust.note}")
        ui.note(f"hint: {loaded.trust.hint}")


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
