"""Loading of a gate's settings from the base, as far as they load, and errors in those that the change brings.

A change that breaks them would stop every gate once it is merged, but that of its own repair.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

from selfreview.api import ConfigView
from selfreview.app.gate.demands import unmet
from selfreview.app.gate.strictest import FILES, TABLES, Load, Reading, named, read_what_loads, strictest
from selfreview.app.loading import Project
from selfreview.app.registries import reviewers_of
from selfreview.config.bootstrap import Loaded
from selfreview.config.files import RepoReader, commit_reader
from selfreview.errors import ConfigError, PluginError
from selfreview.git.run import Git
from selfreview.model.wire import display_path
from selfreview.review.baseline import Entry, Known, parse_baseline
from selfreview.review.select_reviewers import unregistered
from selfreview.trust import CONF_NAME


class Settled(NamedTuple):
    """The project or the baselines of a gate, with errors in their files.

    Attributes:
        value: The project, or the baselines.
        broken: By path, what is wrong with a file that only the change breaks.
        note: What is wrong with the base's and what counts instead, or None.
        unsure: Whether the change may be what repairs the base's, and nobody knows without running code of it.
    """

    value: Project
    broken: Mapping[str, str]
    note: str | None
    unsure: bool = False


class Baselines(NamedTuple):
    """The base's baseline and the change's; as :class:`Settled`."""

    value: Known
    broken: Mapping[str, str]
    note: str | None


def settle(git: Git, base: str, head: str, load: Load, *, head_code: bool) -> Settled:
    """Load the base's settings, or the part of them that loads where the change may be what repairs them.

    Args:
        git: Git in the repository.
        base, head: Full ids of commits.
        load: Loads a project; of the change no code is run.
        head_code: Whether commands may run code of the change.

    Raises:
        ConfigError: If the base's are broken and the change does not repair them, or what the command line and the
            environment say is.
        PluginError: If a plugin cannot be loaded.
    """
    ours, theirs = commit_reader(git, base), commit_reader(git, head)
    changed = [name for name in sorted(FILES) if not _same(name, ours, theirs)]
    try:
        project = load(ours, trusted=True)
        config = project.config
        reviewers = reviewers_of(project.manager, config)
        names = frozenset(reviewers.names())
        _check_names(config, names)
        demands = frozenset(unmet(config, reviewers, head_code=head_code))
    except (ConfigError, PluginError) as error:
        return _repaired(error, (ours, theirs), load, changed)
    fault = _fault(theirs, load, names, lambda loaded: _check_demands(loaded, demands, head_code)) if changed else None
    if fault is None:
        return Settled(project, {}, None)
    concerned = [name for name in changed if name in fault]
    return Settled(project, dict.fromkeys(concerned or changed, fault), None)


def _repaired(
    error: ConfigError | PluginError, sides: tuple[RepoReader, RepoReader], load: Load, changed: list[str]
) -> Settled:
    """Return the part of the base's settings that loads, where the change may be what repairs them.

    Raises:
        ConfigError: If it is not: what does not load could be what stops the change.
        PluginError: The same.
    """
    ours, theirs = sides
    known = read_what_loads(ours, load, error)
    if not all(files.intersection(changed) for files in known.faulty):
        raise _unrepaired(error)
    if _fault(theirs, load, known.names, lambda loaded: _check_repair(loaded, known, changed)) is not None:
        raise _unrepaired(error)
    project = known.project
    if TABLES in known.faulty:
        repaired = load(theirs, trusted=False).config
        project = known.reload(strictest(project.config, repaired, known.names))
    note = f"the base's settings do not load; those that do load are used, at their strictest: {error.message}"
    # The plugin that this gate lacks may have asked for anything; only one that is gone asks for nothing any more.
    lacking = CONF_NAME in changed or not known.local
    return Settled(project, {}, note, unsure=lacking and bool((theirs(CONF_NAME) or b"").strip()))


def _unrepaired(error: ConfigError | PluginError) -> ConfigError | PluginError:
    message = f"the base's settings do not load, and this change does not fix them: {error.message}"
    return type(error)(message, hint=error.hint or "fix them on the base, or in this change")


def _check_repair(loaded: Loaded, known: Reading, changed: list[str]) -> None:
    """Check that the change names no unknown reviewer that the base names, unless it may bring that one.

    Raises:
        ConfigError: If it does.
    """
    still = named(loaded.config) & known.missing
    if still and CONF_NAME not in changed:
        raise ConfigError(f"there is no reviewer named {min(still)!r}")


def baselines(git: Git, base: str, head: str, name: str) -> Baselines:
    """Return the base's baseline and the change's entries; none where only the base's cannot be read.

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
    note = None if wrong is None else f"the base's baseline is ignored, because it cannot be read: {wrong.message}"
    return Baselines(Known(entries, own, still=now), {} if fault is None else {name: fault.message}, note)


def _entries(git: Git, commit: str, name: str, label: str) -> tuple[Mapping[str, Entry], ConfigError | None]:
    try:
        data = commit_reader(git, commit)(name)
        return (parse_baseline(data, label) if data is not None else {}), None
    except ConfigError as error:
        return {}, error


def _fault(read: RepoReader, load: Load, names: frozenset[str], look: Callable[[Loaded], None]) -> str | None:
    """Return the error of settings, or None; their local plugin is compiled, and not run.

    Args:
        read: Reads the files that hold them.
        load: Loads a project.
        names: The reviewers that there are for the base. A local plugin may bring more, so that with one no name is
            wrong for sure.
        look: Raises a ConfigError for what else is wrong.
    """
    try:
        loaded = load(read, trusted=False).loaded
        conf = read(CONF_NAME)
        if conf is not None and conf.strip():
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
    """Check that files of the repository name only known reviewers.

    Raises:
        ConfigError: If one is not there.
    """
    found = unregistered(config, known)
    if found is not None and found[1].rpartition(":")[0] in FILES:
        raise ConfigError(f"there is no reviewer named {found[0]!r} ({found[1]})")


def _check_demands(loaded: Loaded, known: frozenset[str], head_code: bool) -> None:
    """See that nothing new is required that every later gate would lack: it could pass no change, nor its repair.

    Raises:
        ConfigError: If something is.
    """
    found = unmet(loaded.config, reviewers_of(loaded.manager, loaded.config), head_code=head_code)
    for name, why in found.items():
        if name not in known:
            raise ConfigError(f"{name} is required, but this gate cannot run it: {why}")


def _same(name: str, ours: RepoReader, theirs: RepoReader) -> bool:
    try:
        return ours(name) == theirs(name)
    except ConfigError:
        return False
