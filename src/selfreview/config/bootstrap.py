"""From a folder and a command line to plugins, configuration and trust, in the only order that is safe.

1. Plugins from the person's own environment load: built-ins, ``-p``, ``SELFREVIEW_PLUGINS``, entry points. The
   repository has no say in this.
2. They declare their keys. The repository's file is read; what in it can make something run is now known.
3. That and the bytes of ``selfreview_conf.py`` are what the person is asked to trust. If they did, those bytes are run,
   and the local plugin declares its keys too.
4. All sources are checked against all keys and merged.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from selfreview.config import LoadOptions
from selfreview.config.keys import KeyRegistry
from selfreview.config.sources import (
    Source,
    command_line_source,
    environment_source,
    repository_source,
    user_source,
    worktree_reader,
)
from selfreview.config.values import KeyPath, show
from selfreview.config.view import Config, resolve
from selfreview.errors import ConfigError
from selfreview.plugins.builtins import Builtins
from selfreview.plugins.finder import LOCAL_NAME
from selfreview.plugins.manager import PluginManager
from selfreview.trust.store import TrustStore
from selfreview.trust.subject import CONF_NAME, TrustSubject, executable_content

TRUST_HINT = "look at what it would run, then: selfreview trust"


@dataclasses.dataclass(frozen=True, kw_only=True)
class TrustState:
    """The state of trust: whether the repository's own commands and code may run.

    Attributes:
        subject: What could run, or None where there is nothing.
        trusted: Whether it may; True where there is nothing.
        repository: The common git directory it is remembered for, or None outside of a repository.
    """

    subject: TrustSubject | None
    trusted: bool
    repository: Path | None

    @property
    def note(self) -> str | None:
        """The note for a person about commands and code that may not run, or None."""
        if self.trusted or self.subject is None:
            return None
        parts = [CONF_NAME] if self.subject.conf is not None else []
        parts += [f"[{name}]" for name in sorted(self.subject.tables)]
        return f"not trusted, so not run: {', '.join(parts)} of this repository"

    @property
    def hint(self) -> str | None:
        """The hint about how to let them run, or None."""
        return TRUST_HINT if self.note else None


@dataclasses.dataclass(frozen=True, kw_only=True)
class Loaded:
    """Everything that a command needs before it starts.

    Attributes:
        manager: The plugins, set up; ``selfreview_configure`` has not been called.
        config: The resolved configuration.
        settings: What the files alone say, without the environment and the command line; None where that is no
            configuration by itself.
        trust: What may run.
        notes: Sentences for a person; trust's own note is not among them.
    """

    manager: PluginManager
    config: Config
    settings: Config | None
    trust: TrustState
    notes: tuple[str, ...]


def load(
    options: LoadOptions,
    *,
    root: Path | None,
    common_dir: Path | None,
    environ: Mapping[str, str],
    builtins: Builtins | None = None,
) -> Loaded:
    """Load plugins and configuration.

    Args:
        options: The choices of the caller.
        root: Top level of the repository's working tree, or None outside of one.
        common_dir: Its common git directory, or None.
        environ: The environment.
        builtins: The plugins that selfreview comes with.

    Raises:
        ConfigError: If a file, variable or option is wrong.
        PluginError: If a plugin cannot be loaded or set up.
        UsageError: If ``-p`` is wrong.
        TrustError: If the record cannot be read, or is not safe to believe.
    """
    manager = PluginManager(arguments=options.plugins, environ=environ, builtins=builtins)
    manager.load()
    keys = KeyRegistry()
    manager.set_up(keys)
    notes: list[str] = []
    read = options.read_repo_file or (worktree_reader(root) if root is not None else lambda _name: None)
    user = user_source(environ)
    repository = repository_source(read, notes)
    conf = read(CONF_NAME)
    state = _trust_state(_subject(conf, repository, keys, manager), common_dir, environ, options.trusted)
    if state.subject is not None and state.subject.conf is not None and root is not None:
        _load_local(manager, keys, state.subject.conf, root, trusted=state.trusted)

    def resolved(sources: Sequence[Source]) -> Config:
        excuse = _Excuse(manager)
        found = resolve(keys, sources, root=root, trusted=state.trusted, excuse=excuse, head_code=options.head_code)
        if root is not None:
            found.reads(read)
        return found

    given = {**_parse_overrides(options.overrides), **{k: v for k, v in options.keys.items() if v is not None}}
    files = [source for source in (user, repository) if source is not None]
    call = [environment_source(keys, environ, notes), command_line_source(given, keys)]
    config = resolved([*files, *call])
    settings: Config | None = config
    if any(source.values for source in call):
        try:
            settings = resolved(files)
        except ConfigError:  # a table that the call completes
            settings = None
    noted = (*manager.notes, *notes, *config.notes)
    return Loaded(manager=manager, config=config, settings=settings, trust=state, notes=noted)


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


def _load_local(manager: PluginManager, keys: KeyRegistry, conf: bytes, root: Path, *, trusted: bool) -> None:
    if trusted:
        manager.load_local(conf, root)
        manager.set_up(keys)
    else:
        manager.withhold_local("blocked" if manager.blocks(LOCAL_NAME) else "untrusted", root)


def _subject(
    conf: bytes | None, repository: Source | None, keys: KeyRegistry, manager: PluginManager
) -> TrustSubject | None:
    def counts(name: str) -> bool:
        # The keys of a plugin that the person left out for this run are not declared, and nobody else's either:
        # leaving one out must not look like a change of what the repository wants.
        return conf is not None and not manager.blocks(name)

    values = {} if repository is None else repository.values
    return executable_content(conf, executing_values(values, keys, undeclared=counts))


def _trust_state(
    subject: TrustSubject | None, common_dir: Path | None, environ: Mapping[str, str], trusted: bool | None
) -> TrustState:
    if subject is None:
        trusted = True
    elif trusted is None:
        trusted = common_dir is not None and TrustStore.of_user(environ).is_trusted(common_dir, subject)
    return TrustState(subject=subject, trusted=trusted, repository=common_dir)


class _Excuse:
    """Excuses unknown keys that belong, or may belong, to a plugin which is not loaded for this run."""

    def __init__(self, manager: PluginManager) -> None:
        self._manager = manager

    def __call__(self, source: Source, path: KeyPath) -> str | None:
        """Return a note for an unknown key, or None where it is an error."""
        off = self._manager.left_out()
        first, *_ = parts = [str(part) for part in path[:2]]
        names = [*parts, *(f"{kind}-{first}" for kind in ("forge", "fix")), "-".join(parts)]
        known = next((off[name] for name in names if name in off), None)
        if known is not None:
            return f"[{show(path)}] has no effect, because plugin {known.name!r} is {known.state}"
        for record in off.values():
            if record.name == LOCAL_NAME and source.kind == "repository":
                return f"{show(path)} has no effect: it is not a key, or one of {CONF_NAME}, which is {record.state}"
            if record.name != LOCAL_NAME and record.source != "built-in":
                owner = f"plugin {record.name!r}, which is {record.state}"
                return f"{show(path)} has no effect: it is not a key, or one of {owner}"
        return None


def executing_values(
    values: Mapping[str, Any], keys: KeyRegistry, *, undeclared: Callable[[str], bool]
) -> dict[str, Any]:
    """Return the values that can make something run, in tables as they came.

    Args:
        values: What the repository's file says.
        keys: Every key that is declared before the repository's own code is loaded.
        undeclared: Says whether a key that is not declared counts, by the first part of its name. It does where the
            repository brings a plugin: that may declare it, and run what it says.
    """
    return _pick(values, (), keys, undeclared)


def _pick(
    table: Mapping[str, Any], prefix: KeyPath, keys: KeyRegistry, undeclared: Callable[[str], bool]
) -> dict[str, Any]:
    picked: dict[str, Any] = {}
    for name, value in table.items():
        path = (*prefix, name)
        key = keys.get(show(path))
        if key is None and isinstance(value, Mapping):
            below = _pick(value, path, keys, undeclared)
            if below:
                picked[name] = below
        elif key.executes if key is not None else undeclared(str(path[0])):
            picked[name] = value
    return picked
