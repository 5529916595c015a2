"""What a gate runs with where settings do not load: the base's, or those that the change brings.

A change that breaks them would stop every gate once it is merged, that of its own repair included.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

from selfreview.api import ConfigView
from selfreview.cli.common import Session
from selfreview.cli.gatedemands import unmet
from selfreview.cli.registering import reviewers_of
from selfreview.config.bootstrap import Loaded
from selfreview.config.committed import commit_reader
from selfreview.config.files import RepoReader
from selfreview.config.repository import PYPROJECT, REPO_FILE
from selfreview.errors import ConfigError, PluginError
from selfreview.git.run import Git
from selfreview.model.wire import display_path
from selfreview.review.baseline import Entry, Known
from selfreview.review.baselinefile import parse_baseline
from selfreview.review.select import unregistered
from selfreview.trust import CONF_NAME

_FILES = (REPO_FILE, PYPROJECT, CONF_NAME)

Load = Callable[[RepoReader, bool], Session]
"""Loads a session from a reader of the repository's files, which may run code or not."""


class Settled(NamedTuple):
    """What a gate runs with.

    Attributes:
        value: The session, or the baselines.
        broken: By path, what is wrong with a file that only the change breaks.
        note: What is wrong with the base's and what counts instead, or None.
    """

    value: Session
    broken: Mapping[str, str]
    note: str | None


class Baselines(NamedTuple):
    """The base's baseline and the change's; as :class:`Settled`."""

    value: Known
    broken: Mapping[str, str]
    note: str | None


def settle(git: Git, base: str, head: str, load: Load, *, head_code: bool) -> Settled:
    """Load the base's settings, or the defaults where only the change's can be loaded: it may be what repairs them.

    Args:
        git: Git in the repository.
        base, head: Full ids of commits.
        load: Loads a session; of the change no code is run.
        head_code: Whether commands may run code of the change.

    Raises:
        ConfigError: If both are broken, or what the command line and the environment say is.
        PluginError: If a plugin cannot be loaded.
    """
    ours, theirs = commit_reader(git, base), commit_reader(git, head)
    names: frozenset[str] = frozenset()
    demands: frozenset[str] = frozenset()
    try:
        session = load(ours, True)
        config = session.loaded.config
        reviewers = reviewers_of(session.loaded.manager, config)
        names = frozenset(reviewers.names())
        _check_names(config, names)
        demands = frozenset(unmet(config, reviewers, head_code=head_code))
    except (ConfigError, PluginError) as error:
        if _fault(theirs, load, names, lambda _: None) is not None:
            raise
        note = f"the base's settings do not load, so the defaults count, at their strictest: {error.message}"
        return Settled(load(lambda _name: None, True), {}, note)
    changed = [name for name in _FILES if not _same(name, ours, theirs)]
    fault = _fault(theirs, load, names, lambda loaded: _check_demands(loaded, demands, head_code)) if changed else None
    if fault is None:
        return Settled(session, {}, None)
    named = [name for name in changed if name in fault]
    return Settled(session, dict.fromkeys(named or changed, fault), None)


def baselines(git: Git, base: str, head: str, name: str) -> Baselines:
    """Return the base's baseline and what the change enters itself; none where only the base's cannot be read.

    Args:
        git: Git in the repository.
        base, head: Full ids of commits.
        name: The baseline's path.

    Raises:
        ConfigError: If neither can be read.
    """
    entries, wrong = _entries(git, base, name, f"{name} of the base")
    now, fault = _entries(git, head, name, name)
    if wrong is not None and fault is not None:
        raise wrong
    own = {mark: entry for mark, entry in now.items() if mark not in entries}
    note = None if wrong is None else f"the base's baseline does not count, for it cannot be read: {wrong.message}"
    return Baselines(Known(entries, own, still=now), {} if fault is None else {name: fault.message}, note)


def _entries(git: Git, commit: str, name: str, label: str) -> tuple[Mapping[str, Entry], ConfigError | None]:
    try:
        data = commit_reader(git, commit)(name)
        return (parse_baseline(data, label) if data is not None else {}), None
    except ConfigError as error:
        return {}, error


def _fault(read: RepoReader, load: Load, names: frozenset[str], look: Callable[[Loaded], None]) -> str | None:
    """Return what is wrong with settings, or None; their local plugin is compiled, and not run.

    Args:
        read: Reads the files that hold them.
        load: Loads a session.
        names: The reviewers that there are for the base. A local plugin may bring more, so that with one no name is
            wrong for sure.
        look: Raises a ConfigError for what else is wrong.
    """
    try:
        loaded = load(read, False).loaded
        conf = read(CONF_NAME)
        if conf is not None:
            compile(conf, CONF_NAME, "exec", dont_inherit=True)
        elif names:
            config = loaded.config
            agents = {f"agent-{name}" for name in config.table("agents")}
            registered = reviewers_of(loaded.manager, config)
            _check_names(config, names | agents | config.table("command").keys() | set(registered.names()))
        look(loaded)
    except (ConfigError, PluginError) as error:
        return error.message
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        return f"{CONF_NAME}: {display_path(str(error))}"
    return None


def _check_names(config: ConfigView, known: frozenset[str]) -> None:
    """See that files of the repository name only reviewers that there are.

    Raises:
        ConfigError: If one is not there.
    """
    found = unregistered(config, known)
    if found is not None and found[1].rpartition(":")[0] in _FILES:
        raise ConfigError(f"there is no reviewer named {found[0]!r} ({found[1]})")


def _check_demands(loaded: Loaded, known: frozenset[str], head_code: bool) -> None:
    """See that nothing new is required that every later gate would lack: it could pass no change, nor its repair.

    Raises:
        ConfigError: If something is.
    """
    found = unmet(loaded.config, reviewers_of(loaded.manager, loaded.config), head_code=head_code)
    for name, why in found.items():
        if name not in known:
            raise ConfigError(f"{name} is required, and no gate like this one can have it: {why}")


def _same(name: str, ours: RepoReader, theirs: RepoReader) -> bool:
    try:
        return ours(name) == theirs(name)
    except ConfigError:
        return False
