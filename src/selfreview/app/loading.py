"""The repository of a folder, with its plugins and configuration, and what the plugins register."""

from __future__ import annotations

import contextlib
import dataclasses
import os
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from selfreview.apply import JOURNAL
from selfreview.config import LoadOptions
from selfreview.errors import RegistrationError, SelfreviewError, StoreError, UsageError
from selfreview.text.masking import masking

if TYPE_CHECKING:
    from selfreview.api import Agent, ConfigView, Fixer, Forge, KeepsSecrets, Notifier, Registry, Reviewer
    from selfreview.app.ui import Ui
    from selfreview.apply.journal import Journal
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
        ui: Is told of the plugins, and warned of secrets that nobody can mask.
        options: The choices of the caller.

    Raises:
        ConfigError: If a setting is wrong.
        PluginError: If a plugin cannot be loaded.
    """
    from selfreview.config.bootstrap import load

    root, common_dir = (repo.root, repo.common_dir) if repo is not None else (None, None)
    loaded = load(options, root=root, common_dir=common_dir, environ=os.environ)
    ui.plugins_loaded(loaded.manager)
    mask_values(loaded.manager, loaded.config, os.environ, ui.warn)
    return Project(repo=repo, loaded=loaded)


@contextlib.contextmanager
def configured(project: Project, ui: Ui) -> Iterator[None]:
    """Have a project's plugins configured for as long as the context lasts.

    Args:
        project: The plugins, and the configuration that they are given.
        ui: Is warned of plugins that fail at the end.

    Raises:
        PluginError: If a plugin refuses the configuration; the others are unconfigured nevertheless.
    """
    try:
        configure(project)
        yield
    except Exception as error:
        tell_error(error, ui.command, project, ui)
        raise
    finally:
        unconfigure(project, ui)


def tell_error(error: Exception, stage: str, project: Project, ui: Ui) -> None:
    """Keep an error that ends a command as an event, and notify plugins, which are configured; once for each error.

    Args:
        error: It.
        stage: The command, such as ``run``.
        project: The repository with its plugins.
        ui: Is warned of plugins that fail.
    """
    from selfreview.app.crash import keep_error, told_first, words_of
    from selfreview.app.ui import observer_failed

    if not told_first(error):
        return
    if not isinstance(error, StoreError):
        keep_error(project.repo, stage, lambda: words_of(error))
    project.manager.call_observers(
        "selfreview_error", report=observer_failed(ui), error=error, stage=stage, config=project.config
    )


def configure(project: Project) -> None:
    """Hand plugins the configuration; :func:`unconfigure` has to follow, even where this fails.

    Raises:
        PluginError: If a plugin refuses it.
    """
    project.manager.call("selfreview_configure", config=project.config)


def unconfigure(project: Project, ui: Ui) -> None:
    """Have plugins tear down what they set up; those that fail are reported."""
    from selfreview.app.ui import observer_failed

    project.manager.call_observers("selfreview_unconfigure", report=observer_failed(ui), config=project.config)


def tell_untrusted(loaded: Loaded, ui: Ui) -> None:
    """Warn of the repository's own code and commands that may not run, if there are any."""
    if loaded.trust.note:
        ui.note(f"note: {loaded.trust.note}")
        ui.note(f"hint: {loaded.trust.hint}")


def mask_values(
    manager: PluginManager, config: ConfigView, environ: Mapping[str, str], warn: Callable[[str], None]
) -> None:
    """Mask the secrets of all forges and notifiers, with a warning for each that cannot name its own.

    Raises:
        RegistrationError: If a plugin registers what is no forge or notifier.
    """
    from selfreview.api import KeepsSecrets, Registry

    forges: Registry[Forge] = Registry("forge")
    notifiers: Registry[Notifier] = Registry("channel")
    for hook, registry in (("selfreview_register_forges", forges), ("selfreview_register_notifiers", notifiers)):
        try:
            manager.call(hook, registry=registry, config=config)
        except RegistrationError:
            raise  # the others were not called, so that nobody's secrets are known
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


def find_repo(folder: Path, ui: Ui, *, completes: bool = True) -> Repo:
    """Find the repository of a folder, and complete what a killed process left there.

    Args:
        folder: The folder.
        ui: Is told what is completed.
        completes: False where git waits, and holds the index: then what was left is left to the next command.

    Raises:
        GitError: If there is none.
        ApplyError: If what was left cannot be completed.
    """
    from selfreview.git.repo import discover

    repo = discover(folder, os.environ)
    # Not Path.exists, which raises where the folder is another user's: that is told of where something in it is needed.
    if completes and os.path.exists(repo.git_dir / "selfreview" / JOURNAL):  # noqa: PTH110
        recover(repo, ui)
    return repo


def recover(repo: Repo, ui: Ui) -> None:
    """Complete an apply or an undo that was interrupted, or take it back.

    Raises:
        ApplyError: If that cannot be done.
        StoreError: If what was kept is damaged.
    """
    from selfreview.apply.applier import Applier, named
    from selfreview.apply.patches import PatchStore

    done = Applier(repo, PatchStore(patches_folder(repo)), ui.uninterrupted).recover()
    if done is None:
        return
    what = f"{'undo' if done.journal.undo else 'apply'} of {done.journal.patch}"
    if done.completed:
        _note_completed(repo, done.journal)
        ui.note(f"note: the {what} was interrupted, and has been completed now")
        tell_unstaged(done.unstaged, ui, undo=done.journal.undo)
        return
    where = " in your tree and in the index" if done.journal.staged else ""
    ui.warn(f"the {what} was interrupted; it is undone{where} except for {named(done.skipped)}, "
                 "which you have edited since and which stays as it is in your tree")  # fmt: skip


def _note_completed(repo: Repo, journal: Journal) -> None:
    """Note in the branch's session that a patch is applied, or waits again, unless that is noted already."""
    from selfreview.git.revisions import current_branch
    from selfreview.model.event import PatchApplied, PatchWaits
    from selfreview.model.wire import display_path, utc_now

    with open_store(repo) as store:
        branch = current_branch(repo.git) or ""
        session = store.session(str(repo.root), branch)
        elsewhere = journal.undo and journal.branch not in (None, display_path(branch))
        if session is None or elsewhere or (session.patch == journal.patch) is journal.undo:
            return
        session.patch, session.updated = journal.patch if journal.undo else None, utc_now()
        happened = (PatchWaits if journal.undo else PatchApplied)(patch=journal.patch, reason="it was interrupted")
        store.save_session(session, happened.event(session.updated, session=session.id))


def tell_unstaged(left: Mapping[str, str], ui: Ui, *, undo: bool = False) -> None:
    """Report the files that could not be changed in the index as intended, and why.

    Args:
        left: Why, by path.
        ui: Is told.
        undo: Whether it was to be put back, and not to be staged.
    """
    from selfreview.apply.applier import named

    what = "left as it is in the index" if undo else "not staged"
    for why in dict.fromkeys(left.values()):
        ui.note(f"note: {what}: {named([path for path, each in left.items() if each == why])}; {why}")


def agents_of(manager: PluginManager, config: ConfigView) -> Registry[Agent]:
    """Return all agents."""
    from selfreview.api import Registry

    agents: Registry[Agent] = Registry("agent")
    manager.call("selfreview_register_agents", registry=agents, config=config)
    return agents


def reviewers_of(manager: PluginManager, config: ConfigView) -> Registry[Reviewer]:
    """Return all reviewers, including agents."""
    from selfreview.api import Registry
    from selfreview.reviewers.agents import AgentReviewer

    reviewers: Registry[Reviewer] = Registry("reviewer")
    manager.call("selfreview_register_reviewers", registry=reviewers, config=config)
    for agent in agents_of(manager, config):
        reviewers.add(AgentReviewer(agent, config))
    return reviewers


def check_rules(project: Project, reviewers: Registry[Reviewer], counts: Callable[[str], bool] = bool) -> None:
    """Check that the settings select rules and reviewers that there are.

    Where a plugin is left out, nobody knows: what they name may be of that one.

    Args:
        project: The configuration and the plugins.
        reviewers: All that there are.
        counts: Says of the place of a setting whether it is checked.

    Raises:
        ConfigError: If one is not there.
    """
    from selfreview.review.rule_names import check_selectors

    if not project.manager.left_out():
        check_selectors(project.config, reviewers, project.config.place, counts)


def fixers_of(manager: PluginManager, config: ConfigView) -> Registry[Fixer]:
    """Return all fixers, including agents that can write."""
    from selfreview.api import Registry, capabilities
    from selfreview.fixers.agent import AgentFixer

    fixers: Registry[Fixer] = Registry("fixer")
    manager.call("selfreview_register_fixers", registry=fixers, config=config)
    for agent in agents_of(manager, config):
        argv = capabilities.of_agent(agent).fix_argv
        if argv:
            fixers.add(AgentFixer(agent, argv, config))
    return fixers
